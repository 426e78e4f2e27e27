"""Made values of an attribute, where the source allows only some of its type's."""

from __future__ import annotations

from decimal import Decimal

from nestling.ir.constraints.allowed_values import fitting, nth_value
from nestling.ir.model import Attribute
from nestling.sources.generated.nth_values import Maker


def kept(make: Maker, attribute: Attribute, distinct: int) -> Maker:
    """The function from 0 to `distinct` - 1 to values that are allowed: `make` itself where all of its are."""
    allowed = attribute.allowed
    if allowed is None:
        return make
    if allowed.lengths:
        return lambda n: fitting(str(make(n)), allowed)
    ends = [make(n) for n in (0, max(0, distinct - 1))]
    if allowed.bounds and all(isinstance(end, int | float | Decimal) and allowed.holds(end) for end in ends):
        return make
    return lambda n: nth_value(n, distinct, allowed, attribute.type)
