"""What designing answers: a design with the decisions that led to it, and what it could not take into account."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.design_problem import gap_between
from nestling.ir.quantity_words import counted
from nestling.ir.reading import Gap
from nestling.ir.statistics import Statistics
from nestling.ir.storage.bounds import mistakes_in_size
from nestling.ir.workload import Requirements

IN_PLACE = "in place"
"""What the design that is there today is called where a strategy's name stands."""

OPTIMAL = "optimal"
"""The strategy that weighs costs: what costs least, found and proved by the optimizer; the others decide by rules."""
CACHE_ASSUMED = "prices assume a cache of "
"""How the note begins that says which rows the server's cache does not hold."""


UNCHECKED = "by the search's estimate alone"
"""Of a number that no compiled queries confirm."""


class Choice(StrEnum):
    """How a relationship is stored."""

    EMBED = "embed"
    CHILD_REFERENCE = "child-reference"
    PARENT_REFERENCE = "parent-reference"
    TWO_WAY_REFERENCE = "two-way-reference"


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of a decision: the rule (`A2`, `rule-4`, `invariant`, …), what was asked and found, and the number found.

    `statements`: those of the workload it is about.
    """

    rule: str
    text: str
    number: float | None = None
    statements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """A choice that was possible or considered, and why it was not taken; `cost`: of the best whole design with it.

    `checked`: whether the queries of that design were compiled, and the cost is by their prices.
    """

    choice: Choice
    text: str
    cost: float | None = None
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Flip:
    """The value of a quantity (`rate of rename_product`, a second) at which a decision turns to something else.

    `checked`: whether the queries of the designs before and beyond it were compiled, and it is by their prices.
    """

    quantity: str
    now: float
    at: float
    to: str
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """What was chosen for one relationship (or many-to-many), the patterns that make it up, and why.

    `flips`: where it would turn, nearest first.
    """

    relationship: str
    choice: Choice
    patterns: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    flips: tuple[Flip, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighed:
    """A structure besides the homes that decisions tell – a copy, a computed value, an index – that was weighed: chosen or not.

    `gain` is what the best design with it costs less than the best without, in seconds per second (negative: more), and
    `threshold` what the other one of the two would have to save besides, as it is a change to a live database (negative: this one
    had to). `price` says what it asks of writers, `motives` which statements want it (of a chosen copy or index: which
    use it), `because` which pay or save most, `statements` all that do, `about` which relationship it follows (empty: none).
    Of a chosen one, `instead` is what the best design without it has in its place, and `dropped` what it costs more, in seconds
    per second, where nothing takes its place (None: as much).
    Where `gain` is None, it was not weighed; then `because` says which bound it passes, if that is why. `checked`: whether `gain`
    is by the prices of the queries of both designs.
    """

    structure: str
    pattern: str
    chosen: bool
    gain: float | None
    price: str = ""
    motives: tuple[str, ...] = ()
    flips: tuple[Flip, ...] = ()
    because: str = ""
    about: str = ""
    instead: tuple[str, ...] = ()
    dropped: float | None = None
    statements: tuple[str, ...] = ()
    checked: bool = True
    threshold: float = 0.0

    @property
    def stays(self) -> bool:
        """Whether it is there only since taking it away is a change to a live database, which would not save enough."""
        return self.chosen and self.gain is not None and self.gain <= 0 < self.threshold


@dataclass(frozen=True, slots=True)
class StatementCost:
    """What an execution of a statement costs, in seconds, and how often there is one."""

    statement: str
    seconds: float
    rate_per_second: float

    @property
    def work(self) -> float:
        """Seconds of work a second."""
        return self.seconds * self.rate_per_second


@dataclass(frozen=True, slots=True)
class Costs:
    """What a design costs by the cost model, in seconds of work per second, and how sure it is that no other costs less.

    `statements`: seconds per execution, as the search reckoned; `rates`: their executions a second. `dearer`: those whose query
    costs far more than that, so that nothing is proved for them, by what it costs. `threshold`: the part of the cost that is no
    work, but what a change to a live database has to save at least. `seconds`: how long the search took, which is no part of what
    was found, nor of a file.
    """

    cost: float
    bound: float
    profile: str
    statements: tuple[tuple[str, float], ...] = ()
    dearer: tuple[StatementCost, ...] = ()
    threshold: float = 0.0
    seconds: float = field(default=0.0, compare=False)
    rates: tuple[tuple[str, float], ...] = ()

    @property
    def by_statement(self) -> tuple[StatementCost, ...]:
        """What each statement costs whose rate is known, with the real cost of the dearer ones; those of most work first."""
        really, rates = {each.statement: each.seconds for each in self.dearer}, dict(self.rates)
        known = (
            StatementCost(name, really.get(name, each), rates[name]) for name, each in self.statements if name in rates
        )
        return tuple(sorted(known, key=lambda each: -each.work))

    @property
    def gap(self) -> float:
        """How far above the bound the cost is at most, as a share of the cost."""
        return gap_between(self.cost, self.bound)

    @property
    def with_dearer(self) -> float:
        """The cost with what the dearer statements' queries really cost, in seconds of work per second."""
        reckoned = dict(self.statements)
        return self.cost + sum(each.work - reckoned[each.statement] * each.rate_per_second for each in self.dearer)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A design, how it came about, and the numbers it rests on. Raises `DesignError` when a document or array bound can be
    passed (see `nestling.ir.storage.bounds`).
    """

    strategy: str
    design: Design
    decisions: tuple[Decision, ...] = ()
    statistics: Statistics = Statistics()
    requirements: Requirements = Requirements()
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    weighed: tuple[Weighed, ...] = ()
    costs: Costs | None = None
    dialect: str = "sqlite"
    """Of the SQL its source and its workload speak."""
    left_out: tuple[str, ...] = ()
    """Statements of the workload that nobody could read: nothing of the design is decided for them."""
    in_part: tuple[str, ...] = ()
    """Statements that were weighed with only what could be read of them."""
    is_changed: bool = field(default=False, compare=False)
    """Whether its file's design is another than was decided: decisions and costs are of the one before."""

    def __post_init__(self) -> None:
        if problems := tuple(mistakes_in_size(self.design, self.statistics, self.requirements)):
            raise DesignError(*problems)

    @property
    def is_in_place(self) -> bool:
        """Whether it describes what a live database has: no other indexes than those it names are there."""
        return self.strategy == IN_PLACE

    @property
    def priced(self) -> tuple[str, ...]:
        """The statements it was made for whose cost is known."""
        return tuple(name for name, _ in self.costs.statements) if self.costs is not None else ()

    def decision(self, relationship: str) -> Decision | None:
        """The decision on a relationship, None when there is none."""
        return next((made for made in self.decisions if made.relationship == relationship), None)

    def __repr__(self) -> str:
        """What a shell shows: the name, what made it, and how much there is of it."""
        stored, made = len(self.design.collections), len(self.decisions)
        costs = f", {self.costs.cost * 1e3:,.4g} ms/s" if self.costs is not None else ""
        return (
            f"<Proposal {self.design.model.name!r} by strategy {self.strategy!r}: {counted(stored, 'collection')},"
            f" {counted(len(self.design.indexes), 'index')}, {counted(made, 'decision')}{costs}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from nestling.ir.words.notebook import proposal_html

        return proposal_html(self)
