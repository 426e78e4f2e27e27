"""What there is to choose: structures, how each step of each statement can be answered with them, and what that works out to.

Costs are *step-separable*: how one step is answered does not change how many rows reach the next, so a statement's cost is the
sum over its steps, and a design's the sum over statements, each times its rate. The planner counts the work of every way and
prices it as it goes; the optimizer solves the `DesignProblem`, and knows nothing of what a structure means. Costs are seconds
of server and client time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

CHANGE = "threshold for changing a live database"
"""Among the statements, what a change to a design in place has to save at least; no measured cost."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Something a design may have. `weight`: how many structures it counts for; `in_place`: today's design has it."""

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
    """An amount that chosen structures add to, from `base` on, such as the bytes of one collection's documents."""

    name: str
    amounts: tuple[tuple[str, float], ...]
    base: float = 0.0


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to answer a step: possible when all structures of `needs` are chosen and none of `without`.

    `cost` is per execution; `also`: further cost per execution when that structure is chosen too; `loads`: further cost per
    execution for each unit of that load.
    """

    text: str
    needs: tuple[str, ...]
    cost: float
    also: tuple[tuple[str, float], ...] = ()
    without: tuple[str, ...] = ()
    loads: tuple[tuple[str, float], ...] = ()

    def then(self, other: Mode) -> Mode:
        """Both ways, one after the other, as one."""
        needs = tuple(dict.fromkeys((*self.needs, *other.needs)))
        without = tuple(dict.fromkeys((*self.without, *other.without)))
        also, loads = (*self.also, *other.also), (*self.loads, *other.loads)
        return Mode(f"{self.text}; {other.text}", needs, self.cost + other.cost, also, without, loads)

    def times(self, number: float, *, more: float = 0.0) -> Mode:
        """The same so many times in an execution, and `more` seconds once."""
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
    """What an execution of the statement costs whenever all structures of `when` are chosen: upkeep, wider documents."""

    statement: str
    text: str
    when: tuple[str, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class Limit:
    """The amounts of the chosen structures (and of conjunctions of them) may not sum up to more than `at_most`."""

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
    """Everything to choose from. `rates` are executions a second by statement.

    `along`: by statement, what one execution more adds to the rates of others, such as of what is a share of all costs.
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
        """What has a rate of its own."""
        return frozenset(self.rates).difference(*self.along.values())

    def with_rate(self, statement: str, rate: float) -> DesignProblem:
        """The problem at another rate of a statement."""
        more = rate - self.rates[statement]
        others = {name: self.rates[name] + more * each for name, each in self.along.get(statement, {}).items()}
        return replace(self, rates={**self.rates, **others, statement: rate})


def gap_between(cost: float, bound: float) -> float:
    """How far above a proved lower bound a cost is at most, as a share of the cost."""
    return (cost - bound) / cost if cost > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Solution:
    """What was chosen, and how sure that is the best: `bound` is a proved lower bound of the cost, both in seconds per second."""

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
    """At `at`, a decision turns to `to` (None: to nothing); `quantity` is `now` today.

    `checked`: whether the queries of both choices were looked at.
    """

    quantity: str
    now: float
    at: float
    to: str | None
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Weighing:
    """One group weighed: what the best whole design would cost with each other structure (None: with none of them; a cost of
    None: not allowed), cheapest first, and where the decision turns, nearest first.

    `causes`: for each alternative in turn, by statement, the seconds a second it costs more, the largest difference first;
    `come`: for each in turn, what it has that was not chosen and that it needs. `dropped`: the cost where nothing takes the place
    of what was chosen, without the threshold of that change (None: not allowed). `unchecked`: the alternatives whose queries were
    not looked at.
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
    """One step from a design to another: structures that go and that come, and what it saves in seconds per second (None: not
    priced). Changes are in order: each is priced with those before it made.
    """

    gone: tuple[str, ...]
    come: tuple[str, ...]
    gain: float | None = None
