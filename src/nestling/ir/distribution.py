"""How the values of an attribute lie: its most common ones with their shares, and bounds of equal shares of all others.

Shares are of the rows that have a value, 0 to 1. Between two bounds values are taken to be spread evenly, and every value that is
not common to be as frequent as the next. Texts are ordered by code point.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from math import inf, isfinite
from typing import Any

from nestling.common.errors import InputError, Problem
from nestling.ir.statistics import Origin

_DIGITS = 8
"""Number of characters, after those that neighbouring texts share, that determine a text's position between them."""
_CHARACTERS = 0x110000


@dataclass(frozen=True, slots=True)
class Distribution:
    """How the values of an attribute are distributed.

    `common`: values clearly more frequent than the rest, each with its share, most frequent first. `quantiles`: the other
    values in order, cut into parts of equally many rows by the first, the last and those between; empty if there are no others.
    `rows`: how many rows it was measured over, None for all.

    All values are conceptual and of one kind. Raises `InputError` for impossible shares or a wrong order.
    """

    quantiles: tuple[Any, ...] = ()
    common: tuple[tuple[Any, float], ...] = ()
    origin: Origin = Origin.DECLARED
    rows: int | None = None

    def __post_init__(self) -> None:
        shares = [share for _, share in self.common]
        if any(not 0 <= share <= 1 for share in shares) or sum(shares) > 1.01:
            raise InputError(
                Problem(what="the shares of common values must be between 0 and 1 and add up to at most 1")
            )
        values = [*self.quantiles, *(value for value, _ in self.common)]
        if not values or any(as_kind(value, values[0]) is None for value in values):
            raise InputError(Problem(what="the values of a distribution must all be numbers, texts, dates or booleans"))
        if len(self.quantiles) == 1 or any(low > high for low, high in pairwise(self.quantiles)):
            raise InputError(Problem(what="quantiles must be two or more values in ascending order"))

    @property
    def rest(self) -> float:
        """The share of rows whose value is not a common one."""
        return max(0.0, 1 - sum(share for _, share in self.common)) if self.quantiles else 0.0


def below(values: Distribution, bound: object, distinct: float | None = None) -> float | None:
    """The share of values less than `bound`, given `distinct` values in all; None if they are not comparable."""
    at = as_kind(bound, _example(values))
    if at is None:
        return None
    common = sum(share for value, share in values.common if value < at)
    return min(1.0, common + values.rest * _rest_below(values, at, distinct))


def up_to(values: Distribution, bound: object, distinct: float | None = None) -> float | None:
    """The share of values less than or equal to `bound`; None if they are not comparable."""
    at = as_kind(bound, _example(values))
    if at is None:
        return None
    common = sum(share for value, share in values.common if value <= at)
    is_common = any(value == at for value, _ in values.common)
    rest = _rest_below(values, at, distinct) if is_common else _rest_up_to(values, at, distinct)
    return min(1.0, common + values.rest * rest)


def below_any(values: Distribution, bounds: Distribution, distinct: float | None = None) -> float | None:
    """The average share of values less than one drawn from `bounds`; None if the two are not comparable."""
    at = [(bound, share) for bound, share in bounds.common]
    parts = len(bounds.quantiles) - 1
    for low, high in pairwise(bounds.quantiles):
        at += [(each, bounds.rest / parts / 2) for each in (low, high)]
    told = [(below(values, bound, distinct), share) for bound, share in at]
    found = [(each, share) for each, share in told if each is not None]
    whole = sum(share for _, share in found)
    return sum(each * share for each, share in found) / whole if len(found) == len(told) and whole > 0 else None


def equal(values: Distribution, value: object, distinct: float | None = None) -> float | None:
    """The share of values equal to `value`; None if they are not comparable."""
    low, high = below(values, value, distinct), up_to(values, value, distinct)
    return max(0.0, high - low) if low is not None and high is not None else None


def equal_to_any(values: Distribution, distinct: float | None = None) -> float:
    """The share of values equal to one that is drawn from them, on average: frequent values are asked for more often."""
    return sum(share * share for _, share in values.common) + values.rest**2 * _each(values, distinct)


def split_at(values: Distribution, bound: object) -> tuple[Distribution | None, Distribution | None]:
    """Split the distribution into the values before `bound` and the others; None for an empty side.

    Returns the whole for both if `bound` is not comparable. The part that contains it counts in full on either side.
    """
    at = as_kind(bound, _example(values))
    if at is None:
        return values, values
    earlier, later = (
        (value for value in values.quantiles if value < at),
        (value for value in values.quantiles if value > at),
    )
    is_between = bool(values.quantiles) and values.quantiles[0] < at <= values.quantiles[-1]
    cut = (at,) if is_between else ()
    early = [(value, share) for value, share in values.common if value < at]
    late = [(value, share) for value, share in values.common if value >= at]
    share = below(values, at) or 0.0
    return _part(values, (*earlier, *cut), early, share), _part(values, (*cut, *later), late, 1 - share)


def _part(
    whole: Distribution, quantiles: tuple[Any, ...], common: Sequence[tuple[Any, float]], share: float
) -> Distribution | None:
    """Return the part of the distribution with this share of the whole."""
    bounds = quantiles if len(quantiles) > 1 else ()
    if share <= 0 or not (bounds or common):
        return None
    return Distribution(
        bounds, tuple((value, min(each / share, 1.0)) for value, each in common), whole.origin, whole.rows
    )


def as_kind(value: object, example: object) -> Any:
    """Convert the value to one comparable with `example`, such as the text of a date to a date; None if impossible."""
    try:
        return _as_kind(value, example)
    except (ValueError, InvalidOperation, OverflowError):
        return None


def _as_kind(value: object, example: object) -> Any:
    match example:
        case bool():
            return bool(value) if value in (True, False) else None
        case int() | float() | Decimal():
            is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool) and isfinite(value)
            return value if is_number else None
        case datetime():
            return _as_instant(value, zoned=example.tzinfo is not None)
        case date():
            found = _as_instant(value, zoned=False)
            return found.date() if found is not None else None
        case str():
            return value if isinstance(value, str) else None
        case _:
            return None


def _as_instant(value: object, *, zoned: bool) -> datetime | None:
    found = datetime.fromisoformat(value) if isinstance(value, str) else value
    if isinstance(found, date) and not isinstance(found, datetime):
        found = datetime.combine(found, time())
    if not isinstance(found, datetime):
        return None
    if zoned:
        return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return found if found.tzinfo is None else found.astimezone(UTC).replace(tzinfo=None)


def _example(values: Distribution) -> object:
    return values.quantiles[0] if values.quantiles else values.common[0][0]


def _each(values: Distribution, distinct: float | None) -> float:
    """The share of the rest that one of its values has."""
    if distinct is None:
        return 0.0
    return 1 / max(distinct - len(values.common), len(set(values.quantiles)), 1.0)


def _rest_below(values: Distribution, at: Any, distinct: float | None) -> float:
    bounds = values.quantiles
    if not bounds or at <= bounds[0]:
        return 0.0
    return 1.0 if at > bounds[-1] else (1 - _each(values, distinct)) * _place(bounds, at, bisect_left(bounds, at))


def _rest_up_to(values: Distribution, at: Any, distinct: float | None) -> float:
    bounds = values.quantiles
    if not bounds or at < bounds[0]:
        return 0.0
    each = _each(values, distinct)
    return 1.0 if at >= bounds[-1] else (1 - each) * _place(bounds, at, bisect_right(bounds, at)) + each


def _place(bounds: tuple[Any, ...], at: Any, index: int) -> float:
    """The position of a value among the bounds, 0 to 1; `index`: the first bound beyond it, or the first equal one."""
    if index < len(bounds) and bounds[index] == at:
        return index / (len(bounds) - 1)
    low, high = bounds[index - 1], bounds[index]
    return (index - 1 + _between(low, high, at)) / (len(bounds) - 1)


def _between(low: Any, high: Any, at: Any) -> float:
    """How far a value is on the way from one bound to the next, 0 to 1."""
    if isinstance(low, str):
        start, end, here = _text_numbers(low, high, at)
        return (here - start) / (end - start) if end > start else 0.5
    if isinstance(low, bool):
        return 0.5
    if isinstance(low, date):
        return float((at - low) / (high - low))
    way, whole = float(at) - float(low), float(high) - float(low)
    return min(1.0, way / whole) if 0 < whole < inf else 0.5


def _text_numbers(*texts: str) -> list[int]:
    """Map texts to numbers in the same order, by the characters after those that the first and the last share."""
    shared = 0
    while shared < min(map(len, texts)) and len({text[shared] for text in texts}) == 1:
        shared += 1
    return [_text_number(text[shared : shared + _DIGITS]) for text in texts]


def _text_number(text: str) -> int:
    number = 0
    for place in range(_DIGITS):
        number = number * _CHARACTERS + (ord(text[place]) + 1 if place < len(text) else 0)
    return number
