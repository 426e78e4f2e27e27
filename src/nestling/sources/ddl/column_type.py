"""A column's type, as DDL or a database's catalogue has it, to the conceptual type.

A word no dialect knows is text and a gap, except in SQLite, which takes any word and derives an affinity from it [1].

[1]: https://www.sqlite.org/datatype3.html#determination_of_column_affinity
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nestling.ir.constraints.allowed import Allowed
from nestling.ir.constraints.declared_types import type_mistake
from nestling.ir.fraction import MOST_DIGITS, Fraction, has_fraction
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.types import (
    BOOLEAN,
    CHAR,
    INTEGER,
    JSONB,
    NUMBERS,
    REAL,
    SET,
    SINGLE,
    TEXTS,
    TIMETZ,
    YEAR,
    Type,
    TypeName,
)
from nestling.sources.checks import compares_plainly
from nestling.sources.ddl.cursor import Cursor, Name, NotUnderstood, as_sql, as_text
from nestling.sources.ddl.tokens import Token, TokenKind, tokens
from nestling.sources.remarks import carried
from nestling.sources.tables import CheckConstraint

_T = TypeName
_WORDS: Mapping[TypeName, str] = {
    _T.BOOLEAN: "boolean bool",
    _T.INTEGER: "integer int bigint smallint tinyint mediumint int1 int2 int3 int4 int8 middleint year oid serial bigserial "
    "smallserial serial2 serial4 serial8 unsigned/big/int big/int",
    _T.DECIMAL: "numeric decimal dec fixed number",
    _T.FLOAT: "real double double/precision float float4 float8",
    _T.TEXT: "text character/varying varchar character char bpchar name nchar nvarchar clob tinytext mediumtext longtext ntext "
    "varying/character native/character national/varchar national/char national/character national/character/varying varchar2 "
    "char/varying string long/varchar set",
    _T.BYTES: "bytea blob tinyblob mediumblob longblob binary varbinary image raw",
    _T.DATE: "date",
    _T.TIME: "time time/without/time/zone time/with/time/zone timetz",
    _T.TIMESTAMP: "datetime timestamp timestamp/without/time/zone datetime2 smalldatetime",
    _T.TIMESTAMPTZ: "timestamp/with/time/zone timestamptz datetimeoffset",
    _T.INTERVAL: "interval",
    _T.UUID: "uuid guid uniqueidentifier",
    _T.JSON: "json jsonb",
    _T.BITS: "bit bit/varying varbit",
    _T.GEOMETRY: "geometry geography point line lseg box path polygon circle linestring multipoint multilinestring multipolygon "
    "geometrycollection geomcollection",
}
_NAMES = {word.replace("/", " "): name for name, words in _WORDS.items() for word in words.split()}
NAMES_IN_SQLITE = _NAMES | {
    "decimal_text": _T.DECIMAL,
    "time_text": _T.TIME,
    "duration_text": _T.INTERVAL,
    "uuid_text": _T.UUID,
    "json_text": _T.JSON,
    "bits_text": _T.BITS,
    "objectid_text": _T.OBJECT_ID,
    "boolean_blob": _T.BOOLEAN,
    "number_blob": _T.INTEGER,
    "decimal_blob": _T.DECIMAL,
    "float_blob": _T.FLOAT,
    "string_blob": _T.TEXT,
    "date_blob": _T.DATE,
    "time_blob": _T.TIME,
    "timestamp_blob": _T.TIMESTAMP,
    "timestamptz_blob": _T.TIMESTAMPTZ,
    "duration_blob": _T.INTERVAL,
    "uuid_blob": _T.UUID,
    "json_blob": _T.JSON,
    "bits_blob": _T.BITS,
    "objectid_blob": _T.OBJECT_ID,
}
"""With the words that columns are declared by when rows are written to SQLite."""
AS_TEXT = (
    "inet", "cidr", "macaddr", "macaddr8", "inet4", "inet6", "xml", "tsvector", "tsquery", "money", "hstore", "ltree",
    "regclass", "pg_lsn", "cube", "vector", "int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange",
)  # fmt: skip
_CARRIED = {
    POSTGRESQL: {REAL: REAL, "float4": REAL, JSONB: JSONB, TIMETZ: TIMETZ, "time with time zone": TIMETZ},
    MYSQL: {YEAR: YEAR, "float": SINGLE, "float4": SINGLE},
}
"""By dialect, words for types that differ from the conceptual one."""
_FILLED = {
    POSTGRESQL: ("character", "char", "bpchar", "nchar", "national character", "national char"),
    MYSQL: ("character", "char", "nchar", "national character", "national char"),
}
"""By dialect, texts whose blanks at the end are none of the value's."""
_SINGLE_DIGITS = 24
"""Binary digits of single precision."""
_COUNTED = (_T.DECIMAL, _T.TEXT, _T.BITS)
_MOST_SAID = 20
"""Digits of a number in a type that are looked at; one with so many is none that a type has."""
_MODIFIERS = ("UNSIGNED", "SIGNED", "ZEROFILL", "BINARY", "ASCII", "UNICODE", "BYTE")
_OF_BYTES = re.compile(r"\bBYTE\b|\b(?:SET|CHARSET) BINARY\b")
_UNSIGNED = ("UNSIGNED", "ZEROFILL", "SERIAL")
_NARROW = ("tinyint", "smallint", "mediumint", "int", "integer", "int1", "int2", "int3", "int4", "middleint")
_INTERVAL_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO")


@dataclass(frozen=True, slots=True)
class ReadType:
    """A type read: what it is, and what a person should know (`gap`: something is lost; `note`: nothing is)."""

    type: Type
    not_null: bool = False
    gap: str = ""
    note: str = ""
    counted: bool = False  # serial: the database counts it up
    checks: tuple[CheckConstraint, ...] = ()  # a domain's
    default: str = ""  # a domain's, as SQL
    plain: bool = False  # whether its values are compared as the conceptual ones are
    collation: Collation | None = None  # its own, whatever the table's
    allowed: Allowed | None = None  # what of the type's values it takes
    narrow: bool = False  # an integer of less than 64 bits, whose width is not kept
    fraction: Fraction | None = None  # what a time keeps of a second


UserTypes = Mapping[Name, ReadType]
"""Types the DDL itself creates: enums and domains."""


def read_type(typed: Sequence[Token], dialect: str, user_types: UserTypes) -> ReadType:
    """The conceptual type those tokens declare; no tokens are a column without a type."""
    if not typed:
        return ReadType(Type(_T.ANY))
    cursor = Cursor(typed)
    if (found := _user_type(cursor, user_types)) is None:
        found = _built_in(cursor, dialect)
        found = _possible(found)
        found = replace(found, plain=compares_plainly(as_sql(typed, dialect), found.type, dialect))
        found = _of_mysql(found, typed) if dialect == MYSQL else found
    return _array(cursor, found)


def catalogued_type(declared: str, dialect: str, labels: Sequence[str] = ()) -> ReadType:
    """The conceptual type of a column by its database's catalogue; `labels` are those of a PostgreSQL enum.

    MySQL's `tinyint(1)` is a number there: its values tell whether it is a truth.
    """
    words = list(tokens(declared, dialect))
    if not words:
        return ReadType(Type(_T.ANY))
    cursor = Cursor(words)
    try:
        if labels:
            cursor.qualified_name()
            return _array(cursor, ReadType(Type(_T.ENUM, values=tuple(labels))))
        found = read_type(words, dialect, {})
    except NotUnderstood:
        return _unknown(declared.lower(), (), dialect)
    is_flag = dialect == MYSQL and found.type == BOOLEAN
    return replace(_of_mysql(replace(found, type=INTEGER), words), narrow=False) if is_flag else found


def _array(cursor: Cursor, found: ReadType) -> ReadType:
    """An array of what was read, when dimensions follow: PostgreSQL does not fix how many there are."""
    dimensions = cursor.accept("ARRAY")
    while not cursor.done:
        dimensions |= cursor.take().key == "["
    if not dimensions:
        return found
    kind = Type(_T.ARRAY, element=found.type)
    return ReadType(kind, gap=found.gap, note=found.note, collation=found.collation, fraction=found.fraction)


def _user_type(cursor: Cursor, user_types: UserTypes) -> ReadType | None:
    if cursor.peek().kind not in (TokenKind.WORD, TokenKind.NAME):
        return None
    qualified = cursor.peek(1).key == "."
    schema, name = (cursor.peek().text, cursor.peek(2).text) if qualified else ("", cursor.peek().text)
    exact = [key for key in user_types if key[1] == name] or [k for k in user_types if k[1].lower() == name.lower()]
    found = next((key for key in exact if schema in ("", "public", key[0])), None)
    if found is None:
        return None
    cursor.qualified_name()
    return user_types[found]


def _built_in(cursor: Cursor, dialect: str) -> ReadType:
    is_quoted = cursor.peek().kind is TokenKind.NAME  # PostgreSQL's "char" is another type than char
    words, inner = _words(cursor)
    if words in ("enum", "set") and inner:
        values = tuple(dict.fromkeys(token.text for token in inner if token.kind is TokenKind.STRING))
        return ReadType(Type(_T.ENUM, values=values) if words == "enum" else Type(_T.TEXT, values=values, carried=SET))
    if dialect == MYSQL and words == "tinyint" and [token.text for token in inner] == ["1"]:
        return ReadType(Type(_T.BOOLEAN))
    if dialect == SQLITE and words == "any":
        return ReadType(Type(_T.ANY))
    name = (NAMES_IN_SQLITE if dialect == SQLITE else _NAMES).get(words)
    if name is None:
        return _unknown(words, inner, dialect)
    if dialect == MYSQL and words == "timestamp":
        name = _T.TIMESTAMPTZ  # MySQL keeps it in UTC
    numbers = _numbers(inner, words) if name in _COUNTED else ()
    gap = carried(words) if name is _T.GEOMETRY else ""
    counted = "serial" in words and dialect != SQLITE  # where that is a word like any other
    if words in _FILLED.get(dialect, ()) and not is_quoted:
        return _filled(words, numbers)
    kept_as = _CARRIED.get(dialect, {}).get(words, "")
    if kept_as == SINGLE and _is_double(inner):
        kept_as = ""
    elif dialect == POSTGRESQL and words == "float" and inner and not _is_double(inner):
        kept_as = REAL
    kind = Type(name, numbers, carried=kept_as)
    return ReadType(kind, not_null=counted, gap=gap, counted=counted, fraction=_fraction(kind, inner, dialect))


def _of_mysql(found: ReadType, typed: Sequence[Token]) -> ReadType:
    """UNSIGNED, and what implies it, is a range; the width of an integer is not kept; BINARY and BYTE say how texts compare."""
    is_unsigned = found.type.name in NUMBERS and any(token.key in _UNSIGNED for token in typed)
    is_narrow = found.type == INTEGER and typed[0].text.lower() in _NARROW
    words = " ".join(token.key for token in typed[1:])
    if found.type.name is _T.TEXT and _OF_BYTES.search(words):
        return ReadType(Type(_T.BYTES))
    is_binary = found.type.name in TEXTS and "BINARY" in words.split()
    return replace(
        found,
        allowed=Allowed(minimum=0) if is_unsigned else None,
        narrow=is_narrow,
        collation=Collation.BINARY if is_binary else found.collation,
    )


def _filled(words: str, numbers: tuple[int, ...]) -> ReadType:
    """A text of one character if no length is declared; a bpchar of any length, whose blanks are part of it."""
    if words == "bpchar" and not numbers:
        return ReadType(Type(_T.TEXT, carried=words), gap=carried(words))
    return ReadType(Type(_T.TEXT, numbers or (1,), carried=CHAR))


def _words(cursor: Cursor) -> tuple[str, list[Token]]:
    """The type's words in lower case, without numbers, modifiers and character sets; and what its parentheses hold."""
    words: list[str] = []
    inner: list[Token] = []
    while not cursor.done and not cursor.sees_any("[", "ARRAY"):
        if cursor.sees("("):
            inner = inner or cursor.group()
            cursor.skip_group()
        elif cursor.accept("CHARACTER", "SET") or cursor.accept("CHAR", "SET") or cursor.accept("CHARSET"):
            cursor.take()
        elif (words == ["interval"] and cursor.accept_any(*_INTERVAL_FIELDS)) or (
            words and cursor.accept_any(*_MODIFIERS)
        ):
            continue
        elif cursor.peek().kind in (TokenKind.WORD, TokenKind.NAME, TokenKind.STRING):
            word = cursor.qualified_name()[1].lower()
            words += [word]
        else:
            raise NotUnderstood(f"`{as_text(cursor.rest())}` in a type")
    return " ".join(words), inner


def _numbers(inner: Sequence[Token], words: str) -> tuple[int, ...]:
    signs = ["", *(token.text for token in inner)]
    numbers = [
        int(f"{sign if sign == '-' else ''}{token.text[:_MOST_SAID]}")
        for sign, token in zip(signs, inner, strict=False)
        if re.fullmatch(r"\d+", token.text)
    ]
    return (1,) if words == "bit" and not numbers else tuple(numbers[:2])


def _possible(found: ReadType) -> ReadType:
    """SQLite takes any numbers and means nothing by them: those that no type has are left out."""
    if not (found.type.numbers and (why := type_mistake(found.type))):
        return found
    note = f"the numbers of type `{found.type}` are left out: {why}"
    return replace(found, type=replace(found.type, numbers=()), note=note)


def _is_double(inner: Sequence[Token]) -> bool:
    """Whether a FLOAT of so many binary digits has double precision."""
    numbers = _numbers(inner, "")
    return len(numbers) == 1 and numbers[0] > _SINGLE_DIGITS


def _fraction(kind: Type, inner: Sequence[Token], dialect: str) -> Fraction | None:
    """The digits of a second a type keeps: as many as it says. Without a number MySQL keeps none, PostgreSQL and SQLite all."""
    if dialect == SQLITE or not has_fraction(kind):
        return None
    said = _numbers(inner, "")
    return Fraction.of(min(said[0], MOST_DIGITS) if said else 0 if dialect == MYSQL else None)


def _unknown(words: str, inner: Sequence[Token], dialect: str) -> ReadType:
    """A word that has no conceptual type of its own."""
    if dialect == SQLITE:
        name = _affinity(words)
        return ReadType(Type(name, _numbers(inner, words) if name in _COUNTED else ()))
    if words == "citext":
        return ReadType(Type(_T.TEXT), gap=carried(words), collation=Collation.NOCASE)
    kind = Type(_T.TEXT, carried=words.rpartition(".")[2] if dialect == POSTGRESQL else "")
    if words in AS_TEXT:
        return ReadType(kind, note=f"type `{words}` is carried as text")
    return ReadType(kind, gap=f"type `{words}` is unknown and carried as text")


def _affinity(words: str) -> TypeName:
    if "int" in words:
        return _T.INTEGER
    if any(part in words for part in ("char", "clob", "text")):
        return _T.TEXT
    if "blob" in words:
        return _T.BYTES
    return _T.FLOAT if any(part in words for part in ("real", "floa", "doub")) else _T.ANY
