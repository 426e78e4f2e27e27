"""Every function that the planner knows, of every kind of argument, beside PostgreSQL and MariaDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.errors import OperationFailure
from sqlalchemy.exc import DBAPIError

from nestling.common.errors import WorkloadError
from nestling.emitters.mql.sql import RenderingGap, value_mql
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.statements.expression import Expression
from nestling.ir.types import INTEGER, Type
from nestling.planner.sql import StatementGap
from tests.emitters.mql.sql.beside import Fields, evaluate, in_words, outputs, store
from tests.emitters.mql.sql.every_function import Form, calls, forms
from tests.soaking import sample

COLUMNS: dict[str, tuple[str, str, str, tuple[Any, ...]]] = {
    "i": ("integer", "bigint", "bigint", (0, 1, -7, 3, None, 2**40, -1000)),
    "m": ("decimal(10,2)", "numeric(10,2)", "decimal(10,2)", (0, "1.25", "-3.10", None, "99999999.99", "0.05", "-12.50")),
    "f": ("float", "double precision", "double", (0.0, 0.5, 2.5, -2.5, None, 0.1, 1e10, 1e300)),
    "s": ("text", "text", "text", ("", "a", "12", None, " 7 ", "12abc", "-3.5e2", "2024-02-29", "ab%")),
    "z": ("text", "text NOT NULL", "varchar(20) NOT NULL", ("", "b", "4", "1999-12-31")),
    "d": ("date", "date", "date", (date(2024, 2, 29), date(1999, 12, 31), None)),
    "e": ("timestamp(3)", "timestamp(3)", "datetime(3)", (datetime(2024, 2, 29, 12, 30, 45, 678000), None, datetime(1970, 1, 1))),  # noqa: DTZ001
    "b": ("boolean", "boolean", "boolean", (True, False, None)),
    "x": ("bits", "bit(3)", "bit(3)", ("101", "010", None)),
    "t": ("time", "time", "time", ("06:15:00", None, "23:59:59")),
}  # fmt: skip
"""One column for every kind of value: its type in the model, in PostgreSQL and in MariaDB, and values."""
WRITTEN = {"x": ("%s::bit(3)", "CONV(%s, 2, 10) + 0")}
"""How PostgreSQL and MariaDB are given a value that is no parameter of theirs."""
CLOCKS = ("now", "current_timestamp")
"""Functions of another value each time."""
CLOCKS_ALONE = ("curdate", "current_date", "current_time", "unix_timestamp")
"""Those that are so without arguments."""
BEYOND = (
    "$range requires an ending value",
    "$range would use too much memory",
    "Conversion would overflow target type",
    "date overflow in $add",
)
"""What MongoDB says of numbers beyond those that it counts with: of texts as long as 2^40 MariaDB's answer is NULL."""
TIMES_OF_TEXTS = ("adddate('", "subdate('")
"""MariaDB answers with a text where a constant text is the time; here it is a datetime, which compares alike."""
ROWS = 9
CONSTANTS = ("NULL", "0", "7", "-2", "2.5", "-0.5", "'12'", "'abc'", "''", "'2024-02-29'")
OTHERS = (("s", "i", "'b'"), ("i", "2", "1"), ("'%Y-%m'", "f", "s"), ("'day'", "'YYYY'", "s"))
WRAPPED = ("({}) IS NULL", "({}) / 4")
_ATTRIBUTES = tuple(Attribute(name, Type.parse(kind), nullable=name != "z") for name, (kind, *_) in COLUMNS.items())
MODEL = Model("t", (Entity("t", (Attribute("id", INTEGER, nullable=False), *_ATTRIBUTES), ("id",)),))


def _rows() -> list[tuple[Any, ...]]:
    found = []
    for place in range(ROWS):
        row = {name: values[place % len(values)] for name, (_, _, _, values) in COLUMNS.items()}
        row["m"] = None if row["m"] is None else Decimal(row["m"])
        found.append((place, *row.values()))
    return found


def _filled(engine: sa.Engine, place: int, collection: Collection[dict[str, Any]]) -> sa.Connection:
    collection.drop()
    store(collection, MODEL.entities[0].attributes, _rows())
    connection = engine.connect()
    if place == 1:
        connection.exec_driver_sql("SET TIME ZONE 'UTC'")
    connection.exec_driver_sql("DROP TABLE IF EXISTS every_function")
    columns = ", ".join(f"{name} {types[place]}" for name, types in COLUMNS.items())
    connection.exec_driver_sql(f"CREATE TABLE every_function (id int PRIMARY KEY, {columns})")
    for row in _rows():
        given = ", ".join(["%s", *(WRITTEN[name][place - 1] if name in WRITTEN else "%s" for name in COLUMNS)])
        connection.exec_driver_sql(f"INSERT INTO every_function VALUES ({given})", row)
    return connection


@pytest.mark.parametrize("dialect", ["postgresql", "mysql"])
def test_a_function_is_the_servers(
    dialect: str, request: pytest.FixtureRequest, mongo_client: MongoClient[dict[str, Any]]
) -> None:
    """Of every kind of argument it gives the server's value, or is a gap or an error in words, where the server has an answer."""
    place, fixture = {"postgresql": (1, "postgresql"), "mysql": (2, "mariadb")}[dialect]
    engine = sa.create_engine(request.getfixturevalue(fixture), isolation_level="AUTOCOMMIT")
    collection = mongo_client[f"every_function_{dialect}"]["t"]
    differences: list[str] = []
    with closing(_filled(engine, place, collection)) as connection:
        for number, form in enumerate(forms(dialect, _is_fixed)):
            texts = [*calls(form, (*COLUMNS, *CONSTANTS), OTHERS)]
            texts += [wrapped.format(text) for text in calls(form, [*COLUMNS], OTHERS[:1]) for wrapped in WRAPPED]
            texts = [text for text in texts if not text.strip("(").startswith(TIMES_OF_TEXTS)]
            some = sample(texts, one_in=30, first=number)
            compiled = [(text, found) for text in some if (found := _compiled(text, dialect)) is not None]
            wanted = {text: _asked(text, connection) for text, _ in compiled}
            answered = [(text, found) for text, found in compiled if wanted[text] is not None]
            for text, mine in _computed(answered, collection):
                if isinstance(mine, OperationFailure):
                    differences += (
                        []
                        if in_words(mine) or any(words in str(mine) for words in BEYOND)
                        else [f"{text}: the server says {mine}"]
                    )
                    continue
                there = wanted[text] or []
                rows = zip(mine, there, _rows(), strict=True)
                shown = _worth if "json" in form.name else _comparable
                odd = next((each for each in rows if shown(each[0]) != shown(each[1])), None)
                if odd is not None:
                    differences.append(f"{text}: {odd[0]!r}, the server says {odd[1]!r} of {odd[2]}")
    engine.dispose()
    mongo_client.drop_database(collection.database.name)
    assert not differences, "\n".join(differences)


def _is_fixed(form: Form) -> bool:
    return form.name not in CLOCKS and (form.arguments > 0 or form.name not in CLOCKS_ALONE)


def _compiled(text: str, dialect: str) -> Expression | None:
    try:
        (expression,) = outputs(f"SELECT {text} AS v FROM t", MODEL, dialect)
        value_mql(expression, Fields())
    except (StatementGap, RenderingGap, WorkloadError):
        return None
    return expression


def _asked(text: str, connection: sa.Connection) -> list[Any] | None:
    """The server's values; None for a statement it refuses."""
    try:
        sql = f"SELECT {text} AS v FROM every_function ORDER BY id"
        return [row[0] for row in connection.exec_driver_sql(sql.replace("%", "%%"))]
    except DBAPIError:
        return None


def _computed(
    compiled: Sequence[tuple[str, Expression]], collection: Collection[dict[str, Any]]
) -> Iterator[tuple[str, list[Any] | OperationFailure]]:
    """MongoDB's values; what fails together is asked for one by one, and gives the error where it fails alone."""
    try:
        found = evaluate(collection, [expression for _, expression in compiled], Fields()) if compiled else []
        yield from zip([text for text, _ in compiled], found, strict=True)
    except OperationFailure as error:
        for one in compiled if len(compiled) > 1 else ():
            yield from _computed([one], collection)
        if len(compiled) == 1:
            yield compiled[0][0], error


def _worth(value: Any) -> Any:
    """JSON that is made, whose numbers have no digits but those they are worth."""
    if isinstance(value, list):
        return [_worth(each) for each in value]
    return (
        float(value) if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else _comparable(value)
    )


def _comparable(value: Any) -> Any:
    """Exact numbers by value; a day as the moment it begins with; a time of day as its text."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, time | timedelta):
        return str(value).rjust(8, "0")
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001
    return ("exact", Decimal(value).normalize()) if isinstance(value, Decimal | int) else value
