"""Hypothesis strategies for conceptual values: ordinary, extreme and odd ones of every type, as a SQLite file holds them."""

# ruff: noqa: DTZ001 - a BSON date has no zone
from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from nestling.ir.rows import UndecodableText
from nestling.ir.types import Type, TypeName

INT64 = 1 << 63
ODD_TEXTS = (
    "",
    " ",
    "a",
    "A",
    "ä",
    "a\u0308",
    "ß",
    "\U0001f600",
    "null",
    "0",
    "$x",
    "a.b",
    "'",
    '"',
    "\n",
    "a\x00b",
    "\ufffd",
)
ODD_KEYS = ("", "a", "b", "a.b", "$ref", "$id", "_id", "\x00", "ä", "k", "gridfs", "bytes")

_MOMENT = "now"  # which SQLite takes for the moment it is asked at
TEXTS = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(st.characters(codec="utf-8"), max_size=6).filter(lambda text: text.casefold() != _MOMENT),
)
INTEGERS = st.one_of(
    st.integers(-3, 9),
    st.sampled_from((-INT64, INT64 - 1, 2**31, -(2**31) - 1, 2**53 + 1)),
    st.integers(-INT64, INT64 - 1),
)
DATES = st.one_of(st.dates(date(2020, 1, 1), date(2020, 3, 1)), st.dates())
# Times of the year 1 and 9999 cannot all be moved to another zone.
INSTANTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)).map(lambda moment: moment.replace(fold=0))
SCALARS = st.one_of(st.none(), st.booleans(), INTEGERS, st.integers(-(2**80), 2**80), st.sampled_from(ODD_TEXTS))
JSON = st.recursive(
    st.one_of(SCALARS, st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(ODD_KEYS), inner, max_size=3)),
    max_leaves=5,
)

KEY_TYPES = tuple(map(Type.parse, ("integer", "integer", "text", "uuid", "date", "bytes", "timestamp", "timestamp(6)")))
ALL_TYPES = (
    *KEY_TYPES,
    *map(
        Type.parse,
        (
            "boolean",
            "decimal(20,4)",
            "float",
            "time",
            "timestamp(3)",
            "timestamptz",
            "timestamptz(6)",
            "interval",
            "json",
            "enum('S', 'M')",
            "bits(3)",
            "array(integer)",
            "array(text)",
        ),
    ),
)


def values(kind: Type) -> st.SearchStrategy[object]:
    """Values of a type."""
    if kind.name in _VALUES:
        return _VALUES[kind.name]
    if kind.element is not None:
        return st.lists(st.one_of(st.none(), values(kind.element)), max_size=3)
    if kind.name in (TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ):
        return INSTANTS.map(lambda found: _rounded(found, kind))
    return st.sampled_from(_SPELT[kind.name])


_VALUES: dict[TypeName, st.SearchStrategy[Any]] = {
    TypeName.BOOLEAN: st.booleans(),
    TypeName.INTEGER: INTEGERS,
    TypeName.DECIMAL: st.decimals(-(10**16), 10**16, places=4),
    TypeName.FLOAT: st.one_of(
        st.sampled_from((0.0, -0.0, 0.5, 1e308, 5e-324, float("inf"))), st.floats(allow_nan=False)
    ),
    TypeName.TEXT: TEXTS,
    TypeName.BYTES: st.binary(max_size=5),
    TypeName.DATE: DATES,
    TypeName.UUID: st.uuids(),
    TypeName.JSON: JSON.filter(lambda found: found is not None and not isinstance(found, str)),
}
_SPELT: dict[TypeName, tuple[str, ...]] = {
    TypeName.TIME: ("00:00:00", "23:59:59.999999", "-01:00:00"),
    TypeName.INTERVAL: ("P1D", "PT0.5S"),
    TypeName.ENUM: ("S", "M"),
    TypeName.BITS: ("000", "101"),
}


def _rounded(found: datetime, kind: Type) -> datetime:
    """To the digits the type keeps."""
    step = 10 ** (6 - kind.fraction_digits)
    whole = found.replace(microsecond=found.microsecond // step * step)
    return whole.replace(tzinfo=UTC) if kind.name is TypeName.TIMESTAMPTZ else whole


def found_values(kind: Type) -> st.SearchStrategy[object]:
    """Values of a type, now and then one that does not fit it, as SQLite keeps them."""
    odd: tuple[object, ...] = (
        "as found",
        "2020-01-01T00:00:00.123456",
        b"\x00\xff",
        7,
        1.5,
        UndecodableText(b"\xff\xfe"),
    )
    if kind.name in (TypeName.BYTES, TypeName.TEXT, TypeName.ENUM):
        odd = (b"\x00\xff", UndecodableText(b"\xff\xfe"))
    if kind.name is TypeName.DECIMAL:
        odd = (*odd, Decimal("NaN"))
    usual = values(kind)
    return st.one_of(usual, usual, usual, usual, st.sampled_from(odd))
