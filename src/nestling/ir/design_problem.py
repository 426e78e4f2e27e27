"""A choice of structures: how each step of each statement can be answered with them, and what that costs.

Costs are *step-separable*: how one step is answered does not change how many rows reach the next. So a statement's cost is the
sum over its steps, and a design's cost the sum over its statements, each times its rate. The planner counts the work of every
way and prices it; the optimizer solves the `DesignProblem` without knowing what a structure means. Costs are seconds of server
and client time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

CHANGE = "threshold for changing a live database"
"""A pseudo-statement for the least that a change to a design in place must save; it is not a measured cost."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Something a design may have. `weight`: how many structures it counts as; `in_place`: today's design has it."""

    id: str
    text: str
    bytes: float = 0.0  # stored, data and indexes
    weight: int = 1
    in_place: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Exactly one of these structures (at most one when `optional`): the alternatives of one decision."""

    name: str
    among: tuple[str, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Needs:
    """`structure` only together with at least one of `any_of`."""

    structure: str
    any_of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """A sum over chosen structures, starting from `base`, such as the bytes of one collection's documents."""

    name: str
    amounts: tuple[tuple[str, float], ...]
    base: float = 0.0


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to answer a step: possible if all structures in `needs` and none in `without` are chosen.

    `cost` is per execution; `also`: additional cost per execution if that structure is chosen too; `loads`: additional cost per
    execution for each unit of that load.
    """

    text: str
    needs: tuple[str, ...]
    cost: float
    also: tuple[tuple[str, float], ...] = ()
    without: tuple[str, ...] = ()
    loads: tuple[tuple[str, float], ...] = ()

    def then(self, other: Mode) -> Mode:
        """This way followed by the other, as one."""
        needs = tuple(dict.fromkeys((*self.needs, *other.needs)))
        without = tuple(dict.fromkeys((*self.without, *other.without)))
        also, loads = (*self.also, *other.also), (*self.loads, *other.loads)
        return Mode(f"{self.text}; {other.text}", needs, self.cost + other.cost, also, without, loads)

    def times(self, number: float, *, more: float = 0.0) -> Mode:
        """This way repeated so many times in an execution, plus `more` seconds once."""
        also = tuple((name, cost * number) for name, cost in self.also)
        loads = tuple((name, cost * number) for name, cost in self.loads)
        return replace(self, cost=self.cost * number + more, also=also, loads=loads)


@dataclass(frozen=True, slots=True)
class StatementStep:
    """One step of a statement: exactly one of its modes answers it."""

    statement: str
    name: str
    modes: tuple[Mode, ...]


@dataclass(frozen=True, slots=True)
class Charge:
    """An additional cost per execution of the statement if all structures in `when` are chosen: upkeep, wider documents."""

    statement: str
    text: str
    when: tuple[str, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class Limit:
    """The sum of the amounts of chosen structures, and of combinations of them, may not exceed `at_most`."""

    name: str
    amounts: tuple[tuple[tuple[str, ...], float], ...]
    at_most: float
    requirement: str = ""  # the requirement that sets it, in words
    in_bytes: bool = False

    @property
    def scale(self) -> float:
        """The largest number in it, by which rounding is measured."""
        return max([abs(self.at_most), *(abs(amount) for _, amount in self.amounts)]) or 1.0


@dataclass(frozen=True, slots=True)
class DesignProblem:
    """Everything there is to choose. `rates`: executions per second by statement.

    `along`: by statement, what one more execution adds to the rates of others, such as of a share of all costs.
    """

    structures: tuple[Structure, ...]
    groups: tuple[Group, ...]
    needs: tuple[Needs, ...]
    steps: tuple[StatementStep, ...]
    charges: tuple[Charge, ...]
    limits: tuple[Limit, ...]
    rates: Mapping[str, float]
    loads: tuple[Load, ...] = ()
    along: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def statements(self) -> frozenset[str]:
        """The names with a rate of their own."""
        return frozenset(self.rates).difference(*self.along.values())

    def with_rate(self, statement: str, rate: float) -> DesignProblem:
        """Return the problem with another rate of a statement."""
        more = rate - self.rates[statement]
        others = {name: self.rates[name] + more * each for name, each in self.along.get(statement, {}).items()}
        return replace(self, rates={**self.rates, **others, statement: rate})


def gap_between(cost: float, bound: float) -> float:
    """How far above a proved lower bound a cost is at most, as a share of the cost."""
    return (cost - bound) / cost if cost > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Solution:
    """The choice and its proof: `bound` is a proved lower bound of the cost. Both are in seconds per second."""

    chosen: frozenset[str]
    modes: Mapping[tuple[str, str], int]  # (statement, step) -> position of its mode
    cost: float
    bound: float
    seconds: float
    proved: bool

    @property
    def gap(self) -> float:
        """How far above the bound the cost is at most, as a share of the cost."""
        return gap_between(self.cost, self.bound)


@dataclass(frozen=True, slots=True)
class Turn:
    """At the value `at`, a decision changes to `to` (None: to nothing); `quantity` is `now` today.

    `checked`: whether the queries of both choices were examined.
    """

    quantity: str
    now: float
    at: float
    to: str | None
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Weighing:
    """The alternatives of one group, and where the decision changes, nearest first.

    `alternatives`: the cost of the best whole design with each other structure, cheapest first. The structure None means none
    of them; the cost None means not allowed. `causes`: for each alternative, the extra cost of each statement in seconds per
    second, largest first. `come`: for each alternative, the structures it needs that were not chosen. `dropped`: the cost if
    nothing replaces the chosen structure, without the threshold for that change (None: not allowed). `unchecked`: alternatives
    whose queries were not examined.
    """

    group: str
    alternatives: tuple[tuple[str | None, float | None], ...]
    turns: tuple[Turn, ...] = ()
    causes: tuple[tuple[tuple[str, float], ...], ...] = ()
    come: tuple[tuple[str, ...], ...] = ()
    dropped: float | None = None
    unchecked: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One step from one design to another: removed and added structures, and the saving in seconds per second (None: not priced).

    Changes are ordered: each is priced assuming that those before it have been made.
    """

    gone: tuple[str, ...]
    come: tuple[str, ...]
    gain: float | None = None
