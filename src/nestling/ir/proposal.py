"""What designing answers: a design with the decisions that led to it, and what it could not take into account."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nestling.common.errors import DesignError
from nestling.ir.bounds import mistakes_in_size
from nestling.ir.design import Design
from nestling.ir.reading import Gap
from nestling.ir.statistics import Statistics
from nestling.ir.workload import Requirements


class Choice(StrEnum):
    """How a relationship is stored."""

    EMBED = "embed"
    CHILD_REFERENCE = "child-reference"
    PARENT_REFERENCE = "parent-reference"
    TWO_WAY_REFERENCE = "two-way-reference"


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of a decision: the rule (`A2`, `rule-4`, `invariant`, …), what was asked and found, and the number found."""

    rule: str
    text: str
    number: float | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """A choice that was possible or considered, and why it was not taken."""

    choice: Choice
    text: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What was chosen for one relationship (or many-to-many), the patterns that make it up, and why."""

    relationship: str
    choice: Choice
    patterns: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A design, how it came about, and the numbers it rests on. Raises `DesignError` when a document or array bound can be
    passed (see `nestling.ir.bounds`).
    """

    strategy: str
    design: Design
    decisions: tuple[Decision, ...] = ()
    statistics: Statistics = Statistics()
    requirements: Requirements = Requirements()
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if problems := tuple(mistakes_in_size(self.design, self.statistics, self.requirements)):
            raise DesignError(*problems)

    def decision(self, relationship: str) -> Decision | None:
        """The decision on a relationship, None when there is none."""
        return next((made for made in self.decisions if made.relationship == relationship), None)
