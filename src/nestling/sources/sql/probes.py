"""The SQL expressions that measure one column, by dialect: one row of aggregates has all measurements of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.types import TypeName
from nestling.sources.sql.engines import engine_of

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


def probes(attribute: Attribute, column: Any, dialect: str, collation: str = "") -> Iterator[tuple[str, Any]]:
    """The measures of a column, each named; all are aggregates. `collation`: its name at the source."""
    name, engine = attribute.type.name, engine_of(dialect)
    yield "values", sa.func.count(column)
    if name not in _NOT_COMPARED:
        as_text = name in engine.texts_to_compare
        yield "distinct", sa.func.count(sa.distinct(sa.cast(column, sa.Text) if as_text else column))
    if name is _T.INTEGER:
        yield "least", sa.func.min(column)
        yield "most", sa.func.max(column)
    elif name not in FIXED_BYTES or engine.measures_all_widths:
        length = engine.byte_length(column, name)
        yield "average_bytes", sa.func.avg(length)
        yield "maximum_bytes", sa.func.max(length)
    yield from engine.probes(name, column, collation)


def counted(condition: Any) -> Any:
    """The number of rows that meet a condition, as an expression."""
    return sa.func.sum(sa.case((condition, 1), else_=0))


def odd_dates(column: Any, before_christ: str) -> Any:
    """Whether a finite date is before year 1 or after 9999, so that Python cannot represent it."""
    text = sa.cast(column, sa.Text)
    beyond = sa.or_(text.like(before_christ), sa.func.date_part("year", column) > 9999)
    return sa.and_(sa.func.isfinite(column), beyond)


def digits(column: Any) -> Iterator[tuple[str, Any]]:
    """How many moments have more than milliseconds, and more than seconds."""
    micros = sa.cast(sa.func.date_part("microseconds", column), sa.BigInteger)
    for precision, step in (("micro", 1_000), ("milli", 1_000_000)):
        yield precision, counted(sa.and_(sa.func.isfinite(column), micros % step != 0))
