"""The n-th value of an attribute: of its type, as wide as its values are, different for every n."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import assert_never
from uuid import UUID

from nestling.ir.model import Attribute
from nestling.ir.statistics import AttributeStatistics
from nestling.ir.types import Type, TypeName
from nestling.sources.generated.permutations import salt, scattered

Maker = Callable[[int], object]

FIRST_DAY, LAST_DAY = datetime(2023, 1, 1), datetime(2026, 1, 1)  # noqa: DTZ001 - as timestamps are
"""When dated rows are from."""
SPAN_SECONDS = int((LAST_DAY - FIRST_DAY).total_seconds())
UNKNOWN_BYTES = 12.0
"""How wide texts are of which nothing is known."""
BEYOND_INT32 = 3_000_000_000
_INT_BYTES = 4
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_FILLING = """
amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north orchard pier quarry ridge slate tidal
upland vale willow yarrow zephyr stone field water light shadow morning evening summer winter harbour meadow
"""
_WORDS = tuple(_FILLING.split())
MANY_VALUES = 20
"""Distinct values from which on one of them is as wide as any may be: of fewer it would weigh too much."""


def maker(attribute: Attribute, known: AttributeStatistics, distinct: int, *names: object) -> Maker:
    """The function from 0 to `distinct` - 1 to the attribute's values."""
    return _maker(attribute.type, known, distinct, salt(*names, attribute.name))


def _maker(kind: Type, known: AttributeStatistics, distinct: int, key: int) -> Maker:  # noqa: C901 - one case for each
    text = _texts(known, distinct, key)
    match kind.name:
        case TypeName.INTEGER:
            wide = known.average_bytes is not None and known.average_bytes.value > _INT_BYTES
            return lambda n: n + 1 + (BEYOND_INT32 if wide else 0)
        case TypeName.FLOAT:
            return lambda n: n + 0.5
        case TypeName.DECIMAL:
            precision, digits = {0: (10, 2), 1: (*kind.numbers, 0)}.get(len(kind.numbers), kind.numbers[:2])
            return lambda n: Decimal(n % 10**precision).scaleb(-digits)
        case TypeName.BOOLEAN:
            return lambda n: n % 2 == 0
        case TypeName.TEXT | TypeName.ANY | TypeName.GEOMETRY | TypeName.INTERVAL:
            return text
        case TypeName.BYTES:
            return lambda n: text(n).encode()
        case TypeName.DATE:
            return lambda n: (FIRST_DAY + timedelta(days=n)).date()
        case TypeName.TIMESTAMP:
            return lambda n: instant(n, distinct)
        case TypeName.TIMESTAMPTZ:
            return lambda n: instant(n, distinct).replace(tzinfo=UTC)
        case TypeName.TIME:
            return lambda n: f"{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}"
        case TypeName.UUID:
            return lambda n: UUID(int=scattered(n, key) << 64 | n)
        case TypeName.OBJECT_ID:
            return lambda n: f"{scattered(n, key) << 32 & (1 << 96) - 1 | n:024x}"
        case TypeName.JSON:
            return lambda n: {"text": text(n)}
        case TypeName.ENUM:
            return lambda n: kind.values[n % len(kind.values)]
        case TypeName.BITS:
            width = kind.numbers[0] if kind.numbers else 8
            return lambda n: format(n % 2**width, f"0{width}b")
        case TypeName.ARRAY:
            assert kind.element is not None, "exactly an array has an element"
            element = _maker(kind.element, known, distinct, key)
            return lambda n: [element(n)]
        case _:
            assert_never(kind.name)


def instant(number: int, distinct: int) -> datetime:
    """The n-th of so many instants, spread over the time rows are from."""
    return FIRST_DAY + timedelta(
        seconds=number * SPAN_SECONDS // max(distinct, 1) if distinct <= SPAN_SECONDS else number
    )


def _texts(known: AttributeStatistics, distinct: int, key: int) -> Callable[[int], str]:
    """Texts as wide as the statistics say on average and at most, told apart by how they begin."""
    average = known.average_bytes.value if known.average_bytes is not None else UNKNOWN_BYTES
    most = known.maximum_bytes.value if known.maximum_bytes is not None else 2 * average
    low, high = max(0.0, 2 * average - most), min(most, 2 * average)
    digits = 1
    while len(_LETTERS) ** digits < distinct:
        digits += 1

    def text(number: int) -> str:
        hashed = scattered(number, key)
        share = (hashed & 0xFFFF) / 0xFFFF if distinct >= MANY_VALUES else (number + 0.5) / distinct
        width = low + share * (high - low) if number or distinct < MANY_VALUES else most
        return _told_apart(number, digits, hashed, max(round(width), digits))

    return text


def _told_apart(number: int, digits: int, hashed: int, width: int) -> str:
    code, left = "", number
    for _ in range(digits):
        left, letter = divmod(left, len(_LETTERS))
        code += _LETTERS[letter]
    if width <= digits:
        return code
    words, length = [code], digits
    while length < width:
        hashed = scattered(hashed, length)
        words.append(_WORDS[hashed % len(_WORDS)])
        length += 1 + len(words[-1])
    cut = " ".join(words)[:width]
    return f"{cut[:-1]}s" if cut.endswith(" ") else cut
