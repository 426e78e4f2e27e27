# ruff: noqa: DTZ001 - timestamps without a zone are values too
"""The calls in emitted functions give what `bind` gives, for every kind of place and value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import product
from typing import Any
from uuid import UUID

import pytest
from bson import Binary

from nestling.common.errors import GapError, NestlingError, WorkloadError
from nestling.emitters.mql.sql.boundary import Grain
from nestling.emitters.mql.sql.constant_conversion import CASTS
from nestling.emitters.mql.sql.placeholder import EXPECTED, Boundary, ConvertedPlaceholder, Expected, Whole
from nestling.emitters.mql.write_constants import StoredParameter
from nestling.emitters.python_code import read_support
from nestling.emitters.python_code.parameters import given, stored
from nestling.emitters.python_code.support import imports, support
from nestling.executors.run import row_of
from nestling.ir.programs.compiled import OutputColumn
from nestling.ir.statements.operators import Affinity, Rules
from nestling.ir.types import CHAR, YEAR, Type, TypeName
from nestling.ir.types import TIMES as TIME_TYPES
from nestling.ir.value_forms.canonical_texts import CANONICAL
from nestling.ir.values import decoder, encoder

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -7, 1 << 62, 1 << 70, 1.0, 1.5, -0.0, 1e300, float("inf"), Decimal("1.50"), Decimal(12),
    "8:30", "08:30:00.50", "-1:00+02", "", "x",
    "1", " 12 ", "1.0", "1e2", "12abc", "-3.5e-2x", "2024-01-31", "2024-01-31 10:00:00", "9999-12-31 23:59:59.999",
    "9999-12-31 23:59:59", "zzz", b"", b"ab", date(2024, 1, 31), datetime(2024, 1, 31, 10),
    datetime(2024, 1, 31, 10, 0, 0, 123456), datetime(9999, 12, 31, 23, 59, 59, 999999),
    datetime(2024, 1, 31, 10, 0, 0, 5, tzinfo=UTC), UUID(int=5), {"$ne": 1}, [1],
    object(), [], [None, "1", 2.5], ("x", True), {"x"}, [[1]], [{"$ne": 1}], [date(2024, 1, 31), "2024-01-31"],
    "10.0.0.9", "10.0.0.9/24", "10.0.0.9/32", "08:00:2b:01:02:03",
    "00000000-0000-0000-0000-000000000005", ["00000000-0000-0000-0000-000000000005", UUID(int=6)], "2024-01-31T10:00:00+02:00",
)  # fmt: skip
EXACT = [
    TypeName(kind)
    for kind in ("boolean", "integer", "decimal", "float", "text", "date", "timestamp", "timestamptz", "uuid")
]
PLACES = [
    *(ConvertedPlaceholder("p", affinity, expected) for affinity, expected in product((None, *Affinity), Expected)),
    *(ConvertedPlaceholder("p", casts=casts) for casts in [*product(sorted(CASTS)), *product(sorted(CASTS), repeat=2)]),
    *(
        ConvertedPlaceholder("p", expected=Expected.TEXT, boundary=Boundary(grain, after))
        for grain, after in product(Grain, (True, False))
    ),
    *(ConvertedPlaceholder("p", boundary=Boundary(grain, exact=True)) for grain in Grain),
    *(
        ConvertedPlaceholder("p", affinity, expected, listed=True)
        for affinity, expected in product((None, *Affinity), Expected)
    ),
    ConvertedPlaceholder("p", boundary=Boundary(Grain.DAY, exact=True), listed=True),
    *(
        ConvertedPlaceholder("p", affinity, uuid=True, listed=listed)
        for affinity, listed in product(Affinity, (True, False))
    ),
    *(ConvertedPlaceholder("p", expected=Expected.NUMBER, number=kind) for kind in (TypeName.DECIMAL, TypeName.FLOAT)),
    *(
        ConvertedPlaceholder("p", affinity, expected, by_sqlite=True, listed=listed)
        for affinity, expected, listed in product((None, *Affinity), (Expected.ANY, Expected.NUMBER), (True, False))
    ),
    ConvertedPlaceholder("p", expected=Expected.TEXT, boundary=Boundary(Grain.SECOND), by_sqlite=True),
    *(
        ConvertedPlaceholder("p", expected=Expected.TIME, wide=kind)
        for kind in (TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ)
    ),
    *(ConvertedPlaceholder("p", expected=Expected.TIME, whole=whole) for whole in Whole),
    *(
        ConvertedPlaceholder("p", expected=Expected.TEXT, carried=kind, listed=listed)
        for kind, listed in product((*CANONICAL, CHAR, YEAR), (True, False))
    ),
    *(
        ConvertedPlaceholder("p", expected=EXPECTED.get(kind, Expected.ANY), listed=listed, exactly=kind)
        for kind, listed in product(EXACT, (True, False))
    ),
    *(ConvertedPlaceholder("p", carried="bits", bits=count, rules=Rules.MYSQL, listed=count == 4) for count in (1, 4)),
    *(
        ConvertedPlaceholder("p", expected=EXPECTED[kind], exactly=kind, rules=Rules.MYSQL)
        for kind in (TypeName.INTEGER, TypeName.DECIMAL)
    ),
]
REFUSED = "refused"


def outcome(call: Callable[[object], object], value: object) -> tuple[str, str]:
    """The value with its type, or that it was refused."""
    try:
        found = call(value)
    except (NestlingError, TypeError, ValueError):
        return REFUSED, ""
    except OverflowError:
        return "overflow", ""
    return type(found).__name__, repr(found)


def converting(text: str) -> Callable[[object], object]:
    """The function of `p` that a written call is, on nothing but what is copied for it."""
    code = f"def function(p):\n    return {text}\n"
    parts = support(code)
    space: dict[str, Any] = {}
    exec(compile("\n".join([imports("\n".join([*parts, code])), *parts, code]), "module", "exec"), space)
    missing = space.get("MISSING")
    return lambda value: None if (found := space["function"](value)) is missing else found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("place", PLACES, ids=repr)
def test_conversions_are_the_same(place: ConvertedPlaceholder) -> None:
    """The value and its BSON type, or the refusal."""
    convert = converting(given(place).text)
    for value in VALUES:
        assert outcome(convert, value) == outcome(place.bind, value), value


COLUMNS = (
    "boolean", "integer", "decimal", "decimal(4,2)", "decimal(5)", "float", "text", "text(5)", "bytes", "date", "time",
    "timestamp", "timestamp(3)", "timestamp(6)", "timestamptz", "timestamptz(6)", "interval", "uuid", "objectid",
    "enum('red', 'Blue')", "bits", "bits(4)", "geometry", "any", "float as real",
    "text as inet", "text as cidr", "text as macaddr",
    "text as macaddr8", "text as set", "integer as year", "text as money", "text as pg_lsn", "text as int4range",
    "text as daterange",
)  # fmt: skip
TIMES = (
    "2024-01-31T10:00:00", "2024-01-31 10:00:00.123", "2024-01-31 10:00:00.123000", "2024-01-31 10:00:00.123456",
    "2024-01-31 10:00:00.000", "2024-02-30 10:00:00", "2024-01-31 10:00:00+02:00", "soon", "2024-02-30", "infinity",
    " -Infinity ", "123456",
    "0000-00-00", "0000-00-00 00:00:00", "0999-01-31", "2024-01-31T10:00:00.123456Z", datetime(999, 1, 31, 10, 0, 0, 5),
    datetime(2024, 1, 31, 10, 0, 0, 123456, tzinfo=UTC), datetime(2024, 1, 31, 10, tzinfo=timezone(timedelta(hours=2))),
)  # fmt: skip
TEXTS = (
    "abc     ", "too long", "Red", "blue", "true", "OFF", "NaN", "1.005", "123.4", "1e400", "-0.0", "P1Y2M", "\\x6162",
    "507f1f77bcf86cd799439011", "a\x00b", "[1,4]", "[2024-01-01,2024-01-31]", "$12.50", "16/b374d848", "::FFFF:10.0.0.1", 1e39,
    1.005, 123.4, -0.0, float("nan"), Decimal("1.005"), Decimal("NaN"), Decimal("1" * 40), 10**40, Binary.from_uuid(UUID(int=7)),
)  # fmt: skip


def stored_places(kind: str) -> Iterator[StoredParameter]:
    """The places of a column's values by every dialect's rules."""
    known = Type.parse(kind)
    for rules in Rules:
        yield StoredParameter("p", known, rules)
        yield StoredParameter("p", known, rules, lenient=True)
        yield StoredParameter("p", known, rules, is_number=True)
    yield StoredParameter("p", known, Rules.SQLITE, numeric=True)
    if known.name in TIME_TYPES:
        yield StoredParameter("p", known, Rules.SQLITE, among="at")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", COLUMNS)
def test_what_is_stored_is_the_same(kind: str) -> None:
    """What a column of the type keeps, or refuses."""
    for place in stored_places(kind):
        convert = converting(stored(place).text)
        for value in (*VALUES, *TIMES, *TEXTS):
            assert outcome(convert, value) == outcome(place.bind, value), (place, value)


ARRAYS = ("array(integer)", "array(text)", "array(date)", "array(timestamptz(6))", "array(uuid)", "array(text as inet)")
LISTS = (
    "{a,NULL}",
    "{1,2}",
    [1, "2"],
    ["a\x00"],
    ["10.0.0.1/32"],
    ["2024-01-31", None],
    [[1]],
    [{"$ne": 1}],
    ("1", None),
)


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_that_are_stored_are_the_same(kind: str) -> None:
    """Of a text in braces or a list, whose elements are values."""
    place = StoredParameter("p", Type.parse(kind), Rules.POSTGRESQL)
    convert = converting(stored(place).text)
    for value in (*VALUES, *TIMES, *TEXTS, *LISTS):
        assert outcome(convert, value) == outcome(place.bind, value), value
    for nested in ([[1]], [{"$ne": 1}], {"$ne": 1}):
        assert outcome(place.bind, nested) == (REFUSED, "")


@pytest.mark.parametrize("kind", ["integer", "float", "text", "any"])
def test_integers_of_sqlite_have_64_bits(kind: str) -> None:
    """As its drivers refuse others, whatever the column is."""
    place = StoredParameter("p", Type.parse(kind), Rules.SQLITE)
    assert place.bind(-(1 << 63)) is not None
    for value in (1 << 63, -(1 << 63) - 1):
        with pytest.raises(WorkloadError, match="does not fit in SQLite's 64-bit"):
            place.bind(value)


@pytest.mark.parametrize("kind", ["array(json)", "array(integer)"])
def test_what_only_nestling_encodes_is_a_gap(kind: str) -> None:
    """Lists that SQLite keeps as JSON texts are encoded by more than the modules carry."""
    with pytest.raises(GapError, match="in Python"):
        stored(StoredParameter("p", Type.parse(kind), Rules.SQLITE))


KINDS = (
    "integer", "decimal", "float", "text", "bytes", "date", "timestamp", "timestamp(6)", "timestamptz", "uuid", "json", "any",
)  # fmt: skip
STORED: tuple[Any, ...] = (
    1, 1 << 40, 1 << 70, -5, 2.5, Decimal("1.50"), Decimal("1E+3"), Decimal(12), "x", "2024-01-31T10:00:00.123456", b"ab",
    date(2024, 1, 31), datetime(2024, 1, 31), datetime(2024, 1, 31, 10, 5), datetime(2024, 1, 31, 10, 0, 0, 123456),
    UUID(int=5),
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_values_come_back_the_same(kind: str) -> None:
    """What the decoders of nestling give, the emitted ones give."""
    from nestling.emitters.python_code.read import conversion_of

    shown = eval(conversion_of(Type.parse(kind)), vars(read_support))
    for value in STORED:
        stored = encoder(Type.parse(kind))(value)
        assert repr(shown(stored)) == repr(decoder(Type.parse(kind))(stored)), value


@pytest.mark.parametrize("kind", ["text(3) as char", "array(text(3) as char)"])
def test_chars_are_shown_with_their_blanks(kind: str) -> None:
    """By the emitted functions as by nestling."""
    from nestling.emitters.python_code.read import conversion_of

    shown = eval(conversion_of(Type.parse(kind)), vars(read_support))
    row = row_of([OutputColumn("a", "a", Type.parse(kind))])
    for value in ("", "ä", "abc", 5, ["x", None, ["abc"]]):
        if isinstance(value, list) is kind.startswith("array"):
            assert (shown(value),) == row({"a": value})


def test_json_is_what_its_text_says() -> None:
    """Strings and null that are JSON of their own, as drivers of SQL show them; texts inside of JSON stay texts."""
    assert [read_support.as_json(each) for each in ('"a"', "null", "no JSON", 5, {"a": "1"}, ["null"])] == [
        "a", None, "no JSON", 5, {"a": "1"}, ["null"],
    ]  # fmt: skip
