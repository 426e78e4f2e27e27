"""Constraints on the values of an attribute besides their type that a validator can express: most CHECKs of one column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext
from typing import TypeAlias

from nestling.common.errors import InputError, Problem
from nestling.ir.quantity_words import first_of
from nestling.ir.types import NUMBERS, Type, TypeName
from nestling.ir.value_forms.decimal128 import fits
from nestling.ir.value_forms.numeral import INT64

Number: TypeAlias = int | Decimal
Scalar: TypeAlias = str | int | Decimal

_SHOWN = 6


def number(value: float | str | Decimal) -> Number:
    """A number in the one form that equal numbers have; raises `InputError` for what no Decimal128 can hold."""
    try:
        found = Decimal(str(value))
        with localcontext(prec=max(len(found.as_tuple().digits), 1)):  # so that nothing is rounded
            found = found.normalize()
    except InvalidOperation:
        found = Decimal("NaN")
    if not (found.is_finite() and fits(found)):
        raise InputError(Problem(what=f"`{value}` is not a number that values can be compared with"))
    is_whole = found == found.to_integral_value() and -INT64 <= found < INT64
    return int(found) if is_whole else found


@dataclass(frozen=True, slots=True)
class Allowed:
    """One of these `values` (texts, or numbers), numbers between bounds, or texts of so many characters.

    NULL always passes, as it does with a CHECK; so does NaN if there is no maximum: it is not below anything.
    """

    values: tuple[Scalar, ...] = ()
    minimum: Number | None = None
    maximum: Number | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    minimum_length: int | None = None
    maximum_length: int | None = None

    def __post_init__(self) -> None:
        if problem := next(_mistakes(self), None):
            raise InputError(problem)

    @property
    def bounds(self) -> tuple[Number, ...]:
        """The ends of the range there are."""
        return tuple(end for end in (self.minimum, self.maximum) if end is not None)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The ends of how long texts may be that there are."""
        return tuple(end for end in (self.minimum_length, self.maximum_length) if end is not None)

    def is_of(self, kind: Type) -> bool:
        """Whether it is about values of a type: it may be of texts, or of numbers."""
        of_texts = bool(self.lengths) or any(isinstance(value, str) for value in self.values)
        return kind.name is TypeName.TEXT if of_texts else kind.name in NUMBERS

    def holds(self, value: Scalar | float | None) -> bool:
        """Whether a value of the right kind, or NULL, passes; doubles are compared with doubles."""
        if value is None:
            return True
        if self.values:
            return value in (tuple(map(float, self.values)) if isinstance(value, float) else self.values)
        if isinstance(value, str):
            return _is_between(len(value), self.minimum_length, self.maximum_length)
        if value != value:
            return self.maximum is None
        kind = float if isinstance(value, float) else Decimal
        least, most = (None if end is None else kind(end) for end in (self.minimum, self.maximum))
        is_end = (self.exclusive_minimum and value == least) or (self.exclusive_maximum and value == most)
        return _is_between(value, least, most) and not is_end

    def meet(self, other: Allowed) -> Allowed:
        """The constraint that allows what both allow; raises `InputError` if that is nothing."""
        if self.values or other.values:
            one, limit = (self, other) if self.values else (other, self)
            return Allowed(tuple(value for value in one.values if limit.holds(value)))
        lows = [(each.minimum, each.exclusive_minimum) for each in (self, other) if each.minimum is not None]
        highs = [(each.maximum, not each.exclusive_maximum) for each in (self, other) if each.maximum is not None]
        minimum, exclusive_minimum = max(lows, default=(None, False))
        maximum, inclusive_maximum = min(highs, default=(None, True))
        shortest = [each.minimum_length for each in (self, other) if each.minimum_length is not None]
        longest = [each.maximum_length for each in (self, other) if each.maximum_length is not None]
        return Allowed(
            minimum=minimum,
            maximum=maximum,
            exclusive_minimum=exclusive_minimum,
            exclusive_maximum=not inclusive_maximum,
            minimum_length=max(shortest, default=None),
            maximum_length=min(longest, default=None),
        )

    def __str__(self) -> str:
        """The constraint in words: `at least 0, below 1`."""
        shown = first_of([f"'{value}'" if isinstance(value, str) else str(value) for value in self.values], _SHOWN)
        ends = (
            ("above {}" if self.exclusive_minimum else "at least {}", self.minimum),
            ("below {}" if self.exclusive_maximum else "at most {}", self.maximum),
            ("at least {} characters", self.minimum_length),
            ("at most {} characters", self.maximum_length),
        )
        return ", ".join([f"one of {shown}"] * bool(shown) + [w.format(end) for w, end in ends if end is not None])


def _is_between(value: float | Decimal, least: float | Decimal | None, most: float | Decimal | None) -> bool:
    return not (least is not None and value < least) and (most is None or value <= most)


def _mistakes(allowed: Allowed) -> Iterator[Problem]:
    kinds = [bool(allowed.values), bool(allowed.bounds), bool(allowed.lengths)]
    if sum(kinds) != 1:
        what = "`allowed` takes either values, or a minimum and maximum, or lengths"
        yield Problem(what=what, next_move="keep one of them")
    if len({isinstance(value, str) for value in allowed.values}) > 1:
        yield Problem(what="the allowed values mix texts and numbers", next_move="keep one of them")
    if len(set(allowed.values)) < len(allowed.values):
        yield Problem(what="an allowed value is listed twice", next_move="keep one of them")
    strict = allowed.exclusive_minimum or allowed.exclusive_maximum
    for least, most in ((allowed.minimum, allowed.maximum), (allowed.minimum_length, allowed.maximum_length)):
        if least is not None and most is not None and (least > most or (strict and least == most)):
            yield Problem(what=f"no value is {allowed}", next_move="exchange them")
    if any(length < 0 for length in allowed.lengths):
        yield Problem(what="a length cannot be negative")
    if (allowed.exclusive_minimum and allowed.minimum is None) or (
        allowed.exclusive_maximum and allowed.maximum is None
    ):
        yield Problem(
            what="an exclusive bound is declared without the bound itself", next_move="add the `minimum` or `maximum`"
        )
