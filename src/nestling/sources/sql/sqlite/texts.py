"""Texts of SQLite that MongoDB takes otherwise: some of its functions read to the first NUL, and its texts need not be UTF-8."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.quantity_words import agreeing, counted, first_of
from nestling.sources.sql.probes import counted as rows_where

if TYPE_CHECKING:
    import sqlite3

    from nestling.sources.sql.catalog import Catalog
    from nestling.sources.sql.measure import TableMeasures

_NAMED = 4
_NUL, _NOT_UTF8 = "nul", "not_utf8"
_IS_UTF8 = "nestling_is_utf8"


def measures_of_texts(column: Any) -> Iterator[tuple[str, Any]]:
    """How many texts have a NUL character, and how many are not UTF-8."""
    is_text = sa.func.typeof(column) == "text"
    yield _NUL, rows_where(sa.and_(is_text, sa.func.instr(column, sa.func.char(0)) > 0))
    is_utf8 = getattr(sa.func, _IS_UTF8)(sa.cast(column, sa.LargeBinary))
    yield _NOT_UTF8, sa.func.sum(sa.case((is_text, 1 - is_utf8), else_=0))


def tell_utf8(connection: sqlite3.Connection) -> None:
    """Register the function for `measures_of_texts` that tests bytes; a file in UTF-16 has no such texts."""
    ((encoding,),) = connection.execute("PRAGMA encoding").fetchall()
    connection.create_function(_IS_UTF8, 1, _is_utf8 if encoding == "UTF-8" else lambda _: 1, deterministic=True)


def _is_utf8(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError:
        return 0
    return 1


def notes_on_texts(catalog: Catalog, measures: Mapping[str, TableMeasures]) -> Iterator[str]:
    """A note on the columns with each kind of such texts, if there are any."""
    if found := _columns(catalog, measures, _NUL):
        yield (
            f"{_have(found)} texts with NUL characters: SQLite's LIKE, GLOB, length,"
            " substr, printf, unicode and its date functions read them up to the first NUL, compiled statements read them whole"
        )
    if found := _columns(catalog, measures, _NOT_UTF8):
        yield (
            f"{_have(found)} texts that are not UTF-8: they are stored as bytes and unloaded unchanged, but statements may"
            " mistake them for other values; convert them to UTF-8 in the source to get texts"
        )


def _columns(catalog: Catalog, measures: Mapping[str, TableMeasures], measure: str) -> list[str]:
    return [
        f"`{table.entity}.{column.name}` ({counted(rows, 'row')})"
        for table in catalog.tables
        for column in table.columns
        if (rows := int(measures[table.entity].columns[column.name].get(measure) or 0))
    ]


def _have(found: list[str]) -> str:
    return f"{first_of(found, _NAMED)} {agreeing(len(found), 'has', 'have')}"
