"""Decimal128 and back: the same as the driver's conversion, for every number."""

from __future__ import annotations

from decimal import Decimal, localcontext

import pytest
from bson.decimal128 import Decimal128
from hypothesis import given
from hypothesis import strategies as st

from nestling.ir.value_forms.decimal128 import fits, from_decimal128, to_decimal128

NUMBERS = st.builds(
    lambda sign, coefficient, exponent: Decimal((sign, tuple(map(int, str(coefficient))), exponent)),
    st.integers(0, 1),
    st.one_of(st.integers(0, 10**6), st.integers(0, 10**34 - 1)),
    st.one_of(st.integers(-10, 10), st.integers(-6176, 6111)),
)


@pytest.mark.thorough
@given(NUMBERS)
def test_numbers_are_kept_to_the_digit(number: Decimal) -> None:
    """There as the driver does it, and back with sign, digits and exponent."""
    assert fits(number)
    stored = to_decimal128(number)
    assert stored == Decimal128(number)
    assert from_decimal128(stored).as_tuple() == number.as_tuple()


@pytest.mark.parametrize("text", ["NaN", "-NaN", "Infinity", "-Infinity", "1E+6144", "0E+7000", "0E-7000"])
def test_what_is_not_ordinary_is_left_to_the_driver(text: str) -> None:
    """Not numbers, infinities, and numbers whose exponent must be moved."""
    number = Decimal(text)
    assert to_decimal128(number) == Decimal128(number)
    assert str(from_decimal128(Decimal128(number))) == str(Decimal128(number).to_decimal())


@given(st.binary(min_size=16, max_size=16))
def test_any_sixteen_bytes_mean_what_they_mean_to_the_driver(bid: bytes) -> None:
    """Also those no driver would write."""
    stored = Decimal128.from_bid(bid)
    with localcontext() as context:
        context.prec = 40
        assert str(from_decimal128(stored)) == str(stored.to_decimal())


@pytest.mark.parametrize(("text", "does"), [("1" * 34, True), ("1" * 35, False), ("1E+6144", True), ("1E+6145", False)])
def test_what_fits(text: str, does: bool) -> None:
    """34 digits, and exponents up to 6144."""
    assert fits(Decimal(text)) is does
