"""Differences between texts in a PostgreSQL database and in statements on MongoDB.

The database may sort texts by a language's rules, while those statements sort them by code point. And letters may have another
upper or lower case: by a language, by ICU, or in the C locale only for A to Z.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from nestling.ir.quantity_words import counted
from nestling.ir.value_forms.letter_case import LOWER_OF, UPPER_OF, known_case

_COLLATIONS = """
SELECT found.name, count(*) FROM (
  SELECT CASE WHEN k.collname <> 'default' THEN k.collname::text
    WHEN to_jsonb(d)->>'datlocprovider' = 'i' THEN COALESCE(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale')
    WHEN to_jsonb(d)->>'datlocprovider' = 'b' THEN 'C' ELSE d.datcollate::text END AS name
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_collation k ON k.oid = a.attcollation JOIN pg_database d ON d.datname = current_database()
  WHERE c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
    AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%') found
WHERE upper(replace(found.name, '-', '')) NOT IN ('C', 'POSIX', 'C.UTF8', 'UCS_BASIC', 'PG_C_UTF8')
GROUP BY 1 ORDER BY 1"""


_CASE = """
SELECT CASE to_jsonb(d)->>'datlocprovider'
    WHEN 'i' THEN COALESCE(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale')
    WHEN 'b' THEN to_jsonb(d)->>'datlocale' ELSE datctype::text END, pg_encoding_to_char(encoding)
FROM pg_database d WHERE datname = current_database()"""
_NAMED = """
SELECT DISTINCT quote_ident(s.nspname) || '.' || quote_ident(k.collname), k.collname::text
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_collation k ON k.oid = a.attcollation JOIN pg_namespace s ON s.oid = k.collnamespace
WHERE c.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped AND k.collname <> 'default'
  AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY 1"""
_LETTERS = """
SELECT letter, lower(letter{collate}), upper(letter{collate})
FROM (SELECT chr(code) AS letter FROM (VALUES {ranges}) AS r (low, high), generate_series(low, high) AS code) AS every
WHERE lower(letter{collate}) <> letter OR upper(letter{collate}) <> letter
UNION ALL SELECT '{word}', lower('{word}'{collate}), upper('{word}'{collate})"""
_RANGES = (
    (0x41, 0x2D2D), (0xA640, 0xABBF), (0xFB00, 0xFF5A), (0x10400, 0x10CFF), (0x118A0, 0x118DF), (0x16E40, 0x16E7F),
    (0x1E900, 0x1E943),
)  # fmt: skip
"""Where letters have another case."""
_WORD = "ΑΣ"
"""A word whose last letter has a special lower-case form at the end of a word."""
_SHOWN = 5
"""How many differing letters a note shows."""


def case_of_letters(cursor: Any) -> Iterator[str]:
    """A note where letters have another case than on MongoDB: of the database, and of each collation columns name."""
    cursor.execute(_CASE)
    ((locale, encoding),) = cursor.fetchall()
    whose = f"the database's locale `{locale}`"
    if encoding == "UTF8":
        yield from _other_case(cursor, "", whose)
        cursor.execute(_NAMED)
        for quoted, name in cursor.fetchall():
            yield from _other_case(cursor, f" COLLATE {quoted}", f"the collation `{name}` of columns")
    elif locale in ("C", "POSIX"):
        yield _A_TO_Z.format(whose=whose)


_A_TO_Z = "{whose} handles case for A to Z only: on MongoDB `upper`, `lower` and `ILIKE` also convert other letters"


def _other_case(cursor: Any, collate: str, whose: str) -> Iterator[str]:
    ranges = ", ".join(map(str, _RANGES))
    cursor.execute(_LETTERS.format(collate=collate, ranges=ranges, word=_WORD))
    found = {letter: (lower, upper) for letter, lower, upper in cursor.fetchall()}
    ours = _our_case()
    more = {each: (each, each) for each in found.keys() - ours.keys() if known_case(each)} | {_WORD: _case_of(_WORD)}
    other = sorted(each for each, case in (ours | more).items() if found.get(each, (each, each)) != case)
    if all(each.isascii() for each in found if each != _WORD):
        yield _A_TO_Z.format(whose=whose)
    elif other:
        shown = ", ".join(f"`{each}`" for each in other[:_SHOWN]) + (" and others" if len(other) > _SHOWN else "")
        here = "on MongoDB `upper`, `lower` and `ILIKE` use the C library's"
        yield f"{whose} has a different upper or lower case for {shown}: {here}"


@cache
def _our_case() -> dict[str, tuple[str, str]]:
    """The lower and upper case of all letters that have another here, as far as every database has the same."""
    return {each: _case_of(each) for each in map(chr, (*LOWER_OF, *UPPER_OF)) if known_case(each)}


def _case_of(text: str) -> tuple[str, str]:
    return text.translate(LOWER_OF), text.translate(UPPER_OF)


def orders_of_languages(cursor: Any) -> Iterator[str]:
    """A note for each such collation."""
    cursor.execute(_COLLATIONS)
    for name, count in cursor.fetchall():
        columns = counted(count, "column")
        yield f"texts of {columns} are ordered by the collation `{name}`: on MongoDB upper case sorts before lower case"
