"""Every function that the planner knows, of every kind of argument, beside the engine it comes from."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import datetime
from itertools import product
from math import isnan
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.errors import OperationFailure

from nestling.common.errors import WorkloadError
from nestling.emitters.mql.sql import RenderingGap, value_mql
from nestling.ir.statements.expression import Expression
from nestling.ir.types import Type, TypeName
from nestling.planner.sql import StatementGap
from tests.emitters.mql.sql.beside import Fields, evaluate, in_words, open_table, outputs, plain, same
from tests.emitters.mql.sql.every_function import Form, calls, forms, sqlite_names
from tests.emitters.mql.sql.test_parameters import Open, bound
from tests.planner.sql.sqlite_oracle import Oracle
from tests.soaking import sample

Table = tuple[Oracle, Collection[dict[str, Any]]]
COLUMNS: dict[str, tuple[str, tuple[object, ...]]] = {
    "i": ("INTEGER", (0, 1, -1, 7, -7, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**62), None, 3, 10)),
    "j": ("INTEGER NOT NULL", (2, 0, -3, 1, 5)),
    "f": ("FLOAT", (0.0, -0.0, 1.0, 2.5, -2.5, 0.1, 1e20, -1e-7, 1e300, None, 1234.5678, float("inf"))),
    "g": ("FLOAT NOT NULL", (0.5, -2.0, 1e10, 3.0)),
    "n": ("NUMERIC", (0, 1.5, -1, 99.99, 1e18, 2**53, None, 0.3, -0.005, 1000)),
    "s": (
        "TEXT",
        (
            "",
            "a",
            "12",
            None,
            " 7 ",
            "12abc",
            "-3.5e2",
            "1.0",
            "1e400",
            "ünï",
            "0",
            ".5",
            "9223372036854775808",
            "0x10",
        ),
    ),
    "z": ("TEXT NOT NULL", ("", "b", "4", "2024-02-29", "a%")),
    "d": ("DATE", ("2024-02-29", "1999-12-31", None)),
    "e": ("TIMESTAMP", ("2024-02-29 12:30:45", "1999-12-31 23:59:59", None, "1970-01-01 00:00:00")),
    "b": ("BOOLEAN", (0, 1, None)),
    "k": ("BLOB", (b"x", b"", None, b"12")),
    "x": ("", (1, "1", 1.5, "x", None, "", b"4", "1.0", -3, "2024-01-01", b"", 0)),
}
"""One column for every kind of value a function may be given."""
ROWS = 15
CONSTANTS = (
    "NULL", "0", "7", "-2", "2.5", "-0.5", "'12'", "'1.5'", "'abc'", "''", "x'3132'", "9223372036854775807", "1e300",
    "'2024-02-29'", "'2024-01-31 10:00:00'", "'%d'", "'%Y'",
)  # fmt: skip
OTHERS = (("z", "j", "'b'"), ("i", "'%Y-%m'", "s"))
WRAPPED = ("typeof({})", "({}) IS NULL", "({}) / 4", "({}) || ''")
"""What tells a wrong type or a wrong certainty of not being NULL."""
TOGETHER = 50


@pytest.fixture(scope="module")
def table(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Table]:
    """The same rows on both sides."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        f"CREATE TABLE t (id INTEGER PRIMARY KEY, {', '.join(f'{n} {t}' for n, (t, _) in COLUMNS.items())})"
    )
    for place in range(ROWS):
        values = [found[place % len(found)] for _, found in COLUMNS.values()]
        connection.execute(f"INSERT INTO t VALUES (?{',?' * len(values)})", (place + 1, *values))
    collection = mongo_client["every_function"]["t"]
    collection.drop()
    yield open_table(connection, collection), collection
    connection.close()
    mongo_client.drop_database("every_function")


def is_sqlites(form: Form) -> bool:
    """Whether SQLite has the function, with as many arguments; one without them that has a value of its own each time is left."""
    call = form.call(["NULL"] * form.arguments)
    with suppress(sqlite3.Error), closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"EXPLAIN SELECT {call}")
        if not form.arguments:
            connection.execute("CREATE TABLE t (a)")
            connection.execute("INSERT INTO t VALUES (1)")
            connection.execute(f"CREATE INDEX i ON t ({call})")  # which takes what is always the same
        return True
    return False


FORMS = {f"{form.name}-{form.arguments}": form for form in forms("sqlite", is_sqlites, sqlite_names())}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("form", FORMS)
def test_a_function_is_sqlites(table: Table, form: str) -> None:
    """Of every kind of argument it gives SQLite's value, class included, or is a gap or an error in words."""
    found = calls(FORMS[form], (*COLUMNS, *CONSTANTS), OTHERS)
    plain = [*calls(FORMS[form], [*COLUMNS], OTHERS[:1])]
    texts = [*found, *(wrapped.format(call) for wrapped, call in product(WRAPPED, plain))]
    _compare([*sample(texts, one_in=3, first=[*FORMS].index(form))], table)


def _compare(texts: Sequence[str], table: Table) -> None:
    oracle, collection = table
    compiled = [(text, expression) for text in texts if (expression := _compiled(text, oracle)) is not None]
    differences: list[str] = []
    for start in range(0, len(compiled), TOGETHER):
        differences += _differences(compiled[start : start + TOGETHER], oracle, collection)
    assert not differences, "\n".join(differences)


def _compiled(text: str, oracle: Oracle) -> Expression | None:
    try:
        (expression,) = outputs(f"SELECT {text} AS v FROM t", oracle.model)
        value_mql(expression, Fields())
    except (StatementGap, RenderingGap, WorkloadError):
        return None
    return expression


def _differences(
    compiled: list[tuple[str, Expression]], oracle: Oracle, collection: Collection[dict[str, Any]]
) -> Iterator[str]:
    """Where the values are not the same, or the server alone refuses; what fails together is asked for one by one."""
    try:
        mine = evaluate(collection, [expression for _, expression in compiled], Fields())
    except OperationFailure as error:
        for one in compiled if len(compiled) > 1 else ():
            yield from _differences([one], oracle, collection)
        if len(compiled) == 1 and not in_words(error) and not _fails(compiled[0][0], oracle):
            yield f"{compiled[0][0]}: the server says {error}"
        return
    for (text, expression), found in zip(compiled, mine, strict=True):
        try:
            wanted = [row[0] for row in oracle.connection.execute(f"SELECT {text} FROM t ORDER BY id")]
        except sqlite3.Error as error:
            yield f"{text}: SQLite says {error}"
            continue
        for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
            is_nan = isinstance(one, float) and isnan(one) and other is None  # as docs/statements/sqlite.md says
            if not is_nan and not same(_shown(one, expression.type), other):
                row = {name: values[place % len(values)] for name, (_, values) in COLUMNS.items()}
                yield f"{text}: {one!r}, SQLite says {other!r} of {row}"
                break


def _fails(text: str, oracle: Oracle) -> bool:
    """Whether SQLite has no answer either."""
    try:
        oracle.connection.execute(f"SELECT {text} FROM t").fetchall()
    except sqlite3.Error:
        return True
    return False


def _shown(value: object, kind: Type) -> object:
    """A day or moment as the text it is in SQLite."""
    if not isinstance(value, datetime):
        return value
    return value.date().isoformat() if kind.name is TypeName.DATE else value.isoformat(" ")


OPERATORS = ("+", "-", "*", "/", "%", "||", "=", "<", "<>", "IS", "LIKE", "GLOB")
INEXACT = ("i + s", "s + i")
"""What docs/statements/sqlite.md says of a sum of a large integer and a float that no type tells."""
AROUND = (
    "-{}", "NOT {}", "CAST(-{} AS TEXT)", "CASE WHEN {} THEN 1 ELSE 0 END", "{} IS NULL", "{} BETWEEN 0 AND 'b'",
    "{} IN (1, 'a')", "CAST({} AS INTEGER)", "CAST({} AS REAL)", "CAST({} AS TEXT)", "CAST({} AS NUMERIC)",
)  # fmt: skip


@pytest.mark.one_in(5)
@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_is_sqlites(table: Table, operator: str) -> None:
    """Between values of all kinds it gives SQLite's value, or is a gap or an error in words."""
    sides = (*product(COLUMNS, (*COLUMNS, *CONSTANTS)), *product(CONSTANTS, COLUMNS))
    texts = (f"{left} {operator} {right}" for left, right in sides)
    exact = [text for text in texts if text not in INEXACT]
    _compare([*sample(exact, one_in=3, first=OPERATORS.index(operator))], table)


@pytest.mark.thorough
def test_what_stands_around_a_value_is_sqlites(table: Table) -> None:
    """Signs, conditions, tests and casts, of values of all kinds."""
    _compare([around.format(value) for around, value in product(AROUND, (*COLUMNS, *CONSTANTS))], table)


INFIX = (*OPERATORS, ">=", "==", "IS NOT", "NOT LIKE", "AND", "OR", "BETWEEN 0 AND", "NOT BETWEEN 0 AND")
SUFFIX = ("IS NULL", "NOTNULL", "IN (1, 'a')", "NOT IN (2, 'b')")
PREFIX = ("", "NOT ", "-")


@pytest.mark.thorough
def test_operators_in_a_row_are_sqlites(table: Table) -> None:
    """Two operators without brackets are read in SQLite's order, or are a gap."""
    pairs = [f"j {one} g {other} z" for one, other in product(INFIX, INFIX)]
    ends = [f"j {one} g {other}" for one, other in product(INFIX, SUFFIX)]
    starts = [f"j {one} {other} g" for one, other in product(SUFFIX, INFIX)]
    texts = [prefix + text for prefix, text in product(PREFIX, (*pairs, *ends, *starts))]
    _compare([*sample(texts, one_in=5)], table)


GIVEN = (None, 7, -2, 2.5, "7", "1.5", "x", "1e1", "", b"7", b"1.5", b"x", b"", True, -0.0)
TAKING = (
    "j + :p", "f * :p", "i / :p", "i % :p", "-:p", "CASE WHEN :p THEN 1 ELSE 0 END", "NOT :p", "i AND :p", "sqrt(:p)",
    "floor(:p)", "sign(:p)", "abs(:p)", "mod(i, :p)", "mod(:p, 2)", "pow(:p, 2)", "ln(:p)", "trunc(:p)", "substr(z, :p)",
    "CAST(:p AS INTEGER)", "CAST(:p AS REAL)", "CAST(:p AS NUMERIC)",
)  # fmt: skip


@pytest.mark.parametrize("text", TAKING)
def test_a_parameter_is_what_its_value_is_to_sqlite(table: Table, text: str) -> None:
    """Texts and bytes, too, where a number or a condition is wanted; one of them may be refused in words."""
    oracle, collection = table
    (expression,) = outputs(f"SELECT {text} AS v FROM t", oracle.model)
    document = value_mql(expression, Open())
    for given in GIVEN:
        with suppress(WorkloadError):
            stages = [{"$sort": {"_id": 1}}, {"$replaceWith": {"v": bound(document, {"p": given})}}]
            mine = [plain(each.get("v")) for each in collection.aggregate(stages)]
            wanted = [row[0] for row in oracle.connection.execute(f"SELECT {text} FROM t ORDER BY id", {"p": given})]
            for one, other in zip(mine, wanted, strict=True):
                is_nan = isinstance(one, float) and isnan(one) and other is None
                assert is_nan or same(one, other), (given, one, other)
