"""A column's declared type, in a database's own words, to the conceptual type.

The words come from the catalog: `NVARCHAR(40)` (SQLite), `timestamp(3) without time zone[]` (PostgreSQL),
`int(10) unsigned` (MySQL). What has no conceptual type is carried as text (geometry: as found) and listed as a gap.
"""

from __future__ import annotations

import re

from nestling.common.sql_dialects import MYSQL, SQLITE
from nestling.ir.types import Type, TypeName

_DECLARED = re.compile(
    r"^\s*(?P<word>[^(\[]*?)\s*(?:\((?P<inner>.*?)\))?\s*(?P<rest>[^()\[\]]*?)\s*(?P<array>(?:\[\])*)$", re.S
)
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_T = TypeName
_WORDS: dict[str, TypeName] = {
    **dict.fromkeys(("boolean", "bool"), _T.BOOLEAN),
    **dict.fromkeys(
        ("integer", "int", "bigint", "smallint", "tinyint", "mediumint", "year", "oid", "int2", "int4", "int8"), _T.INTEGER
    ),
    **dict.fromkeys(("numeric", "decimal", "dec", "decimal_text"), _T.DECIMAL),
    **dict.fromkeys(("real", "double", "double precision", "float", "float4", "float8"), _T.FLOAT),
    **dict.fromkeys(
        ("text", "character varying", "varchar", "character", "char", "bpchar", "name", "nchar", "nvarchar", "clob", '"char"',
         "tinytext", "mediumtext", "longtext", "varying character", "native character", "ntext", "string"), _T.TEXT,
    ),
    **dict.fromkeys(
        ("bytea", "blob", "tinyblob", "mediumblob", "longblob", "binary", "varbinary", "image"), _T.BYTES
    ),
    "date": _T.DATE,
    **dict.fromkeys(("time", "time without time zone", "time with time zone", "timetz", "time_text"), _T.TIME),
    **dict.fromkeys(("datetime", "timestamp", "timestamp without time zone", "datetime2", "smalldatetime"), _T.TIMESTAMP),
    **dict.fromkeys(("timestamp with time zone", "timestamptz", "datetimeoffset"), _T.TIMESTAMPTZ),
    **dict.fromkeys(("interval", "duration_text"), _T.INTERVAL),
    **dict.fromkeys(("uuid", "uuid_text", "guid"), _T.UUID),
    "objectid_text": _T.OBJECT_ID,
    **dict.fromkeys(("json", "jsonb", "json_text"), _T.JSON),
    **dict.fromkeys(("bit", "bit varying", "varbit", "bits_text"), _T.BITS),
    "set": _T.TEXT,
    **dict.fromkeys(
        ("geometry", "geography", "point", "line", "lseg", "box", "path", "polygon", "circle", "linestring", "multipoint",
         "multilinestring", "multipolygon", "geometrycollection"), _T.GEOMETRY,
    ),
}  # fmt: skip
_COUNTED = (_T.DECIMAL, _T.TEXT, _T.BITS)


def column_type(declared: str, dialect: str, labels: tuple[str, ...] = ()) -> tuple[Type, bool]:
    """The conceptual type, and whether it stands for the declared one fully; `labels` are a PostgreSQL enum's."""
    match = _DECLARED.match(declared.lower())
    word, array = (_word(match), match["array"]) if match else (declared.lower(), "")
    if array:
        element, known = column_type(declared.strip()[: -len(array)], dialect, labels)
        for _ in range(1):  # PostgreSQL does not fix how many dimensions an array has
            element = Type(_T.ARRAY, element=element)
        return element, known
    if labels or (word == "enum" and dialect == MYSQL):
        values = labels or tuple(found.replace("''", "'") for found in _QUOTED.findall(declared))
        return Type(_T.ENUM, values=values), True
    if not declared.strip() or (dialect == SQLITE and word == "any"):
        return Type(_T.ANY), True
    return _plain(word, match["inner"] if match else None, dialect)


def _word(match: re.Match[str]) -> str:
    """The type's words without numbers: `timestamp(3) with time zone` -> `timestamp with time zone`."""
    rest = re.sub(r"\b(unsigned|zerofill|signed)\b", "", match["rest"]).strip()
    first = re.sub(r"\b(unsigned|zerofill|signed|big)\b", "", match["word"]).strip()
    return f"{first} {rest}".strip()


def _plain(word: str, inner: str | None, dialect: str) -> tuple[Type, bool]:
    name = _WORDS.get(word)
    if dialect == SQLITE:
        name = _sqlite(word, name)
    if dialect == MYSQL:
        name = {"timestamp": _T.TIMESTAMPTZ, "inet4": _T.TEXT, "inet6": _T.TEXT}.get(word, name)
    if name is None:
        return Type(_T.TEXT), False
    numbers = tuple(map(int, re.findall(r"\d+", inner or ""))) if name in _COUNTED and word != "set" else ()
    if name is _T.BITS and not numbers and word == "bit":
        numbers = (1,)
    return Type(name, numbers), name is not _T.GEOMETRY


def _sqlite(word: str, name: TypeName | None) -> TypeName:
    """SQLite takes any word for a type and derives an affinity from it; an unknown word means that affinity."""
    if name is _T.GEOMETRY:
        return name
    if name is _T.DECIMAL and word != "decimal_text":
        return _T.DECIMAL
    if name is not None:
        return name
    if "int" in word:
        return _T.INTEGER
    if any(part in word for part in ("char", "clob", "text")):
        return _T.TEXT
    if "blob" in word:
        return _T.BYTES
    return _T.FLOAT if any(part in word for part in ("real", "floa", "doub")) else _T.ANY
