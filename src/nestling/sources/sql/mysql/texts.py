"""How MySQL's collations differ from MongoDB's comparison: trailing blanks, emoji, letters, punctuation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.quantity_words import agreeing, counted, first_of
from nestling.ir.types import CHAR, TypeName
from nestling.sources.sql.mysql.orders import Unlike, unlike
from nestling.sources.sql.probes import counted as rows_where

if TYPE_CHECKING:
    from nestling.sources.sql.catalog import Catalog, CatalogTable, ColumnFacts
    from nestling.sources.sql.measure import TableMeasures

_NAMED = 4
_WEIGHTLESS = ("_general_ci", "_unicode_ci")
"""Collations to which all characters beyond U+FFFF are one."""


def measures_of_texts(column: Any, collation: str) -> Iterator[tuple[str, Any]]:
    """How many values end in a blank, and how many have a character beyond U+FFFF, which takes four bytes of UTF-16.

    Where the collation differs from MongoDB's, also how many have characters with another order, or letters that equal others.
    """
    yield "padded", rows_where(column.like(sa.literal_column("'% '")))
    in_utf16 = sa.func.convert(column.op("USING")(sa.literal_column("utf16")))
    yield "rare", rows_where(sa.func.octet_length(in_utf16) > 2 * sa.func.char_length(column))
    found = unlike(collation)
    to_the_letter = sa.func.convert(column.op("USING")(sa.literal_column("utf8mb4"))).collate("utf8mb4_bin")
    if found.ordered:
        unordered = rows_where(to_the_letter.op("REGEXP")(found.ordered))
        yield "unordered", sa.func.coalesce(unordered, 0) if found.is_usual else sa.func.nullif(unordered, 0)
    if found.equal:
        yield "unequal", rows_where(to_the_letter.op("REGEXP")(found.equal))


def pads(collation: str) -> bool:
    """Whether trailing blanks are ignored: MySQL 8's collations and MariaDB's `nopad` ones do not ignore them."""
    return bool(collation) and not ("nopad" in collation or "_0900_" in collation or collation == "binary")


def notes_on_texts(catalog: Catalog, measures: Mapping[str, TableMeasures]) -> Iterator[str]:
    """Notes on blanks at the end where they do not count, on rare characters where they are all equal, on orders and letters."""
    texts = [
        (t, c)
        for t in catalog.tables
        for c in t.columns
        if c.type.name is TypeName.TEXT and c.type.carried in ("", CHAR)
    ]
    padding = [(table, column) for table, column in texts if pads(column.collated) and not column.type.is_char]
    found = sorted(_having("padded", padding, measures), key=lambda each: not _is_unique(*each[:2]))
    tell = "MySQL treats 'a ' and 'a' as equal (PAD SPACE) in `=`, GROUP BY and unique keys; MongoDB does not"
    if found:
        named = _named(found)
        do = "trim them in the source before loading: `SET c = TRIM(TRAILING ' ' FROM c)`"
        yield f"texts of {named} end in blanks: {tell}; {do}"
    elif padding:
        columns = counted(len(padding), "column")
        yield f"{tell}: this concerns {columns}, where no text ends in a blank yet; trim texts before writing them"
    weightless = [(table, column) for table, column in texts if column.collated.endswith(_WEIGHTLESS)]
    if rare := [*_having("rare", weightless, measures)]:
        have = agreeing(len(rare), "has", "have")
        equal = "the source's collation treats all of these as equal, MongoDB does not"
        yield f"{_named(rare)} {have} characters beyond U+FFFF, such as emoji: {equal}"
    yield from _on_letters(texts, measures)
    yield from _on_order(texts, measures)


def _on_letters(texts: list[tuple[CatalogTable, ColumnFacts]], measures: Mapping[str, TableMeasures]) -> Iterator[str]:
    if found := [*_having("unequal", texts, measures)]:
        have = agreeing(len(found), "has", "have")
        yield (
            f"{_named(found)} {have} letters such as `ß`, `ø` or `ł`, which equal other letters under {_rules(found)} than on"
            " MongoDB: `=`, GROUP BY and unique keys may differ for them"
        )


def _on_order(texts: list[tuple[CatalogTable, ColumnFacts]], measures: Mapping[str, TableMeasures]) -> Iterator[str]:
    """A note for each way to order texts otherwise."""
    otherwise: dict[Unlike, list[tuple[CatalogTable, ColumnFacts]]] = {}
    for table, column in texts:
        if (way := unlike(column.collated)).ordered:
            otherwise.setdefault(way, []).append((table, column))
    for way, columns in otherwise.items():
        if found := [*_having("unordered", columns, measures)]:
            have = agreeing(len(found), "has", "have")
            yield (
                f"{_named(found, tells_unique=False)} {have} characters that sort differently on MongoDB"
                f" (by {_rules(found)} {way.example}): ORDER BY, `<`, BETWEEN, MIN and MAX may differ for such texts;"
                " if that matters, name a collation `…_bin` in the statement: both sort alike by it"
            )
        elif way.is_usual:
            yield (
                f"some characters sort differently on MongoDB (by {_rules(columns)} {way.example}): none occurs in"
                f" {counted(len(columns), 'column')} yet; until then ORDER BY, `<`, BETWEEN, MIN and MAX agree"
            )


def _rules(columns: Iterable[tuple[Any, ...]]) -> str:
    return first_of(sorted({f"`{column.collated}`" for _, column, *_ in columns}), _NAMED)


def _having(
    measure: str, columns: list[tuple[CatalogTable, ColumnFacts]], measures: Mapping[str, TableMeasures]
) -> Iterator[tuple[CatalogTable, ColumnFacts, int]]:
    for table, column in columns:
        if rows := int(measures[table.entity].columns[column.name].get(measure) or 0):
            yield table, column, rows


def _named(found: Iterable[tuple[CatalogTable, ColumnFacts, int]], *, tells_unique: bool = True) -> str:
    """The first few columns, with the rows that have something, and whether they must be unique."""
    return first_of(
        [
            f"`{table.entity}.{column.name}` ({counted(rows, 'row')}{_unique(table, column) if tells_unique else ''})"
            for table, column, rows in found
        ],
        _NAMED,
    )


def _is_unique(table: CatalogTable, column: ColumnFacts) -> bool:
    return any(column.name in group for group in (table.key, *table.uniques))


def _unique(table: CatalogTable, column: ColumnFacts) -> str:
    return ", in a unique key" if _is_unique(table, column) else ""
