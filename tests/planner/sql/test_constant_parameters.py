"""Parameters that stand where a constant is needed, as SQLAlchemy sends them: a Store binds their values, beside PostgreSQL."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import time
from pathlib import Path
from typing import Any

import pytest
from pymongo import AsyncMongoClient
from pymongo.database import Database

import nestling.store
from nestling import AsyncStore, pipeline
from nestling.common.errors import GapError, WorkloadError
from nestling.common.server import Server
from nestling.ir.programs.compiled import NotCompiled
from nestling.store import Result, Store
from tests.planner.reads.beside_postgresql import Beside, beside_of, written

TABLES = """
CREATE TABLE visit (
  id int PRIMARY KEY, starts_at timestamptz NOT NULL, price numeric(10, 4) NOT NULL, code text NOT NULL, contact jsonb,
  opens time, name text);
INSERT INTO visit VALUES
  (1, '2024-03-05 10:20:30+00', 12.3456, 'b', '{"phone": "1", "day": "x", "at": {"city": "Rome", "1": "one"}}', '08:00', 'day'),
  (2, '2024-03-05 23:20:30+00', -2.5, 'a', '{"phone": null, "at": ["y", "z"]}', '18:30:00.5', 'it''s'),
  (3, '2024-04-07 00:00:00+00', 7, 'c', NULL, NULL, '$name');
"""
STATEMENTS: tuple[tuple[str, tuple[dict[str, object], ...]], ...] = (
    (
        "SELECT date_trunc(%(date_trunc_1)s::VARCHAR, starts_at) AS d, count(*) AS n FROM visit GROUP BY d ORDER BY d",
        ({"date_trunc_1": "day"}, {"date_trunc_1": "month"}, {"date_trunc_1": "MONTH"}),
    ),
    ("SELECT date_trunc(%(day)s, starts_at) AS d FROM visit ORDER BY id", ({"day": "month"}, {"day": "hour"})),
    ("SELECT CAST(date_part(CAST(%(part)s AS TEXT), starts_at) AS int) AS d FROM visit ORDER BY id", ({"part": "dow"},)),
    ("SELECT round(price, %(round_1)s::INTEGER) AS r FROM visit ORDER BY id", ({"round_1": 2}, {"round_1": 0}, {"round_1": -1})),
    ("SELECT string_agg(code, %(sep)s::VARCHAR ORDER BY code) AS r FROM visit", ({"sep": ", "}, {"sep": "'\\$"}, {"sep": ""})),
    ("SELECT contact ->> %(contact_1)s::TEXT AS r FROM visit ORDER BY id", ({"contact_1": "phone"}, {"contact_1": "$x"})),
    (
        "SELECT id FROM visit WHERE (contact[%(a)s::TEXT] ->> %(b)s::TEXT) = %(v)s::VARCHAR ORDER BY id",
        ({"a": "at", "b": "city", "v": "Rome"}, {"a": "at", "b": "city", "v": "Bonn"}, {"a": "at", "b": "1", "v": "one"}),
    ),
    ("SELECT to_char(starts_at, %(form)s::VARCHAR) AS r FROM visit ORDER BY id", ({"form": "YYYY-MM"}, {"form": "DD.MM"})),
    ("SELECT timezone(%(zone)s::VARCHAR, starts_at) AS r FROM visit ORDER BY id", ({"zone": "Europe/Berlin"},)),
    ("SELECT left(name, %(n)s) AS r, code || %(more)s::TEXT AS t FROM visit ORDER BY id", ({"n": 2, "more": "'"},)),
    (
        "SELECT id FROM visit WHERE name ILIKE %(name)s ESCAPE %(escape)s OR code LIKE 'c' ESCAPE %(escape)s ORDER BY id",
        ({"name": "$N%", "escape": "\\"}, {"name": "#$N%", "escape": "#"}, {"name": "$Na%", "escape": ""}),
    ),
    (
        "SELECT id FROM visit WHERE opens > %(opens_1)s::TIME WITHOUT TIME ZONE ORDER BY id",
        ({"opens_1": time(8)}, {"opens_1": "7:59:59.9999"}),
    ),
    ("SELECT id FROM visit WHERE opens = %(t)s::TIME OR opens = time '8:00'", ({"t": "18:30:00.50"},)),
    ("SELECT id FROM visit WHERE opens > time '18:30' ORDER BY id", ({},)),
    (
        "SELECT date_trunc(%(p)s::VARCHAR, starts_at) AS d, name = %(p)s::VARCHAR AS is_it FROM visit ORDER BY id",
        ({"p": "day"}, {"p": "year"}),
    ),
    (
        "UPDATE visit SET name = contact ->> %(k)s::TEXT, price = round(price * %(by)s, %(d)s::INTEGER) WHERE id = %(id)s",
        ({"k": "phone", "by": 3, "d": 1, "id": 1},),
    ),
)  # fmt: skip


served = beside_of(TABLES, scope="module")


def _theirs(served: Beside, sql: str, values: dict[str, object]) -> list[tuple[object, ...]]:
    with served.engine.begin() as connection:
        connection.exec_driver_sql("SET TIME ZONE 'UTC'")
        rows = connection.exec_driver_sql(sql, values)
        return [tuple(map(written, row)) for row in rows] if rows.returns_rows else []


@pytest.mark.parametrize(("sql", "given"), STATEMENTS)
def test_values_are_bound_where_a_constant_is_needed(
    sql: str, given: tuple[dict[str, object], ...], served: Beside
) -> None:
    """A statement answers as PostgreSQL for each value, whatever it was asked with before."""
    store = Store(served.proposal, served.database)
    for values in (*given, *given):
        answer = [tuple(map(written, row.values())) for row in store.execute(sql, **values)]
        assert answer == _theirs(served, sql, values)
    rows = "SELECT id, name, price FROM visit ORDER BY id"
    assert [tuple(map(written, row.values())) for row in store.execute(rows)] == _theirs(served, rows, {})


def test_asyncio_and_transactions_bind_them_too(served: Beside, mongod: Server) -> None:
    """As `execute` does."""
    sql = "SELECT round(price, %(n)s) AS r FROM visit WHERE id = 2"
    values: dict[str, object] = {"n": 0}
    store = Store(served.proposal, served.database)
    found = [tuple(map(written, row.values())) for row in store.transaction(lambda t: t.execute(sql, **values))]
    assert found == _theirs(served, sql, values)

    async def later() -> Result:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            return await AsyncStore(served.proposal, client[served.database.name]).execute(sql, **values)

    assert [tuple(map(written, row.values())) for row in asyncio.run(later())] == found


def test_a_value_is_never_more_than_a_constant(served: Beside) -> None:
    """What would end a text, or is no text and no number, changes nothing of the statement."""
    store = Store(served.proposal, served.database)
    sql = "SELECT contact ->> %(k)s AS r FROM visit WHERE id = 1"
    for text in ("phone' OR 'x' = 'x", "phone') --", "$phone", "phone.x", "at.city", ":k", "\\"):
        assert [row["r"] for row in store.execute(sql, k=text)] == [None]
    for odd in (None, ["phone"], {"$ne": 1}, True, 1.5):
        with pytest.raises(WorkloadError, match="`k` is used where a constant is needed"):
            store.execute(sql, k=odd)
    with pytest.raises(WorkloadError, match="`k` is used where a constant is needed, but is int"):
        store.execute("SELECT id FROM visit WHERE name LIKE 'a5%%' ESCAPE %(k)s", k=5)
    with pytest.raises(GapError, match="DATE_TRUNC to dog"):
        store.execute("SELECT date_trunc(%(u)s, starts_at) FROM visit", u="dog")


def test_few_values_are_kept(served: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements of many values do not fill the memory."""
    monkeypatch.setattr(nestling.store, "MOST_KEPT", 5)
    store = Store(served.proposal, served.database)
    for number in range(20):
        store._compiled("SELECT contact ->> :k AS r FROM visit", {"k": f"k{number}"})
    assert len(store._made) == 5


@pytest.mark.thorough
def test_few_statements_are_kept(served: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts with values written into them do not fill the memory, whichever threads ask; a statement in use stays compiled."""
    monkeypatch.setattr(nestling.store, "MOST_KEPT", 5)
    store = Store(served.proposal, served.database)
    in_use = "SELECT id FROM visit WHERE id = 0"
    first = store._compiled(in_use, {})[0]

    def ask(number: int) -> int:
        store._compiled(f"SELECT id FROM visit WHERE id = {number} AND starts_at = :at", {"at": None})
        return id(store._compiled(in_use, {})[0])

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, range(1, 40))) == {id(first)}
    assert max(len(store._made), len(store._constants), len(store._numbered)) <= 5


def test_without_values_the_gap_names_the_parameter(
    served: Beside, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """And says who binds it; a workload's own values do, and `run` those it is given."""
    sql = "SELECT date_trunc(:day, starts_at) AS d FROM visit WHERE id = :id"
    found = pipeline.convert(served.proposal, sql)
    assert isinstance(found, NotCompiled)
    assert found.gap.what == (
        "DATE_TRUNC with a unit that is not a constant: `day` is a parameter; a Store binds it when it has the value,"
        " `convert --bind` takes it from `-- params: {…}`"
    )
    path = tmp_path / "workload.sql"
    path.write_text(f'-- name: days, rate: 1/s\n-- params: {{"day": "month", "id": 1}}\n{sql};\n')
    (bound,) = pipeline.convert_all(served.proposal, path, bound=True)
    assert not isinstance(bound, NotCompiled)
    assert bound.parameters == ()
    store = Store(served.proposal, served.database, workload=path)
    assert [str(row["d"])[:10] for row in store.run("days", day="year", id=1)] == ["2024-01-01"]
    with pytest.raises(GapError, match="`day` is a parameter"):
        store.run("days", id=1)


SPOKEN: tuple[tuple[str, dict[str, object], str], ...] = (
    ("SELECT id FROM visit WHERE contact @? '$.vip'", {}, "contact @\\? "),
    ("SELECT contact #>> %(path)s FROM visit", {"path": "{vip,00}"}, "contact #>> "),
)


@pytest.mark.parametrize(("sql", "values", "said"), SPOKEN)
def test_what_is_no_constant_is_called_as_it_is(sql: str, values: dict[str, object], said: str, served: Beside) -> None:
    """Operators of JSON are gaps of their own."""
    with pytest.raises(GapError, match=said):
        Store(served.proposal, served.database).execute(sql, **values)
