"""The distribution of each column's values: the most common ones and quantiles of the others, one statement per column.

Large tables are sampled. Nothing is recorded for columns whose names suggest secrets, for long texts, for texts that identify
rows rather than group them, for bytes and for nested values.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.distribution import Distribution, as_kind
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.statistics import Origin
from nestling.ir.types import TypeName
from nestling.sources.sql.driver_values import converter
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.row_sql import selected
from nestling.sources.sql.sampling import sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nestling.ir.model import Attribute, Entity
    from nestling.ir.statistics import EntityStatistics
    from nestling.sources.sql.measure import Connected, TableMeasures
    from nestling.sources.sql.row_sql import Tables

PARTS = 20
"""Parts of equally many rows that quantiles cut values into."""
MOST_COMMON = 10
"""Most common values kept; all of them if there are no more."""
CLEARLY = 2
"""How many times as frequent as the average a common value is."""
LEAST_SHARE = 0.002
"""The share of rows a common value has at least: less is chance in a sample, and moves no estimate."""
SAMPLED_ABOVE_ROWS = 100_000
"""Rows that are enough to show a distribution."""
LONGEST_BYTES = 64
"""Columns are recorded only if all texts are at most this long."""
GROUPING = 0.5
"""Distinct values per row up to which texts are taken to group rows and not to name each."""
_SECRET = re.compile(
    r"passw|pwd|secret|token|hash|salt|api_?key|credential|private|cvv|ssn|iban|card_?n", re.IGNORECASE
)
_PLACES = f"""
SELECT v, n, common, up_to, rest, total
FROM (SELECT v, n, common, total,
    sum(CASE WHEN common = 1 THEN 0 ELSE n END) OVER (ORDER BY v) AS up_to,
    sum(CASE WHEN common = 1 THEN 0 ELSE n END) OVER () AS rest
  FROM (SELECT v, n, total,
      CASE WHEN place <= {MOST_COMMON} AND (kinds <= {MOST_COMMON} OR n * kinds > {CLEARLY} * total AND n > {LEAST_SHARE} * total)
        THEN 1 ELSE 0 END AS common
    FROM (SELECT v, n, row_number() OVER (ORDER BY n DESC, v) AS place, sum(n) OVER () AS total, count(*) OVER () AS kinds
      FROM (<rows>) AS g) AS p) AS m) AS a
WHERE common = 1 OR up_to = n
  OR up_to * <parts> - (up_to * <parts>) % nullif(rest, 0) > (up_to - n) * <parts> - ((up_to - n) * <parts>) % nullif(rest, 0)
""".replace("<parts>", f"(CASE WHEN rest < {PARTS} THEN rest ELSE {PARTS} END)")  # noqa: S608 - numbers of ours
"""Rows with a value, its rows, whether it is common, the cumulative rows of other values, and all rows of other values.

A value is included if it is common, the first of the others, or at a quantile: a multiple of the part's size is among its rows.
It is written as text, because it is the same for every column except for the source of values.
"""
_T = TypeName
_NUMBERS = frozenset({_T.INTEGER, _T.FLOAT, _T.DECIMAL})
_TEXTS = frozenset({_T.TEXT, _T.ENUM})
_KEPT = _NUMBERS | _TEXTS | {_T.BOOLEAN, _T.DATE, _T.TIMESTAMP, _T.TIMESTAMPTZ}


def with_values(
    known: EntityStatistics,
    tables: Tables,
    entity: Entity,
    database: Connected,
    measures: TableMeasures,
    *,
    rowid: bool,
) -> EntityStatistics:
    """Add the distribution of values to the entity's statistics; `entity` has the types of the data."""
    table, rows, sampled = tables.table(entity.name), measures.rows, None
    source: Any = table
    if rows > SAMPLED_ABOVE_ROWS:
        sampled = SAMPLED_ABOVE_ROWS
        share = sampled / rows
        source = sample(table, entity, tables.dialect, rowid=rowid, share=share, rows=sampled, fetch=database.row)
    attributes = []
    for name, numbers in known.attributes:
        attribute, values = entity.attribute(name), None
        if _is_kept(attribute, measures):
            column = _ordered_alike(selected(source.c[name], attribute, tables.dialect), attribute, tables.dialect)
            groups = database.all(_rows_of_values(column, source), _places(tables.dialect))
            values = _distribution(groups, attribute, tables.dialect, sampled)
        attributes.append((name, replace(numbers, values=values)))
    return replace(known, attributes=tuple(attributes))


def _places(dialect: str) -> str:
    """The SQL around the rows of values, for a driver."""
    return engine_of(dialect).between_places(_PLACES).replace("%", "%%").replace("<rows>", "%s")


def _is_kept(attribute: Attribute, measures: TableMeasures) -> bool:
    found, kind = measures.columns[attribute.name], attribute.type.name
    if not found["values"] or kind not in _KEPT or _SECRET.search(attribute.name):
        return False
    if attribute.also and not (kind in _NUMBERS and all(other.name in _NUMBERS for other in attribute.also)):
        return False
    if kind not in _TEXTS:
        return True
    return int(found["distinct"]) <= GROUPING * int(found["values"]) and int(found["maximum_bytes"]) <= LONGEST_BYTES


def _ordered_alike(column: Any, attribute: Attribute, dialect: str) -> Any:
    """The column with texts compared by code point and numbers by value, as where the values are used."""
    if dialect == SQLITE and attribute.type.name is _T.DECIMAL:
        return sa.cast(column, sa.REAL)  # they may be texts
    return engine_of(dialect).by_code_point(column) if attribute.type.name in _TEXTS else column


def _rows_of_values(column: Any, source: Any) -> Any:
    """Each value and its rows."""
    grouped = sa.select(column.label("v"), sa.func.count().label("n")).select_from(source)
    return grouped.where(column.is_not(None)).group_by(column)


def _distribution(
    groups: Sequence[Sequence[Any]], attribute: Attribute, dialect: str, sampled: int | None
) -> Distribution | None:
    """The distribution in the statement's rows; None if they are of several kinds."""
    convert = converter(attribute, dialect) or _as_found
    found = [(convert(value), *map(int, numbers)) for value, *numbers in groups]
    if not found or any(as_kind(value, found[0][0]) is None for value, *_ in found):
        return None
    total = found[0][5]
    frequent = sorted((row for row in found if row[2]), key=lambda row: -row[1])
    common = tuple((value, float(f"{n / total:.4g}")) for value, n, *_ in frequent)
    return Distribution(_bounds([row for row in found if not row[2]]), common, Origin.MEASURED, sampled and total)


def _bounds(others: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The first of the others, and the value each part of their rows ends with."""
    if not others:
        return ()
    ordered = sorted(others, key=lambda row: row[3])
    rest = ordered[0][4]
    parts = min(PARTS, rest)
    ends = [max(1, ceil(number * rest / parts)) for number in range(max(parts, 1) + 1)]
    return tuple(next(value for value, _, _, up_to, *_ in ordered if up_to >= end) for end in ends)


def _as_found(value: Any) -> Any:
    return value
