"""Clauses: conditions that hold whatever the parameters are, as a statement's own text says of rows it finds or writes."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from nestling.common.errors import InputError, Problem

ClauseValue: TypeAlias = str | int | bool


class ClauseOperator(StrEnum):
    """How a value is compared with a constant."""

    EQUAL = "="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    NULL = "is null"
    PRESENT = "is not null"

    @property
    def bounds(self) -> bool:
        """Whether it is one end of a range."""
        return self in _BOUNDS

    @property
    def mirrored(self) -> ClauseOperator:
        """The operator with the sides exchanged: `a < b` is `b > a`."""
        return _MIRRORED.get(self, self)


_BOUNDS = frozenset(
    {ClauseOperator.LESS, ClauseOperator.LESS_OR_EQUAL, ClauseOperator.GREATER, ClauseOperator.GREATER_OR_EQUAL}
)
_MIRRORED = {
    ClauseOperator.LESS: ClauseOperator.GREATER,
    ClauseOperator.LESS_OR_EQUAL: ClauseOperator.GREATER_OR_EQUAL,
    ClauseOperator.GREATER: ClauseOperator.LESS,
    ClauseOperator.GREATER_OR_EQUAL: ClauseOperator.LESS_OR_EQUAL,
}
_BELOW = frozenset({ClauseOperator.LESS, ClauseOperator.LESS_OR_EQUAL})
_ABSENCES = frozenset({ClauseOperator.NULL, ClauseOperator.PRESENT})


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition with a constant on `name`, an attribute or a path in documents; `value` is None for NULL and not NULL alone.

    Text form: `status = "open"`, `amount > 9`, `closed is null`.
    """

    name: str
    comparison: ClauseOperator
    value: ClauseValue | None = None

    def __str__(self) -> str:
        end = "" if self.comparison in _ABSENCES else f" {json.dumps(self.value, ensure_ascii=False)}"
        return f"{self.name} {self.comparison}{end}"

    @staticmethod
    def parse(text: str) -> Clause:
        """Read the text form; raises `InputError`."""
        for each in (ClauseOperator.PRESENT, ClauseOperator.NULL):
            if text.endswith(f" {each}"):
                return Clause(text.removesuffix(f" {each}"), each)
        for at in range(len(text)):
            for each in ClauseOperator:
                start = f" {each} "
                if text.startswith(start, at) and (found := _value(text[at + len(start) :])) is not None:
                    return Clause(text[:at], each, found)
        what = f"`{text}` is not a condition"
        raise InputError(Problem(what=what, next_move='write `status = "open"`, `amount > 9` or `closed is null`'))

    def implies(self, other: Clause) -> bool:
        """Whether every value this holds of is one that `other` holds of."""
        if self.name != other.name:
            return False
        if self == other:
            return True
        if other.comparison is ClauseOperator.PRESENT:
            return self.comparison is not ClauseOperator.NULL
        if not other.comparison.bounds or not _alike(self.value, other.value):
            return False
        if self.comparison is ClauseOperator.EQUAL:
            return other.holds(self.value)
        if not self.comparison.bounds or (self.comparison in _BELOW) is not (other.comparison in _BELOW):
            return False
        return other.holds(self.value) or (
            self.value == other.value and self.comparison in (ClauseOperator.LESS, ClauseOperator.GREATER)
        )

    def excludes(self, other: Clause) -> bool:
        """Whether it is evident that no value satisfies both this clause and `other`."""
        if self.name != other.name:
            return False
        kinds = {self.comparison, other.comparison}
        if ClauseOperator.NULL in kinds:
            return len(kinds) > 1
        exact, bound = (self, other) if self.comparison is ClauseOperator.EQUAL else (other, self)
        if exact.comparison is not ClauseOperator.EQUAL or bound.comparison is ClauseOperator.PRESENT:
            return False
        return _alike(exact.value, bound.value) and not bound.holds(exact.value)

    def holds(self, value: ClauseValue | None) -> bool:
        """Whether a value of the constant's own kind fulfils it."""
        mine = self.value
        match self.comparison:
            case ClauseOperator.EQUAL:
                return value == mine
            case ClauseOperator.LESS:
                return value < mine  # type: ignore[operator]
            case ClauseOperator.LESS_OR_EQUAL:
                return value <= mine  # type: ignore[operator]
            case ClauseOperator.GREATER:
                return value > mine  # type: ignore[operator]
            case ClauseOperator.GREATER_OR_EQUAL:
                return value >= mine  # type: ignore[operator]
            case ClauseOperator.NULL:
                return value is None
            case ClauseOperator.PRESENT:
                return value is not None


def imply(given: Collection[Clause], wanted: Collection[Clause]) -> bool:
    """Whether what is given, all of it together, says all that is wanted."""
    return all(any(one.implies(each) for one in given) for each in wanted)


def _alike(one: ClauseValue | None, other: ClauseValue | None) -> bool:
    return one is not None and type(one) is type(other)


def _value(text: str) -> ClauseValue | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, str | int | bool) else None
