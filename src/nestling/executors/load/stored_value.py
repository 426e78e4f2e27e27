"""Python expressions that convert a row's values to BSON, and notes on values that do not fit their type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from nestling.common.errors import LoadError, Problem
from nestling.ir.model import Attribute
from nestling.ir.rows import UndecodableText
from nestling.ir.types import BSON_DIGITS, KEPT_AS_TEXT, MOMENTS, TypeName
from nestling.ir.value_forms.numeral import INT64
from nestling.ir.values import Policy, encoder

REMEMBERED_VALUES = 20_000
"""Decimals of one attribute whose Decimal128 is cached: some 5 MB."""

STORED_AS_IT_IS: dict[TypeName, type] = {
    **dict.fromkeys(KEPT_AS_TEXT, str),
    TypeName.INTEGER: int,
    TypeName.FLOAT: float,
    TypeName.BOOLEAN: bool,
    TypeName.BYTES: bytes,
    TypeName.UUID: UUID,
}
"""Types whose usual values need no conversion, and the class of those values: a fast path without a call."""
_CONVERTED: dict[TypeName, type] = {
    TypeName.DECIMAL: Decimal,
    TypeName.DATE: date,
    TypeName.TIMESTAMP: datetime,
    TypeName.TIMESTAMPTZ: datetime,
}
_EXPECTED = STORED_AS_IT_IS | _CONVERTED


_AGAIN = "design again from the source as it is now, and load with that design"


class UnstorableError(Exception):
    """A value of `attribute` that BSON cannot hold; code that knows the row adds its name."""

    def __init__(self, attribute: str, problem: Problem) -> None:
        super().__init__(attribute, problem)
        self.attribute = attribute
        self.problem = problem


class ValueEncoders:
    """Encoders for every attribute of a load, counting the values that were stored as found."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.as_found: Counter[tuple[str, str]] = Counter()
        self.finer: Counter[tuple[str, str]] = Counter()
        self.undecodable: Counter[tuple[str, str]] = Counter()

    def encoder(self, entity: str, attribute: Attribute) -> Callable[[object], object]:
        """From a conceptual value (not NULL) to BSON; raises `UnstorableError` naming the attribute."""
        convert, name = encoder(attribute.type, self.policy), attribute.name
        if TypeName.DECIMAL in {kind.name for kind in (attribute.type, *attribute.also)}:
            convert = _remembered(convert)
        usual = attribute.type.name in _EXPECTED
        expected = {_EXPECTED[kind.name] for kind in (attribute.type, *attribute.also) if kind.name in _EXPECTED}
        as_found, finer, undecodable, place = self.as_found, self.finer, self.undecodable, (entity, attribute.name)
        is_date = attribute.type.name in MOMENTS and attribute.type.fraction_digits <= BSON_DIGITS
        stops, has_no_nan = self.policy.microseconds == "error", attribute.type.is_without_nan

        def stored(value: object) -> object:
            if usual and (value.__class__ not in expected or (has_no_nan and is_nan(value))):
                (undecodable if value.__class__ is UndecodableText else as_found)[place] += 1
            elif is_date and getattr(value, "microsecond", 0) % 1000:
                if stops:
                    raise UnstorableError(name, _too_fine(value, entity, name))
                finer[place] += 1
            try:
                return convert(value)
            except LoadError as error:
                raise UnstorableError(name, error.problems[0]) from None

        return stored

    def notes(self) -> tuple[str, ...]:
        """A sentence about each way in which values were stored otherwise than their type is, with their numbers by attribute."""
        found = []
        if self.as_found:
            what = "values that did not fit their type were stored as found, and statements may misread them"
            found.append(f"{what}: {_counts(self.as_found)}; {_AGAIN}")
        if self.finer:
            what = (
                "timestamps with microseconds were stored as text beside dates, so the two sort and compare separately"
            )
            found.append(f"{what}: {_counts(self.finer)}; {_AGAIN}")
        if self.undecodable:
            what = "texts that are not UTF-8 were stored as bytes, and statements may misread them"
            found.append(
                f"{what}: {_counts(self.undecodable)}; write them as UTF-8 in the source to store them as text"
            )
        return tuple(found)


def is_nan(value: object) -> bool:
    """Whether it is NaN."""
    return value.is_nan() if isinstance(value, Decimal) else value.__class__ is float and value != value


def _too_fine(value: object, entity: str, attribute: str) -> Problem:
    what = f"the timestamp {value} has microseconds; `{entity}.{attribute}` is stored as dates, which have only milliseconds"
    move = (
        "design again with --milliseconds, which truncates timestamps; or design again from the database itself, which "
        "makes the column timestamp(6) or text, and load with that design; or store such timestamps as text beside dates, "
        "where the two sort and compare separately: `--microseconds text`"
    )
    return Problem(what, next_move=move)


def _counts(places: Counter[tuple[str, str]]) -> str:
    return ", ".join(f"{entity}.{name} ({count:,})" for (entity, name), count in sorted(places.items()))


def _remembered(convert: Callable[[object], object]) -> Callable[[object], object]:
    """The conversion with a cache for decimals: prices repeat, and making a Decimal128 takes 5 µs, finding it again 0.3."""
    known: dict[str, object] = {}

    def remembered(value: object) -> object:
        if value.__class__ is not Decimal:
            return convert(value)
        text = str(value)  # unlike equality it tells 1.0 from 1.00
        found = known.get(text)
        if found is None:
            found = convert(value)
            if len(known) < REMEMBERED_VALUES:
                known[text] = found
        return found

    return remembered


def expression(attribute: Attribute, variable: str, convert: str) -> str:
    """Python source for the BSON form of `variable`, which calls `convert` only if a conversion is needed."""
    kind = attribute.type
    if kind.name is TypeName.DATE:
        midnight = f"datetime({variable}.year, {variable}.month, {variable}.day)"
        return f"{midnight} if {variable}.__class__ is date else {convert}({variable})"
    if kind.name in MOMENTS and kind.fraction_digits <= BSON_DIGITS:
        fits = f"{variable}.__class__ is datetime and not {variable}.microsecond % 1000"
        return f"{variable} if {fits} else {convert}({variable})"
    usual = STORED_AS_IT_IS.get(kind.name)
    if usual is None or kind.subtype:
        return f"{convert}({variable})"
    fits = f"{variable}.__class__ is {usual.__name__}"
    if usual is float and kind.is_without_nan:
        fits += f" and {variable} == {variable}"
    if usual is int:
        fits += f" and {-INT64} <= {variable} < {INT64}"
    return f"{variable} if {fits} else {convert}({variable})"


NAMES: dict[str, object] = {"UUID": UUID, "date": date, "datetime": datetime}
"""What expressions refer to."""
