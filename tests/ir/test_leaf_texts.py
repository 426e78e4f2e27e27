"""Types, quantities, freshness and rates read back from their texts, and say what is wrong with others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nestling.common.errors import InputError
from nestling.ir.freshness import Freshness
from nestling.ir.rate import LEAST_PER_SECOND, MOST_PER_SECOND, parse_rate, rate_text, read_rate, weighed_rate
from nestling.ir.statistics import Quantity
from nestling.ir.types import Type
from tests.generators.nouns import quantities, timed, types


@pytest.mark.thorough
@given(types)
def test_types_round_trip(kind: Type) -> None:
    """A type reads back from its text."""
    assert Type.parse(str(kind)) == kind


@given(quantities)
def test_quantities_round_trip(quantity: Quantity) -> None:
    """A quantity reads back from its text to the last digit."""
    assert Quantity.parse(str(quantity)) == quantity


@given(timed)
def test_freshness_round_trips(freshness: Freshness) -> None:
    """A freshness reads back from its text, whatever its time."""
    assert Freshness.parse(str(freshness)) == freshness


@given(st.floats(min_value=LEAST_PER_SECOND, max_value=MOST_PER_SECOND))
def test_rates_round_trip(rate: float) -> None:
    """A rate reads back from its text to the last digit."""
    assert parse_rate(rate_text(rate)) == rate


def test_texts_use_the_unit_people_use() -> None:
    """Whole numbers of a larger unit are written in it."""
    assert [rate_text(rate) for rate in (900, 2 / 86400, 5 / 60)] == ["900/s", "2/day", "5/min"]
    assert str(Freshness.parse("async(5400s)")) == "async(1.5h)"
    assert str(Quantity(412.0)) == "412"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("5 sec", 5), ("1 week", 604_800), ("2 Hours", 7200), ("90 minutes", 5400), ("1d", 86_400), ("250ms", 0.25)),
        *(("1h", 3600), ("1 day", 86_400), ("1 month", 2_629_800)),
    ],
)
def test_units_of_time_are_the_same_everywhere(text: str, seconds: float) -> None:
    """Of a freshness, of a rate and in words: short or long, one or several."""
    assert Freshness.parse(f"async({text})").seconds == seconds
    unit = text.lstrip("0123456789 ")
    assert read_rate(f"6/{unit}") == pytest.approx(6 / (seconds / float(text.removesuffix(unit))))


def test_a_rate_of_zero_has_no_weight() -> None:
    """In a model file as in a workload file: the design answers the statement, and weighs it as little as any."""
    assert parse_rate("0/s") == parse_rate("0/day") == weighed_rate(0.0) == LEAST_PER_SECOND
    assert parse_rate(rate_text(LEAST_PER_SECOND)) == LEAST_PER_SECOND


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (Type.parse, "enum(a, b)"),
        (Type.parse, "enum('a' 'b')"),
        (Type.parse, "decimal(x)"),
        (Type.parse, "integers"),
        (Quantity.parse, "1e999"),
        (Quantity.parse, "12 (guessed)"),
        (Freshness.parse, "async(1.2.3s)"),
        (Freshness.parse, "async(-1s)"),
        (Freshness.parse, "snapshot(1s)"),
        (Freshness.parse, "async"),
        (parse_rate, "900"),
        (parse_rate, "-1/s"),
        (parse_rate, "1.2.3/s"),
    ],
)
def test_bad_texts_are_input_errors(read: object, text: str) -> None:
    """What cannot be read is refused in words."""
    with pytest.raises(InputError):
        read(text)  # type: ignore[operator]
