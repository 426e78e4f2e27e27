"""SQLite's affinities [1]: how the words in a column's type affect numbers stored in it.

[1]: https://www.sqlite.org/datatype3.html#determination_of_column_affinity
"""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.model import Attribute
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.types import FLOAT, INTEGER, TypeName
from nestling.sources.defaults import retyped

_OTHERS = ("int", "char", "clob", "text", "blob", "real", "floa", "doub")
"""Words of every other affinity."""


def is_numeric(declared: str) -> bool:
    """Whether a column of that type has NUMERIC affinity: it keeps a whole number as an integer, another as a float."""
    words = declared.strip().lower()
    return words not in ("", "any") and not any(part in words for part in _OTHERS)


def with_affinity(attribute: Attribute, declared: str, dialect: str) -> Attribute:
    """The attribute; in SQLite, which has no decimals, one declared so holds floats and integers."""
    if dialect != SQLITE or attribute.type.name is not TypeName.DECIMAL or not is_numeric(declared):
        return attribute
    return replace(attribute, type=FLOAT, also=(INTEGER,), default=retyped(attribute.default, FLOAT))
