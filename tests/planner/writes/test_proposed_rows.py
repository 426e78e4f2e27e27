"""The row an INSERT proposes keeps its CHECKs though another row is there already, as in PostgreSQL, MariaDB and SQLite."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError, NestlingError
from nestling.emitters.python_code import module
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from tests.planner.reads.beside_postgresql import created
from tests.three_sources import DIALECTS, address_of

TABLES = """
CREATE TABLE site (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL);
CREATE TABLE parcel (id INTEGER PRIMARY KEY, site_id INTEGER NOT NULL REFERENCES site (id),
  points INTEGER NOT NULL CHECK (points BETWEEN 0 AND 18), low INTEGER, high INTEGER, CONSTRAINT in_order CHECK (low < high));
INSERT INTO site VALUES (1, 'one');
INSERT INTO parcel VALUES (7, 1, 5, 1, 2);
"""
UPDATE = " ON CONFLICT (id) DO UPDATE SET points = parcel.points + 1"
NOTHING = " ON CONFLICT (id) DO NOTHING"
TAKEN = " ON CONFLICT (id) DO UPDATE SET points = excluded.points"
ROW = "INSERT INTO parcel (id, site_id, points, low, high) VALUES (:id, 1, :points, :low, :high)"
SELECT = "INSERT INTO parcel (id, site_id, points, low, high) SELECT 7, id, :points, :low, :high FROM site WHERE id = :id - 6"
WRITES = (ROW + UPDATE, ROW + NOTHING, ROW + TAKEN, ROW + UPDATE + " WHERE parcel.points > 100", SELECT + NOTHING)
GIVEN: tuple[Mapping[str, int | None], ...] = (
    {"id": 7, "points": 99, "low": 1, "high": 2},
    {"id": 7, "points": -1, "low": None, "high": 2},
    {"id": 7, "points": 6, "low": 3, "high": 2},
    {"id": 7, "points": 6, "low": 3, "high": None},
    {"id": 7, "points": 18, "low": 3, "high": 4},
)
CONSTANTS = (
    "INSERT INTO parcel VALUES (7, 1, 99, 1, 2)" + NOTHING,
    "INSERT INTO parcel VALUES (7, 1, 9, 3, 2)" + UPDATE,
    "INSERT INTO parcel VALUES (8, 1, 9, 1, 2), (7, 1, 19, 1, 2)" + UPDATE,
    "INSERT INTO parcel VALUES (7, 1, 9, 1, 2)" + UPDATE,
)
DESIGNS = ("normalized", "embedded", "tree")


@pytest.fixture(scope="module", params=DIALECTS)
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The dialect and the address of a database with the tables."""
    return request.param, address_of(request.param, TABLES, request, tmp_path_factory.mktemp("proposed"))


def _said(sql: str, dialect: str) -> str:
    """The statement as the dialect has it."""
    if dialect != "mysql":
        return sql
    if sql.endswith(NOTHING):
        return sql.replace(NOTHING, " ON DUPLICATE KEY UPDATE id = parcel.id")
    return sql.replace(UPDATE, " ON DUPLICATE KEY UPDATE points = parcel.points + 1").replace(
        TAKEN, " ON DUPLICATE KEY UPDATE points = VALUES(points)"
    )


def _there(engine: sa.Engine, sql: str, values: Mapping[str, Any]) -> tuple[bool, list[tuple[Any, ...]]]:
    """Whether the database takes it, and the rows it leaves; nothing of it stays."""
    with engine.connect() as connection, connection.begin() as run:
        try:
            connection.execute(sa.text(sql), dict(values))
        except (sa.exc.IntegrityError, sa.exc.OperationalError):
            return False, []
        rows = [tuple(row) for row in connection.exec_driver_sql("SELECT id, points FROM parcel ORDER BY id")]
        run.rollback()
        return True, rows


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", DESIGNS)
def test_a_row_that_breaks_a_check_is_refused(
    source: tuple[str, str], strategy: str, database: Database[dict[str, Any]]
) -> None:
    """By a Store and by emitted code, on all designs, whatever stands in the row that is there; others are taken."""
    dialect, url = source
    chosen = pipeline.design(pipeline.inspect(url), strategy)
    pipeline.load(chosen, url, database, check=False)
    store, engine = Store(chosen, database), sa.create_engine(url, poolclass=sa.NullPool)
    writes = WRITES[:3] if dialect == "mysql" else WRITES
    asked: list[tuple[str, Mapping[str, Any]]] = [(sql, values) for sql in writes for values in GIVEN]
    for written, values in (*asked, *((sql, {}) for sql in CONSTANTS)):
        sql = _said(written, dialect)
        taken, rows = _there(engine, sql, values)
        for is_done in (_by_store(store, sql, values), _by_code(chosen, sql, dialect, values, database)):
            before = list(store.execute("SELECT * FROM parcel ORDER BY id"))
            refusal = is_done()
            assert (refusal == "") is taken, (sql, values, refusal)
            assert taken or re.search("check|not allowed|failed validation", refusal), refusal
            if taken:
                found = store.execute("SELECT id, points FROM parcel ORDER BY id")
                assert [tuple(row.values()) for row in found] == rows
                store.execute("DELETE FROM parcel WHERE id <> 7")
                store.execute("UPDATE parcel SET site_id = 1, points = 5, low = 1, high = 2 WHERE id = 7")
            assert list(store.execute("SELECT * FROM parcel ORDER BY id")) == before


def _by_store(store: Store, sql: str, values: Mapping[str, Any]) -> Callable[[], str]:
    def is_done() -> str:
        try:
            store.execute(sql, **values)
        except ConstraintError as error:
            return str(error.violation)
        return ""

    return is_done


def _by_code(
    chosen: Proposal, sql: str, dialect: str, values: Mapping[str, Any], database: Database[dict[str, Any]]
) -> Callable[[], str]:
    def is_done() -> str:
        write = pipeline.convert(chosen, sql, dialect=dialect)
        assert isinstance(write, CompiledWrite), write
        space: dict[str, Any] = {}
        exec(module([replace(write, name="write")]), space)  # what is emitted is what is tested
        try:
            space["write"](database, **values)
        except Exception as refusal:  # its own error, or the server's
            return str(refusal)
        return ""

    return is_done


def test_a_value_no_enum_or_domain_has_is_refused(postgresql: str, database: Database[dict[str, Any]]) -> None:
    """Of the row that is proposed, as PostgreSQL refuses it, in constants and parameters."""
    tables = """CREATE TYPE mood AS ENUM ('calm', 'loud'); CREATE DOMAIN part AS integer CHECK (VALUE BETWEEN 0 AND 100);
        CREATE TABLE pet (id integer PRIMARY KEY, mood mood, part part, name varchar(3), n integer);
        INSERT INTO pet VALUES (1, 'calm', 1, 'Bo', 0);"""
    url = created(postgresql, tables)[1]
    chosen = pipeline.design(pipeline.inspect(url), "normalized")
    pipeline.load(chosen, url, database, check=False)
    store, engine = Store(chosen, database), sa.create_engine(url, poolclass=sa.NullPool)
    given = {"mood": ("calm", "shy", None), "part": (100, 101, None), "name": ("Max", "Moritz", None)}
    for action in ("NOTHING", "UPDATE SET n = 1"):
        for name, values in given.items():
            taken = []
            for value in values:
                sql = f"INSERT INTO pet (id, {name}) VALUES (1, :v) ON CONFLICT (id) DO {action}"
                with engine.connect() as connection:
                    try:
                        connection.execute(sa.text(sql), {"v": value})
                        taken.append(True)
                    except sa.exc.DBAPIError:
                        taken.append(False)
                written = sql.replace(":v", "NULL" if value is None else repr(value))
                for asked, parameters in ((sql, {"v": value}), (written, {})):
                    if taken[-1]:
                        store.execute(asked, **parameters)
                    else:
                        with pytest.raises(NestlingError, match=r"not allowed|cannot be stored"):
                            store.execute(asked, **parameters)
            assert taken == [True, False, True]
