"""Timestamps finer than a BSON date: what is compared with dates to the millisecond, and what is stored among them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import GapError, InputError, WorkloadError
from nestling.emitters.commands import collection_commands
from nestling.emitters.python_code import module
from nestling.executors.create import create
from nestling.executors.load import written_collections
from nestling.ir.programs.program import CompiledWrite

BASE = datetime(2025, 3, 1, 10, 0, 0, 123000, tzinfo=UTC)
STORED = [BASE + timedelta(milliseconds=n) for n in (-1, 0, 1, 2)]
GIVEN = [BASE, BASE + timedelta(microseconds=456), BASE + timedelta(microseconds=999), datetime.max.replace(tzinfo=UTC)]
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip


@pytest.fixture(params=["timestamptz", "timestamp", "timestamptz(6)"])
def store(request: pytest.FixtureRequest, database: Database[dict[str, Any]], tmp_path: Path) -> Store:
    """Instants of whole milliseconds, in a table of PostgreSQL's; those of six digits are kept as text."""
    model = f"{{name: log, entities: {{event: {{key: [id], attributes: {{id: integer!, at: {request.param}}}}}}}}}"
    (tmp_path / "model.yaml").write_text(f"nestling: 1\nmodel: {model}\n", encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "model.yaml")), "normalized")
    create(collection_commands(proposal.design), database, written_collections(proposal.design))
    made = Store(proposal, database, dialect="postgresql")
    for number, at in enumerate(STORED):
        made.execute("INSERT INTO event (id, at) VALUES (:id, :at)", id=number, at=_as(request.param, at))
    return made


def _as(kind: str, at: datetime) -> datetime:
    return at.replace(tzinfo=None) if kind == "timestamp" else at


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sign", OPERATORS)
def test_finer_instants_compare_as_they_are(store: Store, request: pytest.FixtureRequest, sign: str) -> None:
    """As parameters and in the statement, on either side, in the query language and in expressions."""
    kind = request.node.callspec.params["store"]
    mirrored = sign.translate(str.maketrans("<>", "><")) if len(sign) == 1 or sign[1] == "=" else sign
    for given in GIVEN:
        wanted = [n for n, at in enumerate(STORED) if OPERATORS[sign](at, given)]
        written = given.isoformat(" ") if kind != "timestamp" else given.replace(tzinfo=None).isoformat(" ")
        for sql in (
            f"SELECT id FROM event WHERE at {sign} :at ORDER BY id",
            f"SELECT id FROM event WHERE :at {mirrored} at ORDER BY id",
            f"SELECT id FROM event WHERE coalesce(at {sign} :at, false) ORDER BY id",
        ):
            assert [row["id"] for row in store.execute(sql, at=_as(kind, given))] == wanted, (sql, given)
        for sql in (
            f"SELECT id FROM event WHERE at {sign} '{written}' ORDER BY id",
            f"SELECT id FROM event WHERE coalesce('{written}' {mirrored} at, false) ORDER BY id",
        ):
            assert [row["id"] for row in store.execute(sql)] == wanted, sql


FINE = BASE + timedelta(microseconds=500)
WRITES = (
    "UPDATE event SET at = :at WHERE id = 0",
    "UPDATE event SET at = CASE WHEN id = 0 THEN :at ELSE at END WHERE id = 0",
    "UPDATE event SET at = coalesce(:at, at) WHERE id = 0",
    "UPDATE event SET at = greatest(:at, at) WHERE id = 0",
    "UPDATE event SET at = CAST(:at AS {kind}) WHERE id = 0",
    "INSERT INTO event (id, at) VALUES (0, :at) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sql", WRITES)
def test_microseconds_are_kept_or_refused(
    sql: str, store: Store, request: pytest.FixtureRequest, database: Database[Any]
) -> None:
    """Nothing is rounded unless that is asked for; nothing but dates lies among dates, whoever writes."""
    kind = request.node.callspec.params["store"]
    sql = sql.format(kind=kind)
    at, constant = _as(kind, FINE), sql.replace(":at", f"'{_as(kind, FINE).isoformat(' ')}'")
    asked = "SELECT at FROM event WHERE id = 0"
    write = store._compiled(sql, {})[0]
    assert isinstance(write, CompiledWrite)
    space: dict[str, Any] = {}
    exec(compile(module([write]), "queries.py", "exec"), space)
    whole = Store(store._proposal, database, dialect="postgresql", microseconds="round")
    if kind == "timestamptz(6)":
        for call in (
            lambda: store.execute(sql, at=at),
            lambda: store.execute(constant),
            lambda: whole.execute(sql, at=at),
        ):
            store.execute("UPDATE event SET at = NULL WHERE id = 0")
            call()
            assert store.execute(asked)[0]["at"] == at
        assert {type(each["at"]) for each in database["event"].find()} == {str}
        return
    given = lambda: store.execute(sql, at=at)  # noqa: E731
    for refused in (
        given,
        lambda: store.execute(constant),
        lambda: whole.execute(constant),
        lambda: store.execute(sql, at=at.isoformat(" ")),
        lambda: space["statement"](database, at=at),
    ):
        with pytest.raises((WorkloadError, ValueError), match="has milliseconds and cannot hold") as error:
            refused()
        assert "give milliseconds: value.replace(" in str(error.value)
        assert ("open the Store with" in str(error.value)) is (refused is given), (
            "only a Store rounds, and only a datetime"
        )
        assert store.execute(asked)[0]["at"] == _as(kind, STORED[0])
    whole.execute(sql, at=at)
    assert store.execute(asked)[0]["at"] == _as(kind, BASE + timedelta(milliseconds=1))
    store.execute(sql, at=_as(kind, STORED[3]))
    assert store.execute(asked)[0]["at"] == _as(kind, STORED[3])
    assert {type(each["at"]) for each in database["event"].find()} == {datetime}


def test_what_microseconds_may_be(store: Store, database: Database[Any]) -> None:
    """A word that says neither is a mistake."""
    with pytest.raises(InputError, match="no value of microseconds `cut`"):
        Store(store._proposal, database, microseconds="cut")  # type: ignore[arg-type]


_OF_EVERY_TIME = """nestling: 1
model:
  name: log
  entities:
    event:
      key: [id]
      attributes: {id: integer!, day: date, plain: timestamp, fine: timestamp(6), there: timestamptz, fine_there: timestamptz(6)}
"""
_TIMES = ("day", "plain", "fine", "there", "fine_there")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("taken", _TIMES)
@pytest.mark.parametrize("kept", _TIMES)
def test_one_time_stored_as_another(kept: str, taken: str, database: Database[Any], tmp_path: Path) -> None:
    """What a column takes of another one is what it would have taken of the value itself, on a clock of UTC."""
    (tmp_path / "model.yaml").write_text(_OF_EVERY_TIME, encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "model.yaml")), "normalized")
    create(collection_commands(proposal.design), database, written_collections(proposal.design))
    store = Store(proposal, database, dialect="postgresql")
    at = BASE.replace(hour=0, minute=0, second=0, microsecond=0) if kept == "day" else BASE
    given = {
        "day": at.date(),
        "plain": _as("timestamp", at),
        "fine": _as("timestamp", at),
        "there": at,
        "fine_there": at,
    }
    for number in (1, 2):
        column, value = (taken, given[taken]) if number == 1 else (kept, _converted(given[taken], kept))
        store.execute(f"INSERT INTO event (id, {column}) VALUES (:id, :at)", id=number, at=value)
    if kept in ("plain", "there") and taken.startswith("fine"):
        with pytest.raises(GapError, match="a conversion of"):  # which would round
            store.execute(f"UPDATE event SET {kept} = {taken} WHERE id = 1")
        return
    if kept != taken:
        store.execute(f"UPDATE event SET {kept} = {taken} WHERE id = 1")
    one, other = (each[kept] for each in database["event"].find().sort("_id"))
    assert one == other


def _converted(value: date, kept: str) -> date:
    """As PostgreSQL converts where its zone is UTC."""
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    if kept == "day":
        return moment.date()
    return moment.replace(tzinfo=UTC if "there" in kept else None)
