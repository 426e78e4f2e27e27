"""Conceptual types: what an attribute may hold, whatever database it came from.

A type has one text form (`decimal(10,2)`, `array(text)`, `enum('M','F')`) that `Type.parse` reads back. How each type is
stored in BSON is `nestling.ir.values`' business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from nestling.common.errors import InputError, Problem, unknown
from nestling.ir.text.sql_quotes import sql_text


class TypeName(StrEnum):
    """The closed set of conceptual types."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"  # decimal(precision, scale): exact
    FLOAT = "float"
    TEXT = "text"  # text(length)
    BYTES = "bytes"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"  # timestamp(digits): fraction digits really present; more than 3 do not fit a BSON date
    TIMESTAMPTZ = "timestamptz"  # an instant, normalised to UTC
    INTERVAL = "interval"
    UUID = "uuid"
    OBJECT_ID = "objectid"  # MongoDB's own; as text, 24 hexadecimal digits
    JSON = "json"
    ENUM = "enum"  # enum('a', 'b')
    BITS = "bits"
    ARRAY = "array"  # array(element)
    GEOMETRY = "geometry"
    ANY = "any"  # a column without a type


_OTHER_NAMES = {
    **dict.fromkeys(("string", "str", "varchar", "char", "character", "nvarchar", "clob", "citext"), "text"),
    **dict.fromkeys(("int", "long", "bigint", "smallint", "tinyint", "serial", "int32", "int64"), "integer"),
    **dict.fromkeys(("double", "real", "float64"), "float"),
    **dict.fromkeys(("number", "numeric", "money", "decimal128"), "decimal(12, 2)"),
    **dict.fromkeys(("datetime", "instant", "isodate"), "timestamptz"),
    **dict.fromkeys(("binary", "blob", "bytea", "bindata"), "bytes"),
    **dict.fromkeys(("object", "document", "map", "jsonb"), "json"),
    **dict.fromkeys(("list", "set"), "array(text)"),
    "bool": "boolean",
    "bit": "bits",
}
"""What others call the types: an error says what is written here."""

NUMBERS = frozenset({TypeName.INTEGER, TypeName.DECIMAL, TypeName.FLOAT})
EXACT_NUMBERS = NUMBERS - {TypeName.FLOAT}
MACHINE_NUMBERS = NUMBERS - {TypeName.DECIMAL}
MOMENTS = frozenset({TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ})
TIMES = MOMENTS | {TypeName.DATE}
BSON_DIGITS = 3
"""Fraction digits of a second that a BSON date keeps; timestamps with more are ISO text."""
ORDERED_ALIKE = MACHINE_NUMBERS | {TypeName.DATE, TypeName.TIMESTAMP}
"""What all databases put into one order."""
TEXTS = frozenset({TypeName.TEXT, TypeName.ENUM})
"""Types whose values a collation compares."""
NEVER_TEXT = NUMBERS | TIMES | {TypeName.BOOLEAN, TypeName.BYTES, TypeName.UUID, TypeName.OBJECT_ID}
"""Types none of whose values is stored as a text that a collation could compare."""
OF_DIGITS = frozenset({TypeName.TIME, TypeName.BITS})
"""Types kept as texts of digits, which every collation compares alike."""
KEPT_AS_TEXT = TEXTS | {TypeName.TIME, TypeName.INTERVAL, TypeName.BITS}
"""Types all of whose values are stored as texts."""
MAY_BE_ARRAYS = frozenset({TypeName.ARRAY, TypeName.JSON})
ELEMENTWISE = MAY_BE_ARRAYS | {TypeName.ANY}
"""Types whose values the server may sort and compare element by element."""
COMPOSITE = MAY_BE_ARRAYS | {TypeName.GEOMETRY}
"""Types whose values are made of parts: no keys of an index, and nothing to group or find rows by."""
COMPARED_BY_PARTS = COMPOSITE | {TypeName.BITS, TypeName.ANY}
"""Types whose stored values the server does not compare as SQL does."""
REAL, NAN, CHAR = "real", "nan", "char"
"""How values are carried: numbers with single precision, or with some NaN; `char(n)` without its trailing blanks, which
PostgreSQL shows and MySQL does not.
"""
JSONB = "jsonb"
"""How JSON is carried of which no text is kept: of a key that is there twice PostgreSQL keeps the last."""
CHECKED = "checked"
"""How JSON is carried in SQLite if a CHECK says that every value is JSON: anything else is refused."""
MADE = "made"
"""How JSON built by a statement is carried: its numbers keep their values, not their digits."""
TIMETZ, DURATION = "timetz", "duration"
"""How times are carried that have a zone, which PostgreSQL compares by the instant, or that may be negative or of many hours."""
YEAR, SET, SINGLE = "year", "set", "single"
"""How MySQL's types are carried: years, compared with which 99 means 1999; texts of listed labels, stored in the order of
these; and FLOAT, whose single-precision numbers MySQL computes with as doubles.
"""
SUBTYPE = "subtype"
"""How bytes are carried that MongoDB has as binary of a subtype of their own: `bytes as subtype 3`, UUIDs of old drivers."""
KEPT_SUBTYPES = frozenset({0, 4, 128, 129, 130})
"""Subtypes of binary that other types stand for: bytes, UUIDs, and those of our own."""
FILES = frozenset({TypeName.BYTES, TypeName.TEXT})
"""Types whose values may be files of their own."""

_TEXT_FORM = re.compile(r"^\s*([a-z]+)\s*(?:\((.*)\))?\s*?(?:\s+as\s+(\w[\w ]*?))?\s*$", re.DOTALL)
_SUBTYPE = re.compile(rf"{SUBTYPE} (\d{{1,3}})", re.ASCII)
_ENUM_VALUE = re.compile(r"'((?:[^']|'')*)'")
_ENUM_VALUES = re.compile(r"\s*'(?:[^']|'')*'\s*(?:,\s*'(?:[^']|'')*'\s*)*")


@dataclass(frozen=True, slots=True)
class Type:
    """A conceptual type: its name, its numbers (precision, scale, length, digits), its values or its element.

    A decimal's third number is how many digits after the point MySQL computes with, if it shows fewer.
    `carried` is the source's word for a type whose values are stored as this type's, but not compared or shown as these are;
    for numbers, `NAN` if some are NaN.
    """

    name: TypeName
    numbers: tuple[int, ...] = ()
    values: tuple[str, ...] = ()
    element: Type | None = None
    carried: str = ""

    def __post_init__(self) -> None:
        if (self.element is not None) != (self.name is TypeName.ARRAY):
            raise InputError(Problem(what=f"type `{self.name}`: an array needs an element type, other types have none"))
        if bool(self.values) != (self.name is TypeName.ENUM) and not self._is_set:
            raise InputError(
                Problem(
                    what=f"type `{self.name}`: an enum must list its values; apart from it only a text that is a set may"
                )
            )
        if self.name is TypeName.BYTES and self.carried and not self.subtype:
            what = f"type `{self}`: bytes cannot have a binary subtype that belongs to another type"
            raise InputError(Problem(what, next_move="write `bytes as subtype 3`"))

    def __str__(self) -> str:
        if self.element is not None:
            return f"array({self.element})"
        inner = ", ".join(map(sql_text, self.values)) or ",".join(map(str, self.numbers))
        text = f"{self.name}({inner})" if inner else str(self.name)
        return f"{text} as {self.carried}" if self.carried else text

    @property
    def _is_set(self) -> bool:
        return self.name is TypeName.TEXT and self.carried == SET

    @property
    def subtype(self) -> int:
        """The subtype of binary that bytes are stored as, where it is one of their own; else 0."""
        return subtype_of(self.carried) if self.name is TypeName.BYTES else 0

    @property
    def fraction_digits(self) -> int:
        """Fraction digits a timestamp's values really use (a BSON date keeps three)."""
        return self.numbers[0] if self.numbers and self.name in MOMENTS else 0

    @property
    def is_without_nan(self) -> bool:
        """Whether values are numbers with a fraction, none of which is NaN."""
        return self.name in NUMBERS - {TypeName.INTEGER} and NAN not in self.carried.split()

    @property
    def is_char(self) -> bool:
        """Whether values are of `char(n)`; without a length where they are of several."""
        return self.name is TypeName.TEXT and self.carried == CHAR

    @staticmethod
    def parse(text: str) -> Type:
        """Read a type's text form; raises `InputError` naming the known types."""
        match = _TEXT_FORM.match(text)
        if match is None or match[1] not in set(TypeName):
            word = match[1] if match else text
            meant = _OTHER_NAMES.get(word.lower())
            problem = unknown("type", word, TypeName)
            raise InputError(problem if meant is None else replace(problem, known="", next_move=f"write `{meant}`"))
        name, inner = TypeName(match[1]), match[2]
        if name is TypeName.ARRAY:
            return Type(name, element=Type.parse(inner or "any"))
        if name is TypeName.ENUM and not _ENUM_VALUES.fullmatch(inner or ""):
            raise InputError(
                Problem(what=f"type `{text}`: an enum must list its values", next_move="write `enum('a', 'b')`")
            )
        if name is TypeName.ENUM or (match[3] == SET and _ENUM_VALUES.fullmatch(inner or "")):
            values = tuple(found[1].replace("''", "'") for found in _ENUM_VALUE.finditer(inner or ""))
            return Type(name, values=values, carried=match[3] or "")
        try:
            numbers = tuple(int(part) for part in inner.split(",")) if inner else ()
        except ValueError:
            raise InputError(Problem(what=f"type `{text}`: the part in parentheses must be whole numbers")) from None
        return Type(name, numbers, carried=match[3] or "")


ANY_CHAR = Type(TypeName.TEXT, carried=CHAR)
"""Values that are `char` of several lengths."""
INTEGER, TEXT, FLOAT, BOOLEAN = (
    Type(name) for name in (TypeName.INTEGER, TypeName.TEXT, TypeName.FLOAT, TypeName.BOOLEAN)
)
DATE, TIMESTAMP, TIMESTAMPTZ = (Type(name) for name in (TypeName.DATE, TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ))


def subtype_of(carried: str) -> int:
    """The subtype of binary that a word for how values are carried names; 0 for any other."""
    found = _SUBTYPE.fullmatch(carried)
    return int(found[1]) if found and int(found[1]) < 256 and int(found[1]) not in KEPT_SUBTYPES else 0


def bit_count(kind: Type) -> int:
    """How many digits the bits of MySQL's type have: one where it does not say."""
    return kind.numbers[0] if kind.numbers else 1


def is_text_apart(kind: Type) -> bool:
    """Whether values are kept as texts that are not in their order: of `inet`, of times with a zone."""
    return kind.carried not in ("", CHAR, SET) and kind.name in KEPT_AS_TEXT


def is_ordered_as_stored(kind: Type) -> bool:
    """Whether an index has the values in their order: not intervals, nor bytes, of which the server puts shorter ones first."""
    return (
        kind.name not in (TypeName.INTERVAL, TypeName.BYTES)
        and not is_text_apart(kind)
        and NAN not in kind.carried.split()
    )
