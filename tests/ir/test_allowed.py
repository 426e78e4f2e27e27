"""What is allowed of an attribute's values: which pass, what two say together, and made values that pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nestling.common.errors import InputError
from nestling.ir.constraints.allowed import Allowed, Scalar, number
from nestling.ir.constraints.allowed_values import fitting, nth_value
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import Type
from tests.generators.allowing import allowed_of

AMOUNTS = st.integers(-20, 20) | st.decimals(-20, 20, places=2)
ALLOWED = allowed_of(AMOUNTS, st.sampled_from(("a", "b", "c")))
OF_NUMBERS = ALLOWED.filter(lambda each: each.is_of(Type.parse("integer")))
NUMBERS = AMOUNTS | st.sampled_from((math.inf, -math.inf, 0.5))
KINDS = st.sampled_from(("integer", "float", "decimal(9,2)")).map(Type.parse)


def test_equal_numbers_are_the_same() -> None:
    """A whole number is an int up to 64 bits; what no Decimal128 holds is none."""
    assert [number(each) for each in ("1.0", Decimal("1E+1"), 2.0, "0.50")] == [1, 10, 2, Decimal("0.5")]
    assert isinstance(number(2**63), Decimal)
    assert number(10**34) == 10**34
    assert number("1234567890123456789012345678901.234") == Decimal("1234567890123456789012345678901.234")
    for text in ("one", "nan", "inf", "1e7000", "1." + "3" * 40):
        with pytest.raises(InputError, match="is not a number"):
            number(text)


@pytest.mark.parametrize(
    ("allowed", "passes", "not_so", "words"),
    [
        (Allowed(("a", "b")), ("a", None), ("A", "", "a "), "one of 'a', 'b'"),
        (Allowed((1, Decimal("0.5"))), (1, 1.0, 0.5, Decimal("0.50")), (0, 2), "one of 1, 0.5"),
        (Allowed(minimum=0, maximum=1), (0, 1, 0.5, None), (-1, Decimal("1.01"), math.nan), "at least 0, at most 1"),
        (Allowed(minimum=0, exclusive_minimum=True), (Decimal("0.01"), math.inf, math.nan), (0, -0.0), "above 0"),
        (Allowed(maximum=0, exclusive_maximum=True), (-1, -math.inf), (0, math.nan), "below 0"),
        (Allowed(minimum_length=1), ("a", "\U0001f600b"), ("",), "at least 1 characters"),
        (Allowed(maximum_length=2), ("", "\U0001f600b"), ("abc",), "at most 2 characters"),
    ],
)  # fmt: skip
def test_what_passes(allowed: Allowed, passes: tuple[Scalar, ...], not_so: tuple[Scalar, ...], words: str) -> None:
    """NULL always does, and NaN where there is no maximum."""
    assert all(map(allowed.holds, passes))
    assert not any(map(allowed.holds, not_so))
    assert str(allowed) == words


@pytest.mark.thorough
@given(OF_NUMBERS, OF_NUMBERS, NUMBERS)
def test_two_say_what_both_say(one: Allowed, other: Allowed, value: Scalar) -> None:
    """A value passes what they are together if it passes each; where they are nothing together, none does."""
    both = one.holds(value) and other.holds(value)
    try:
        assert one.meet(other).holds(value) == both
    except InputError:
        assert not both


@pytest.mark.thorough
@given(OF_NUMBERS, KINDS, st.integers(0, 30))
def test_made_numbers_pass(allowed: Allowed, kind: Type, count: int) -> None:
    """As many as are asked for, unless no number of the type does."""
    made = [nth_value(place, count, allowed, kind) for place in range(count)]
    some = any(allowed.holds(Decimal(each) / 100) for each in range(-2100, 2100, 100 if str(kind) == "integer" else 1))
    assert all(allowed.holds(each) for each in made if isinstance(each, int | float | Decimal)) or not some


@given(ALLOWED.filter(lambda each: bool(each.lengths)), st.text(max_size=9))
def test_texts_are_made_to_fit(allowed: Allowed, text: str) -> None:
    """Cut, or made longer."""
    assert allowed.holds(fitting(text, allowed))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Allowed, "either values, or a minimum and maximum, or lengths"),
        (lambda: Allowed((1,), minimum=0), "either values"),
        (lambda: Allowed((1, "a")), "texts and numbers"),
        (lambda: Allowed((1, 1)), "listed twice"),
        (lambda: Allowed(minimum=2, maximum=1), "no value is at least 2, at most 1"),
        (lambda: Allowed(minimum=1, maximum=1, exclusive_minimum=True), "no value"),
        (lambda: Allowed(minimum_length=-1), "cannot be negative"),
        (lambda: Allowed(minimum=1, exclusive_maximum=True), "an exclusive bound is declared without the bound itself"),
        (lambda: Model("m", (Entity("t", (Attribute("a", Type.parse("text"), allowed=Allowed((1,))),)),)), "does not fit"),
        (lambda: Model("m", (Entity("t", (Attribute("a", Type.parse("date"), allowed=Allowed((1,))),)),)), "`t.a` is date"),
    ],
)  # fmt: skip
def test_nothing_wrong_can_be_said(make: Callable[[], object], said: str) -> None:
    """One kind of condition, of the attribute's own kind, which some value meets."""
    with pytest.raises(InputError, match=said):
        make()
