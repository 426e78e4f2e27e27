"""Generated values for an attribute that allows only some of its type's: as many different ones as possible."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from math import ceil, floor

from nestling.ir.constraints.allowed import Allowed
from nestling.ir.types import Type, TypeName

_DIGITS = 80


def fitting(text: str, allowed: Allowed) -> str:
    """The text, cut or made longer to be as long as is allowed."""
    return text[: allowed.maximum_length].ljust(allowed.minimum_length or 0, "x")


def nth_value(number: int, of: int, allowed: Allowed, kind: Type) -> object:
    """The conceptual value `number`, from 0, of so many that are among the allowed values or within the bounds."""
    if allowed.values:
        value = allowed.values[number % len(allowed.values)]
        return {TypeName.FLOAT: float, TypeName.DECIMAL: Decimal}.get(kind.name, type(value))(value)
    low, high = _ends(allowed, of)
    if kind.name is TypeName.INTEGER:
        first = floor(low) + 1 if allowed.exclusive_minimum else ceil(low)
        last = ceil(high) - 1 if allowed.exclusive_maximum else floor(high)
        return first + number % max(1, last - first + 1)
    with localcontext(prec=_DIGITS):
        value = low + (high - low) * (2 * (number % of) + 1) / (2 * of)
        if kind.name is TypeName.FLOAT:
            return float(value)
        step = Decimal(1).scaleb(-((*kind.numbers, 0)[1] if kind.numbers else 2))
        near = [value.quantize(step, each) for each in (ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR)]
    return next(filter(allowed.holds, near), value)


def _ends(allowed: Allowed, of: int) -> tuple[Decimal, Decimal]:
    """The lower and upper end of the range; an open end is far enough away for `of` values."""
    low, high = (None if end is None else Decimal(end) for end in (allowed.minimum, allowed.maximum))
    low = low if low is not None else (high if high is not None else Decimal()) - of - 1
    return low, high if high is not None else low + of + 1
