"""Shares of values: between 0 and 1, adding up, and right where the data says what is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nestling.common.errors import InputError
from nestling.ir.distribution import Distribution, below, below_any, equal, equal_to_any, up_to
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Origin, Statistics, without_values

PARTS = 20
START = datetime(2024, 1, 1, tzinfo=UTC)
kinds: dict[str, st.SearchStrategy[Any]] = {
    "integer": st.integers(-50, 50),
    "float": st.floats(-1e9, 1e9),
    "decimal": st.decimals(-1000, 1000, places=2),
    "text": st.text(max_size=5),
    "date": st.dates(),
    "timestamp": st.integers(0, 10**6).map(lambda seconds: (START + timedelta(seconds=seconds)).replace(tzinfo=None)),
    "timestamptz": st.integers(0, 10**6).map(lambda seconds: START + timedelta(seconds=seconds)),
    "boolean": st.booleans(),
}
columns = st.sampled_from(sorted(kinds)).flatmap(lambda kind: st.lists(kinds[kind], min_size=2, max_size=200))


def described(values: Sequence[Any], commonest: int = 3) -> tuple[Distribution, float]:
    """The distribution of these values, as a source measures it, and how many are distinct."""
    counts = Counter(values)
    common = counts.most_common(commonest) if len(counts) > commonest else counts.most_common()
    rest = sorted(value for value in values if value not in dict(common))
    parts = min(PARTS, len(rest))
    bounds = tuple(rest[max(1, ceil(n * len(rest) / parts)) - 1] for n in range(parts + 1)) if rest else ()
    return Distribution(bounds, tuple((value, n / len(values)) for value, n in common)), float(len(counts))


@pytest.mark.thorough
@given(columns, st.data())
def test_shares_lie_between_nothing_and_all(values: list[Any], data: st.DataObject) -> None:
    """Whatever is asked of the same kind, it is a share, and what is below a value is no more than what is up to it."""
    known, distinct = described(values)
    asked = data.draw(st.sampled_from(values) | st.sampled_from(sorted(kinds)).flatmap(lambda kind: kinds[kind]))
    low, high, same = (of(known, asked, distinct) for of in (below, up_to, equal))
    assert (low is None) == (high is None) == (same is None)
    if low is not None and high is not None and same is not None:
        assert 0 <= low <= high <= 1
        assert same == pytest.approx(high - low)
    assert 0 < equal_to_any(known, distinct) <= 1 + 1e-9


@pytest.mark.thorough
@given(columns, st.data())
def test_adjacent_ranges_add_up(values: list[Any], data: st.DataObject) -> None:
    """What is below grows with the value, so that ranges side by side have together what the range over both has."""
    known, distinct = described(values)
    shares = [below(known, each, distinct) or 0.0 for each in sorted(data.draw(st.lists(st.sampled_from(values))))]
    assert shares == sorted(shares)
    assert below(known, min(values), distinct) == 0.0
    assert up_to(known, max(values), distinct) == pytest.approx(1.0)


@pytest.mark.thorough
@given(columns)
def test_shares_are_those_of_the_data(values: list[Any]) -> None:
    """A common value has its own share; below a bound lies what the data has there, but for two parts of the rest."""
    known, distinct = described(values)
    for value, share in known.common:
        assert equal(known, value, distinct) == pytest.approx(share, abs=1e-9)
    slack = known.rest * 2 / max(len(known.quantiles) - 1, 1) + 1e-6
    for bound in known.quantiles:
        low, high = sum(v < bound for v in values) / len(values), sum(v <= bound for v in values) / len(values)
        assert low - slack <= (below(known, bound, distinct) or 0.0) <= high + slack


def test_even_numbers_are_exact_at_every_bound() -> None:
    """Of a thousand different numbers as many are below a number as there are."""
    known, distinct = described(range(1000), commonest=0)
    for asked in (0, 1, 137, 500, 999):
        assert below(known, asked, distinct) == pytest.approx(asked / 1000, abs=0.002)
    assert equal(known, 137, distinct) == pytest.approx(0.001, abs=1e-6)


@given(columns, st.data())
def test_pairs_of_values_are_those_of_the_data(values: list[Any], data: st.DataObject) -> None:
    """Below a value drawn from others lies what does so of all pairs, but for parts of either."""
    others = data.draw(st.lists(st.sampled_from(values), min_size=2))
    known, distinct = described(values)
    beside, _ = described(others)
    found = below_any(known, beside, distinct)
    assert found is not None
    pairs = sum(value < other for value in values for other in others) / len(values) / len(others)
    ties = sum(value == other for value in values for other in others) / len(values) / len(others)
    parts = [each.rest * 2 / max(len(each.quantiles) - 1, 1) for each in (known, beside)]
    assert pairs - sum(parts) - 1e-6 <= found <= pairs + ties + sum(parts) + 1e-6
    assert below_any(known, Distribution((min(values), min(values))), distinct) == 0.0


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ([date(2024, 1, day) for day in range(1, 31)], "2024-01-16"),
        ([datetime(2024, 1, day) for day in range(1, 31)], "2024-01-16 00:00:00"),  # noqa: DTZ001 - as timestamps are
        ([datetime(2024, 1, day, tzinfo=UTC) for day in range(1, 31)], "2024-01-16T00:00:00+00:00"),
        ([Decimal(day) for day in range(1, 31)], 16.0),
        ([f"{day:02}" for day in range(1, 31)], "16"),
    ],
)
def test_samples_of_statements_are_compared(values: list[Any], asked: object) -> None:
    """What stands in a workload file, a number or a text, is compared as a value of the attribute."""
    known, distinct = described(values, commonest=0)
    assert below(known, asked, distinct) == pytest.approx(0.5, abs=0.05)


def test_what_cannot_be_compared_tells_nothing() -> None:
    """A text in place of a number has no share, neither has NULL."""
    known = Distribution((1, 5, 9))
    assert [below(known, each) for each in ("x", None, b"1", float("nan"))] == [None] * 4
    assert below_any(known, Distribution(("a", "b"))) is None


@pytest.mark.parametrize(
    ("quantiles", "common"),
    [((3, 1), ()), ((1,), ()), ((), ((1, 0.7), (2, 0.7))), ((), ((1, -0.1),)), ((1, "a"), ()), ((), ())],
)
def test_impossible_distributions_are_refused(quantiles: tuple[Any, ...], common: tuple[Any, ...]) -> None:
    """Shares beyond the whole, bounds out of order, values of several kinds, nothing at all."""
    with pytest.raises(InputError):
        Distribution(quantiles, common)


def test_the_stronger_provenance_wins() -> None:
    """What is declared of a value's distribution beats what was measured, whichever comes first; and it can be left out."""
    declared, found = Distribution((1, 9)), Distribution((2, 8), origin=Origin.MEASURED)
    one, other = (Statistics((("e", EntityStatistics(None, None, (("a", AttributeStatistics(values=each)),))),))
                  for each in (declared, found))  # fmt: skip
    for merged, _ in (one.merged(other), other.merged(one)):
        assert merged.entity("e").attribute("a").values == declared
    assert other.merged(Statistics())[0].entity("e").attribute("a").values == found
    assert without_values(one).entity("e").attribute("a") == AttributeStatistics()
