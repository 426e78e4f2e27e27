"""Constants as their attribute keeps them: what SQLite stores and reading its file finds; what strict databases refuse."""

# ruff: noqa: DTZ001 - naive means UTC in BSON, and no zone in SQL
from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import bson
import pytest
from bson import Binary, Decimal128
from hypothesis import assume, example, given
from hypothesis import strategies as st

from nestling.common.errors import WorkloadError
from nestling.emitters.mql.write_constants import StoredParameter, constant_of
from nestling.ir.codec import CODEC
from nestling.ir.model import Attribute
from nestling.ir.statements.expression import AttributeCast, Literal
from nestling.ir.statements.operators import Rules
from nestling.ir.types import Type
from nestling.ir.values import encoder
from nestling.sources.sql.driver_values import converter

COLUMNS = {
    "integer": "INTEGER",
    "float": "REAL",
    "text": "TEXT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp(3)": "TIMESTAMP",
    "timestamp(6)": "TIMESTAMP",
    "timestamptz": "TIMESTAMPTZ",
    "decimal(10,2)": "DECIMAL(10,2)",
    "json": "JSON",
    "uuid": "UUID",
    "bytes": "BLOB",
    "any": "",
    "time": "TIME",
    "array(integer)": "INTEGER[]",
}
"""Types, and how a SQLite column with it is declared."""
TEXTS = (
    *("", "a", "7", " 7 ", "7.0", "1.50", "1e3", "0x10", "NaN", "Infinity", "inf", "-0", "00", "1_000", "٣"),
    *("2024-02-29", "2023-02-29", "2024-02-29 10:00:00", "2024-02-29T10:00:00", "2024-02-29 10:00:00.123"),
    *("2024-02-29 10:00:00.123456", "2024-02-29 10:00:00+00:00", "2024-02-29 10:00:00.000000", "10:00:00"),
    *("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "9223372036854775808"),
    *('{"a": [1, 2.5]}', "[1, 2]", '"x"', "null", "{bad", "true", "1" * 40),
)
VALUES = st.one_of(
    st.none(),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.sampled_from([0, 1, 2, True, False]),
    st.floats(allow_nan=False),
    st.sampled_from([0.0, -0.0, 1.0, 1e15, 1e300, 2.0**53, 9.3e18]),
    st.sampled_from(TEXTS),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
    st.binary(max_size=4),
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", COLUMNS)
def test_sqlite_keeps_the_same(kind: str) -> None:
    """Whatever is stored in a column of the type is what a load of that column would store in MongoDB."""
    attribute = Attribute("c", Type.parse(kind))
    convert, encode = converter(attribute, "sqlite"), encoder(attribute.type)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE t (c {COLUMNS[kind]})")

        @given(VALUES)
        @example(330225285251451.5)  # halfway
        @example(-3.566606821460455e198)  # nearly so
        def same(value: object) -> None:
            assume(kind != "text" or not is_halfway(value))
            connection.execute("DELETE FROM t")
            connection.execute("INSERT INTO t VALUES (?)", (value,))
            (found,) = connection.execute("SELECT c FROM t").fetchone()
            loaded = None if found is None else encode(convert(found) if convert is not None else found)
            assert as_bson(stored_constant(value, attribute.type, Rules.SQLITE)) == as_bson(loaded)

        same()


def stored_constant(value: object, kind: Type, rules: Rules) -> object:
    """What a column of the type keeps of a value."""
    return constant_of(value, AttributeCast(Literal(value, kind), kind, rules))


def is_halfway(value: object) -> bool:
    """Whether a float lies so near to halfway between two of 15 digits that the versions of SQLite show either."""
    if not isinstance(value, float) or not math.isfinite(value) or value == 0:
        return False
    exact = abs(Decimal(value))
    rest = exact.scaleb(14 - exact.adjusted()) % 1
    return abs(rest - Decimal("0.5")) < Decimal("0.2")


@pytest.mark.parametrize("value", [330225285251451.5, 64595747347885.75, -3.566606821460455e198, 8.368986631497425e164])
def test_halfway_the_last_digit_is_either(value: float) -> None:
    """No more than the 15th digit of a float that becomes a text differs from what this SQLite shows."""
    assert is_halfway(value)
    with closing(sqlite3.connect(":memory:")) as connection:
        (shown,) = connection.execute("SELECT CAST(? AS TEXT)", (value,)).fetchone()
    ours = stored_constant(value, Type.parse("text"), Rules.SQLITE)
    assert isinstance(ours, str)
    assert abs(Decimal(ours) - Decimal(shown)) <= Decimal(1).scaleb(Decimal(shown).adjusted() - 14)


def as_bson(value: object) -> bytes:
    return bson.encode({"v": "NaN!" if isinstance(value, float) and math.isnan(value) else value}, codec_options=CODEC)


@pytest.mark.parametrize(
    ("kind", "value", "stored"),
    [
        ("date", date(2024, 2, 29), datetime(2024, 2, 29)),
        ("timestamp", datetime(2024, 2, 29, 10, 0, 0, 5000), datetime(2024, 2, 29, 10, 0, 0, 5000)),
        ("timestamp(6)", datetime(2024, 2, 29, 10), "2024-02-29T10:00:00.000000"),
        ("timestamp", date(2024, 2, 29), datetime(2024, 2, 29)),
        ("timestamptz", datetime(2024, 2, 29, tzinfo=UTC), datetime(2024, 2, 29, tzinfo=UTC)),
        ("text", date(2024, 2, 29), "2024-02-29"),
        ("uuid", UUID(int=1), Binary.from_uuid(UUID(int=1))),
        ("decimal(10,2)", Decimal("1.50"), Decimal128("1.50")),
        ("text", Decimal("1.50"), "1.5"),
        ("float", Decimal("410.28"), 410.28),
        ("integer", Decimal("2.5"), 2.5),
        ("integer", Decimal("7.00"), 7),
        ("any", Decimal("1.50"), 1.5),
    ],
)
def test_values_of_python_are_what_they_are(kind: str, value: object, stored: object) -> None:
    """Dates and UUIDs, which SQLite does not have, are stored as their type is; decimals only where it keeps every digit."""
    assert StoredParameter("p", Type.parse(kind), Rules.SQLITE).bind(value) == stored


@pytest.mark.parametrize(
    ("kind", "value", "stored"),
    [
        ("integer", "7", 7),
        ("integer", 2.5, 2),
        ("integer", Decimal("2.5"), 3),
        ("boolean", "yes", True),
        ("decimal(5,2)", "1.005", Decimal128("1.01")),
        ("decimal(5,2)", 3, Decimal128("3.00")),
        ("decimal(5,2)", "999.994", Decimal128("999.99")),
        ("float", 2, 2.0),
        ("text(3)", "abc", "abc"),
        ("text", 5, "5"),
        ("date", "2024-02-29 23:00:00", datetime(2024, 2, 29)),
        ("timestamp", "2024-02-29 10:00", datetime(2024, 2, 29, 10)),
        ("timestamptz", "2024-02-29 10:00+02:00", datetime(2024, 2, 29, 8, tzinfo=UTC)),
        ("bytes", "\\x0102", b"\x01\x02"),
        ("json", '{"a": null}', {"a": None}),
        ("uuid", str(UUID(int=2)), Binary.from_uuid(UUID(int=2))),
        ("any", 5, 5),
        ("time", "8:30", "08:30:00"),
        ("interval", "PT4H", "PT4H"),
        ("array(integer)", "{1, NULL}", [1, None]),
        ("array(text)", "{}", []),
    ],
)
def test_strict_databases_convert(kind: str, value: object, stored: object) -> None:
    """PostgreSQL's and MySQL's assignments."""
    assert stored_constant(value, Type.parse(kind), Rules.POSTGRESQL) == stored


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", "x"),
        ("integer", "NaN"),
        ("boolean", "maybe"),
        ("decimal(5,2)", "1000"),
        ("decimal(5,2)", "999.995"),
        ("text(3)", "abcd"),
        ("date", "2023-02-29"),
        ("timestamp", "soon"),
        ("timestamp", 5),
        ("uuid", "1"),
        ("float", "x"),
        ("array(integer)", "{1,{2}}"),
        ("time", "9 am"),
        ("interval", "2 hourz"),
        ("array(integer)", "{x}"),
        ("array(integer)", "[1]"),
        ("array(text)", 5),
    ],
)
def test_strict_databases_refuse(kind: str, value: object) -> None:
    """What they do not take is an error that names the parameter."""
    with pytest.raises(WorkloadError, match=r"parameter `p`: .* cannot be stored as"):
        StoredParameter("p", Type.parse(kind), Rules.MYSQL).bind(value)


def test_a_text_given_for_bytes_is_hexadecimal_in_postgresql_alone() -> None:
    """MySQL has its UTF-8, whatever it begins with."""
    assert StoredParameter("p", Type.parse("bytes"), Rules.MYSQL).bind("\\xzz") == b"\\xzz"
    assert StoredParameter("p", Type.parse("bytes"), Rules.POSTGRESQL).bind("\\x0a") == b"\n"
    with pytest.raises(WorkloadError, match=r"parameter `p`: .* cannot be stored as"):
        StoredParameter("p", Type.parse("bytes"), Rules.POSTGRESQL).bind("\\xzz")
