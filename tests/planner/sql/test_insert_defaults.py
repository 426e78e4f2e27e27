"""INSERTs that leave attributes out: defaults beside SQLite, and what is left to whoever stores the rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache

import pytest

from nestling.common.errors import GapError, WorkloadError
from nestling.ir.constraints.defaults import ConstantDefault, Default, Generated, OtherDefault
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.statements.operators import Function
from nestling.ir.statements.write import Insert, Update
from nestling.ir.types import INTEGER, TEXT, Type
from nestling.planner.sql import translate
from nestling.sources.ddl import read_ddl
from tests.reference_algebra import Interpreter

_TABLE = """CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'it''s', n INT DEFAULT -1, r REAL DEFAULT 2,
  flag BOOLEAN DEFAULT 1,
  code TEXT DEFAULT 7, day DATE DEFAULT '2024-02-29', at TIMESTAMP DEFAULT '2024-02-29 10:00:00', free, none TEXT DEFAULT NULL)"""


@cache
def table() -> Model:
    """The table's model."""
    return read_ddl(_TABLE, "t", dialect="sqlite").model


def insert(sql: str, model: Model, dialect: str = "sqlite") -> Insert:
    """The INSERT translated."""
    found = translate(sql, model, dialect)
    assert isinstance(found, Insert)
    return found


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO t DEFAULT VALUES",
        "INSERT INTO t (name) VALUES ('x'), ('y'), (NULL)",
        "INSERT INTO t (id, n, day) VALUES (5, 6, '2020-01-01'), (7, NULL, NULL)",
        "INSERT INTO t (free) SELECT 'a' UNION ALL SELECT 2",
        "INSERT INTO t (id, r) VALUES (NULL, 1)",
    ],
)
def test_what_is_left_out_takes_its_default(sql: str) -> None:
    """The rows are SQLite's, once missing ids are numbered."""
    write = insert(sql, table())
    assert [(each.attribute, each.how) for each in write.generated] == [("id", Generated.NUMBER)]
    mine = []
    for number, row in enumerate(Interpreter({"t": []}, {}).relation(write.source, {})(()), 1):
        given = dict(zip(write.attributes, row, strict=True))
        given["id"] = number if given.get("id") is None else given["id"]
        shown = (given.get(name) for name in table().entity("t").attribute_names)
        mine.append(
            tuple(
                int(v) if isinstance(v, bool) else v if v is None or isinstance(v, int | float) else str(v)
                for v in shown
            )
        )
    with closing(sqlite3.connect(":memory:")) as connection, connection:
        connection.execute(_TABLE)
        connection.execute(sql)
        assert mine == connection.execute("SELECT * FROM t").fetchall()


def model_with(default: Default, kind: Type = TEXT) -> Model:
    """A table of an id and one attribute with that default."""
    return Model("m", (Entity("t", (Attribute("id", INTEGER, False), Attribute("x", kind, default=default)), ("id",)),))


def test_a_default_of_the_sources_own_is_a_gap_where_it_is_needed() -> None:
    """Only an INSERT without the attribute needs it."""
    model = model_with(OtherDefault("lower(user())"))
    insert("INSERT INTO t VALUES (1, 'x')", model, "mysql")
    with pytest.raises(GapError, match=r"the default of `x`, `lower\(user\(\)\)`"):
        insert("INSERT INTO t (id) VALUES (1)", model, "mysql")


@pytest.mark.parametrize("dialect", ["postgresql", "mysql"])
def test_the_word_default(dialect: str) -> None:
    """DEFAULT in every row is not given; in some it is the value, and so it is where it is assigned."""
    model = model_with(ConstantDefault("new"))
    write = insert("INSERT INTO t VALUES (1, DEFAULT), (2, DEFAULT)", model, dialect)
    assert list(Interpreter({}, {}).relation(write.source, {})(())) == [(1, "new"), (2, "new")]
    write = insert("INSERT INTO t VALUES (1, DEFAULT), (2, 'x')", model, dialect)
    assert list(Interpreter({}, {}).relation(write.source, {})(())) == [(1, "new"), (2, "x")]
    update = translate("UPDATE t SET x = DEFAULT", model, dialect)
    assert isinstance(update, Update)
    assert getattr(update.assignments[0].expression, "value", None) == "new"


@pytest.mark.parametrize(
    ("dialect", "given", "made"), [("postgresql", True, False), ("mysql", True, True), ("mysql", False, True)]
)
def test_numbers_for_null(dialect: str, given: bool, made: bool) -> None:
    """MySQL numbers a NULL as it numbers what is left out; PostgreSQL refuses it."""
    model = model_with(Generated.NUMBER, INTEGER)
    sql = "INSERT INTO t VALUES (1, NULL)" if given else "INSERT INTO t (id) VALUES (1)"
    assert bool(insert(sql, model, dialect).generated) is made


@pytest.mark.parametrize(("kind", "function"), [("timestamp", Function.NOW), ("date", Function.DATE_OF)])
def test_functions_are_computed_in_the_statement(kind: str, function: Function) -> None:
    """The time of an insert is the statement's, of a date's attribute the day; a UUID is the store's."""
    write = insert("INSERT INTO t (id) VALUES (1)", model_with(Generated.TIMESTAMP, Type.parse(kind)), "postgresql")
    assert write.attributes == ("id", "x")
    assert f"function=<Function.{function.name}" in repr(write.source)
    assert ("DATE_OF" in repr(write.source)) == (function is Function.DATE_OF)
    write = insert("INSERT INTO t (id) VALUES (1)", model_with(Generated.UUID, Type.parse("uuid")), "postgresql")
    assert [each.how for each in write.generated] == [Generated.UUID]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "mysql"])
def test_what_is_not_null_and_left_out_is_a_mistake(dialect: str) -> None:
    """No such row can ever be added; what a default, a number or an UPDATE of the row there fills is none."""
    ddl = "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, a INTEGER NOT NULL, b TEXT NOT NULL, n INTEGER NOT NULL DEFAULT 1,"
    ddl += " c TEXT)"
    model = read_ddl(ddl, "t", dialect=dialect).model
    with pytest.raises(WorkloadError, match="omits `a`, `b` of `t`, which are NOT NULL without a default"):
        insert("INSERT INTO t (id, c) VALUES (1, 'x')", model, dialect)
    for rows in ("VALUES (1, 2, 'x')", "SELECT id + 1, a, b FROM t"):
        assert insert(f"INSERT INTO t (id, a, b) {rows}", model, dialect).attributes[:3] == ("id", "a", "b")
    assert insert("INSERT INTO t (id, c) SELECT 2, 'x' FROM t WHERE id = 9", model, dialect).attributes[:2] == (
        "id",
        "c",
    )
