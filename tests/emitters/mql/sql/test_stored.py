"""What an attribute keeps of a computed value: SQLite's own column beside it."""

from __future__ import annotations

import pytest

from nestling.ir.statements.expression import AttributeCast
from nestling.ir.statements.operators import Rules
from nestling.ir.types import Type
from tests.emitters.mql.sql.beside import Fields, evaluate, outputs, same
from tests.emitters.mql.sql.conftest import Table
from tests.planner.sql.sqlite_oracle import conceptual

COLUMNS = {
    "INTEGER": "integer",
    "FLOAT": "float",
    "TEXT": "text",
    "NUMERIC": "decimal",
    "BLOB": "any",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
}
VALUES = (
    "i",
    "f",
    "n",
    "s",
    "x",
    "i / 2.0",
    "s || '1'",
    "i > 3",
    "date(d, '+1 day')",
    "datetime(ts)",
    "NULL",
    "'12'",
    "1.0",
    "CAST(s AS REAL)",
)


@pytest.mark.parametrize("declared", COLUMNS)
def test_stored_values_are_what_sqlite_keeps(table: Table, declared: str) -> None:
    """After an insert into a column of the type, read back as conceptual values."""
    oracle, collection = table
    kind = Type.parse(COLUMNS[declared])
    for text in VALUES:
        (expression,) = outputs(f"SELECT {text} AS v FROM t", oracle.model)
        (mine,) = evaluate(collection, [AttributeCast(expression, kind, Rules.SQLITE)], Fields())
        oracle.connection.execute(f"CREATE TEMP TABLE kept (id INTEGER PRIMARY KEY, v {declared})")
        oracle.connection.execute(f"INSERT INTO kept SELECT id, {text} FROM t")
        theirs = [conceptual(row[0], kind) for row in oracle.connection.execute("SELECT v FROM kept ORDER BY id")]
        oracle.connection.execute("DROP TABLE kept")
        for one, other in zip(mine, theirs, strict=True):
            whole_day = type(one).__name__ == "datetime" and declared == "DATE"
            assert same(one.date() if whole_day else one, other), (text, one, other)
