"""The values of an attribute as they lie: the common ones as often as they are, the others between the quantiles."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from itertools import accumulate
from typing import Any

from nestling.ir.distribution import Distribution
from nestling.ir.model import Attribute
from nestling.ir.types import TypeName
from nestling.sources.generated.nth_values import Maker

_KINDS: dict[TypeName, type] = {
    TypeName.INTEGER: int,
    TypeName.FLOAT: float,
    TypeName.DECIMAL: Decimal,
    TypeName.TEXT: str,
    TypeName.DATE: date,
    TypeName.TIMESTAMP: datetime,
    TypeName.TIMESTAMPTZ: datetime,
    TypeName.BOOLEAN: bool,
}


_DIGITS = 100
"""More than a number has between two of a database's decimals."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution to take values from: `others` different ones besides the common ones, `made` the texts of those."""

    values: Distribution
    others: int
    made: Maker
    ends: tuple[float, ...]

    def __call__(self, share: float) -> object:
        """The value of the row at that share, 0 to 1, of all rows that have a value."""
        place = bisect_right(self.ends, share)
        if place < len(self.values.common):
            value: object = self.values.common[place][0]
            return value
        if not self.values.quantiles:
            return self.values.common[-1][0]
        start = self.ends[-1] if self.ends else 0.0
        return self.other(int((share - start) / max(1 - start, 1e-12) * self.others))

    def other(self, number: int) -> object:
        """The n-th of the values that are not common, in order."""
        bounds = self.values.quantiles
        position = (min(number, self.others - 1) + 0.5) / self.others * (len(bounds) - 1)
        part = min(int(position), len(bounds) - 2)
        return _between(bounds[part], bounds[part + 1], position - part, lambda: self.made(number))


def spread(values: Distribution | None, attribute: Attribute, distinct: int, made: Maker) -> Spread | None:
    """The distribution to take an attribute's values from; None if nothing is known, or its values are of another type.

    Between two allowed values there may be others that are not allowed, unless a range is all that is declared.
    """
    kind, allowed = attribute.type.name, attribute.allowed
    if values is None or kind not in _KINDS:
        return None
    known = [*values.quantiles, *(value for value, _ in values.common)]
    if not all(type(value) is _KINDS[kind] for value in known):
        return None
    if allowed is not None and not (all(map(allowed.holds, known)) and (allowed.bounds or not values.quantiles)):
        return None
    ends = tuple(accumulate(share for _, share in values.common))
    return Spread(values, max(1, distinct - len(values.common)), made, ends)


def _between(low: Any, high: Any, share: float, made: Callable[[], object]) -> object:
    match low:
        case bool():
            return low if share < 1 / 2 else high
        case int():
            return low + round((high - low) * share)
        case float():
            return round(low + (high - low) * share, max(map(_digits, (low, high))))
        case Decimal():
            with localcontext(prec=_DIGITS):
                return (low + (high - low) * Decimal(share)).quantize(min(low, high, key=_exponent))
        case datetime():
            return low + timedelta(seconds=int((high - low).total_seconds() * share))
        case date():
            return low + timedelta(days=round((high - low).days * share))
        case _:
            return _text_between(low, high, str(made()))


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _digits(value: float) -> int:
    return len(repr(value).partition(".")[2])


def _text_between(low: str, high: str, made: str) -> str:
    """A text that begins as those around it do, and goes on as one that is made."""
    if low == high:
        return low
    shared = next(
        (place for place, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high))
    )
    begin = low[: shared + 1]
    return (begin + made)[: max(len(made), len(begin) + 1)]
