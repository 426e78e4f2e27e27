"""CHECKs that compare truth values, or NULL as a value: PostgreSQL and the validator refuse the same rows."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import ConstraintError
from nestling.ir.constraints.row_check import RowCheck
from nestling.ir.text.condition_reader import read_condition
from nestling.store import Store
from tests.sources.sql.test_row_checks import checks_of, made_in_sqlite

CONDITIONS = (
    "(state = 'used') = (at IS NOT NULL)",
    "(state = 'used') <> (n > 3)",
    "a = (n IS NULL)",
    "(n > 3) IS NOT DISTINCT FROM a",
    "(n > 3) IS DISTINCT FROM (m > 3)",
    "(n > 3 AND m > 3) IS NOT DISTINCT FROM (a OR m > 3)",
    "(NOT a) = (n IN (4, 5))",
    "n IS DISTINCT FROM m",
    "a IS NOT DISTINCT FROM b",
    "n IS DISTINCT FROM 4",
    "(n > 3) IS NOT TRUE OR m IS NULL",
    "(n > 3) IS FALSE",
    "a IS NOT FALSE",
    "((n > 3) = (m > 3)) = a",
)
ROWS = list(
    product(("used", "new"), (None, "2024-01-01 10:00:00"), (True, False, None), (True, None), (None, 3, 4), (None, 4))
)[::5]
VALUES = "VALUES (:id, :t, :state, :at, :a, :b, :n, :m)"


def _tables() -> tuple[str, ...]:
    return tuple(f"t{place}" for place in range(len(CONDITIONS)))


def _made() -> str:
    columns = "state varchar(9), at timestamp(3), a boolean, b boolean, n integer, m integer"
    return "CREATE TABLE of_all (id integer PRIMARY KEY); INSERT INTO of_all VALUES (1);" + "".join(
        f"CREATE TABLE {name} (id integer PRIMARY KEY, of_id integer NOT NULL REFERENCES of_all, {columns}, CHECK ({said}));"
        for name, said in zip(_tables(), CONDITIONS, strict=True)
    )


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_rows_refused(strategy: str, postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]) -> None:
    """Of rows of every kind."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute(_made())
        reading = pipeline.inspect(postgresql_urls[1])
        assert len(checks_of(reading)) == len(CONDITIONS)
        proposal = pipeline.design(reading, strategy)
        pipeline.load(proposal, postgresql_urls[1], database)
        store = Store(proposal, database)
        for table in _tables():
            sql = f"INSERT INTO {table} {VALUES.replace(':t', '1')}"
            for number, row in enumerate(ROWS):
                given = dict(zip(("id", "state", "at", "a", "b", "n", "m"), (number, *row), strict=True))
                asked = sql
                for name in given:
                    asked = asked.replace(f":{name},", f"%({name})s,").replace(f":{name})", f"%({name})s)")
                try:
                    connection.execute(asked, given)
                except psycopg.errors.CheckViolation:
                    with pytest.raises(ConstraintError, match="CHECK"):
                        store.execute(sql, **given)
                else:
                    store.execute(sql, **given)
    verified = pipeline.verify(proposal, postgresql_urls[1], database)
    assert verified.equal


@pytest.mark.thorough
def test_they_come_back(postgresql_urls: tuple[str, str], tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """`unload` declares them in PostgreSQL and in SQLite, and a file of the model says the same."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute(_made())
    reading = pipeline.inspect(postgresql_urls[1])
    for entity in reading.model.entities:
        for check in entity.checks:
            assert read_condition(str(RowCheck("", check.condition)).removeprefix("CHECK ")) == check.condition
    proposal = pipeline.design(reading, "embedded")
    pipeline.load(proposal, postgresql_urls[1], database)
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    pipeline.unload(proposal, postgresql_urls[1], database)
    assert checks_of(pipeline.inspect(postgresql_urls[1])) == checks_of(reading)
    back = f"sqlite:///{tmp_path / 'b.db'}"
    pipeline.unload(proposal, back, database)
    assert len(checks_of(pipeline.inspect(back))) == len(CONDITIONS)


def test_checks_of_booleans_are_read_in_sqlite(tmp_path: Path) -> None:
    """Where truth is a number."""
    tables = "CREATE TABLE t (id integer PRIMARY KEY, state text, at timestamp, CHECK ((state = 'used') = (at IS NOT NULL)));"
    found = checks_of(pipeline.inspect(made_in_sqlite(tmp_path / "a.db", tables)))
    assert found == {"t": ["CHECK ((state = 'used') = (at IS NOT NULL))"]}
