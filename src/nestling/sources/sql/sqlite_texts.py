"""What SQLite makes of texts with NUL characters: some functions read them to the first one, MongoDB reads all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.quantity_words import agreeing, counted, first_of
from nestling.sources.sql.probes import counted as rows_where

if TYPE_CHECKING:
    from nestling.sources.sql.catalog import Catalog
    from nestling.sources.sql.measure import TableMeasures

_NAMED = 4
_MEASURE = "nul"


def measures_of_texts(column: Any) -> Iterator[tuple[str, Any]]:
    """How many texts have a NUL character."""
    yield _MEASURE, rows_where(sa.and_(sa.func.typeof(column) == "text", sa.func.instr(column, sa.func.char(0)) > 0))


def notes_on_texts(catalog: Catalog, measures: Mapping[str, TableMeasures]) -> Iterator[str]:
    """A note on the columns with such texts; none where there are none."""
    found = [
        f"`{table.entity}.{column.name}` ({counted(rows, 'row')})"
        for table in catalog.tables
        for column in table.columns
        if (rows := int(measures[table.entity].columns[column.name].get(_MEASURE) or 0))
    ]
    if found:
        have = agreeing(len(found), "has", "have")
        yield (
            f"{first_of(found, _NAMED)} {have} texts with NUL characters: SQLite's LIKE, GLOB, length,"
            " substr, printf, unicode and its functions of dates read them to the first NUL, a compiled statement reads all"
        )
