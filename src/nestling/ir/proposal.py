"""The result of designing: a design with the decisions that led to it, and what it could not take into account."""

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
"""The name of today's design, in place of a strategy."""

OPTIMAL = "optimal"
"""The strategy that compares costs: the optimizer finds the cheapest design with a proof. The others use rules."""
CACHE_ASSUMED = "prices assume a cache of "
"""The beginning of the note about rows that the server's cache does not hold."""


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
    """One step of a decision: the rule (`A2`, `rule-4`, `invariant`, …), the question, the answer and its number.

    `statements`: the workload's statements that it is about.
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


WITHOUT_IT = "without it"
"""What a decision of one structure alone turns to."""


@dataclass(frozen=True, slots=True)
class Flip:
    """The value of a quantity (such as `rate of rename_product`, per second) at which a decision changes.

    `checked`: whether the queries of the designs before and beyond it were compiled and used for its prices.
    """

    quantity: str
    now: float
    at: float
    to: str
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """The choice for one relationship (or many-to-many), the patterns it consists of, and why.

    `flips`: where it would change, nearest first.
    """

    relationship: str
    choice: Choice
    patterns: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    flips: tuple[Flip, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighed:
    """A structure other than a home – a copy, a computed value, an index – that was considered, chosen or not.

    - `gain`: how much less the best design with it costs than the best without it, in seconds per second (negative: more).
      None: it was not compared, and `because` may name the bound that it breaks. `checked`: whether `gain` uses the queries of
      both designs.
    - `threshold`: what the other of the two designs would have to save in addition, because it changes a live database
      (negative: what this one had to save).
    - `price`: the cost for writers. `motives`: the statements that want it, or those that use a chosen copy or index.
      `because`: those that pay or save most; `statements`: all that do. `about`: the relationship it follows (empty: none).
    - For a chosen structure, `instead` is its replacement in the best design without it, and `dropped` the extra cost, in
      seconds per second, if nothing replaces it (None: the same).
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
        """Whether it exists only because removing it would change a live database without saving enough."""
        return self.chosen and self.gain is not None and self.gain <= 0 < self.threshold


@dataclass(frozen=True, slots=True)
class StatementCost:
    """The cost of one execution of a statement in seconds, and its rate."""

    statement: str
    seconds: float
    rate_per_second: float

    @property
    def work(self) -> float:
        """Seconds of work a second."""
        return self.seconds * self.rate_per_second


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of a design by the cost model, in seconds of work per second, and the bound below which no design can be.

    - `statements`: seconds per execution, as the search assumed; `rates`: executions per second.
    - `dearer`: statements whose query costs far more than that, with its cost; for these nothing is proved.
    - `threshold`: the part of the cost that is no work but the least saving required of a change to a live database.
    - `seconds`: the duration of the search, which is neither compared nor written to a file.
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
        """The cost of each statement with a known rate, with the real cost of the dearer ones; most work first."""
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
        """The cost including what the dearer statements' queries really cost, in seconds of work per second."""
        estimated = dict(self.statements)
        return self.cost + sum(each.work - estimated[each.statement] * each.rate_per_second for each in self.dearer)


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
    """The SQL dialect of the source and the workload."""
    left_out: tuple[str, ...] = ()
    """Statements of the workload that could not be read and do not influence the design."""
    in_part: tuple[str, ...] = ()
    """Statements of which only a part could be read and considered."""
    is_changed: bool = field(default=False, compare=False)
    """Whether the design in its file was changed afterwards: decisions and costs are those of the earlier one."""

    def __post_init__(self) -> None:
        if problems := tuple(mistakes_in_size(self.design, self.statistics, self.requirements)):
            raise DesignError(*problems)

    @property
    def is_in_place(self) -> bool:
        """Whether it describes a live database as it is: there are no indexes except those it names."""
        return self.strategy == IN_PLACE

    @property
    def priced(self) -> tuple[str, ...]:
        """The statements with a known cost."""
        return tuple(name for name, _ in self.costs.statements) if self.costs is not None else ()

    def decision(self, relationship: str) -> Decision | None:
        """Return the decision on a relationship, or None."""
        return next((made for made in self.decisions if made.relationship == relationship), None)

    def __repr__(self) -> str:
        """The text for a shell: the name, the strategy and the sizes."""
        stored, made = len(self.design.collections), len(self.decisions)
        costs = f", {self.costs.cost * 1e3:,.4g} ms/s" if self.costs is not None else ""
        return (
            f"<Proposal {self.design.model.name!r} by strategy {self.strategy!r}: {counted(stored, 'collection')},"
            f" {counted(len(self.design.indexes), 'index')}, {counted(made, 'decision')}{costs}>"
        )

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        from nestling.ir.words.notebook import proposal_html

        return proposal_html(self)
