"""The SQL expressions that measure one column, by dialect: one row of aggregates answers everything asked of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.common.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nestling.ir.model import Attribute

_T = TypeName
FIXED_BYTES = {
    **dict.fromkeys((_T.FLOAT, _T.DATE, _T.TIMESTAMP, _T.TIMESTAMPTZ), 8),
    **dict.fromkeys((_T.DECIMAL, _T.UUID), 16),
    _T.BOOLEAN: 1,
}
"""Bytes of a BSON value of each type whose values are all of one size."""
_NOT_COMPARED = (_T.BYTES, _T.GEOMETRY)
_NOT_ALWAYS_EQUAL = (_T.JSON, _T.ARRAY, _T.ANY, _T.TEXT)
"""Types that stand for some PostgreSQL types without an equality operator: json, and xml carried as text."""
_DATES = (_T.DATE, _T.TIMESTAMP, _T.TIMESTAMPTZ)
_DAY = "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]"
_CLOCK = f"{_DAY} [0-2][0-9]:[0-5][0-9]:[0-5][0-9]"
FORMATS = {"day": _DAY, "second": _CLOCK, "milli": f"{_CLOCK}.[0-9][0-9][0-9]", "micro": _CLOCK + "." + "[0-9]" * 6}
"""Canonical texts of dates and timestamps in SQLite, by their precision, as GLOB patterns."""
STORAGE = ("integer", "real", "text", "blob")


def probes(attribute: Attribute, column: Any, dialect: str) -> Iterator[tuple[str, Any]]:
    """The measures of a column, each named; all are aggregates."""
    name = attribute.type.name
    yield "values", sa.func.count(column)
    if name not in _NOT_COMPARED:
        as_text = dialect == POSTGRESQL and name in _NOT_ALWAYS_EQUAL
        yield "distinct", sa.func.count(sa.distinct(sa.cast(column, sa.Text) if as_text else column))
    if name is _T.INTEGER:
        yield "least", sa.func.min(column)
        yield "most", sa.func.max(column)
    elif name not in FIXED_BYTES or dialect == SQLITE:
        length = byte_length(column, dialect)
        yield "average_bytes", sa.func.avg(length)
        yield "maximum_bytes", sa.func.max(length)
    yield from {SQLITE: _sqlite, POSTGRESQL: _postgresql, MYSQL: _mysql}[dialect](name, column)


def byte_length(column: Any, dialect: str) -> Any:
    """Bytes of a value's text or of its bytes."""
    if dialect == SQLITE:
        return sa.func.length(sa.cast(column, sa.LargeBinary))
    return sa.func.octet_length(sa.cast(column, sa.Text)) if dialect == POSTGRESQL else sa.func.octet_length(column)


def counted(condition: Any) -> Any:
    """How many rows meet a condition."""
    return sa.func.sum(sa.case((condition, 1), else_=0))


def _sqlite(name: TypeName, column: Any) -> Iterator[tuple[str, Any]]:
    for storage in STORAGE:
        yield storage, counted(sa.func.typeof(column) == storage)
    if name in _DATES:
        for precision, pattern in FORMATS.items():
            canonical = sa.and_(
                sa.func.typeof(column) == "text", column.op("GLOB")(pattern), _is_a_time(column, pattern)
            )
            yield precision, counted(canonical)
    if name is _T.BOOLEAN:
        yield "truths", counted(sa.and_(sa.func.typeof(column) == "integer", column.in_([0, 1])))


def _is_a_time(column: Any, pattern: str) -> Any:
    """Whether the calendar has the time a canonical text says: SQLite makes 2 March of 30 February."""
    made, length = (sa.func.date, 10) if pattern == _DAY else (sa.func.datetime, 19)
    whole = sa.func.substr(column, 1, length)
    return sa.and_(made(whole, "+0 days") == whole, column >= "0001")


def _postgresql(name: TypeName, column: Any) -> Iterator[tuple[str, Any]]:
    if name in _DATES:
        text = sa.cast(column, sa.Text)
        yield (
            "odd",
            counted(sa.or_(~sa.func.isfinite(column), text.like("%BC"), sa.func.date_part("year", column) > 9999)),
        )
    if name in (_T.TIMESTAMP, _T.TIMESTAMPTZ):
        micros = sa.cast(sa.func.date_part("microseconds", column), sa.BigInteger)
        for precision, step in (("micro", 1_000), ("milli", 1_000_000)):
            yield precision, counted(sa.and_(sa.func.isfinite(column), micros % step != 0))


def _mysql(name: TypeName, column: Any) -> Iterator[tuple[str, Any]]:
    if name in _DATES:
        yield "odd", counted(sa.or_(sa.func.month(column) == 0, sa.func.dayofmonth(column) == 0))
    if name in (_T.TIMESTAMP, _T.TIMESTAMPTZ):
        yield "micro", counted(sa.func.microsecond(column) % 1000 != 0)
        yield "milli", counted(sa.func.microsecond(column) != 0)
