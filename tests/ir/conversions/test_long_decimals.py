"""Numbers of many digits for decimal columns of servers: what MongoDB keeps is taken, of the rest it is said what is too much."""

from __future__ import annotations

from decimal import Decimal

import pytest

from nestling.ir.conversions.servers import strict_decimal
from nestling.ir.conversions.stored import stored


@pytest.mark.parametrize("digits", ["1.5", "123456789012345678901234.0123456789", "1234567890123456789012345678"])
def test_all_that_a_decimal_of_bson_holds_is_taken(digits: str) -> None:
    """34 digits, which are more than Python's decimals have unless they are told."""
    assert stored("v", Decimal(digits), "decimal(38,10)", strict_decimal(38, 10)).to_decimal() == Decimal(digits)


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        ("1234567890123456789012345678.0123456789", (38, 10), "at most 28 digits before the point and 34 in total,"),
        ("12345678901234567890123456789", (38, 10), "at most 28 digits before the point and 34 in total,"),
        ("123456789", (10, 2), "at most 8 digits before the point, or change"),
    ],
)
def test_what_is_too_much_is_told(value: str, kind: tuple[int, int], said: str) -> None:
    """The type's digits before the point, and MongoDB's where these are fewer."""
    with pytest.raises(ValueError, match=said):
        stored("v", Decimal(value), f"decimal({kind[0]},{kind[1]})", strict_decimal(*kind))
