"""One write while it is planned: the finished parts, the phases of the current part, and the names given.

All rows of a part are read before anything changes; what lies inside other rows is removed first and added last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.paths.write_path import Answer, Fetch, WritePlan, WriteStep
from nestling.ir.programs.compiled import OutputColumn
from nestling.ir.statements.expression import Expression
from nestling.ir.statements.write import Returning
from nestling.planner.reads.outputs import field_names
from nestling.planner.writes.draft.fetch import FetchPrices
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.draft.new_names import NewNames
from nestling.planner.writes.draft.phases import CHANGES, Phases, PhaseSteps, WritePhase
from nestling.planner.writes.draft.scanned_entities import scanned


@dataclass
class WriteDraft:
    """What is planned so far. `counted`, `answered` and `left` are those of `WritePlan`, from all parts."""

    design: Design
    returning: Returning | None = None
    prices: FetchPrices = field(default_factory=FetchPrices)
    names: NewNames = field(default_factory=NewNames)
    parts: list[PhaseSteps] = field(default_factory=list)  # finished, in order
    phases: Phases = field(default_factory=Phases)  # of the part at hand
    counted: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    cells: tuple[str, ...] = ()  # of the rows answered
    left: list[str] = field(default_factory=list)
    changed_entities: set[str] = field(default_factory=set)  # with steps of their own since the last `end_part`
    changed_before: frozenset[str] = frozenset()  # those of them that have changed when the next fetch runs
    is_of_one_row: bool = (
        False  # the statement's own condition tells one row, so that what refers to it is told by few keys
    )

    @property
    def model(self) -> Model:
        """The model of the design."""
        return self.design.model

    def add(self, phase: WritePhase, steps: Iterable[WriteStep]) -> None:
        """Steps that come in a phase, after those that are there."""
        self.phases.add(phase, (self.names.with_lists(each) if isinstance(each, Fetch) else each for each in steps))

    def add_first(self, phase: WritePhase, steps: Iterable[WriteStep]) -> None:
        """Steps that come in a phase before those that are there."""
        self.phases.add_first(phase, steps)

    def name(self, wish: str) -> str:
        """A name for a row set or alias that no other has."""
        return self.names.free(wish)

    def end_changes(self) -> None:
        """End a part after its changes: what is fetched from now on is read after all that goes or changes so far has done so."""
        self.parts.append(self.phases.take(CHANGES))
        self.changed_before |= self.changed_entities

    def end_part(self) -> None:
        """End a part: what is planned from now on happens after all there is so far."""
        self.parts.append(self.phases.take())
        self.changed_entities, self.changed_before = set(), frozenset()

    def refuse_read_again(self, *expressions: Expression | None) -> None:
        """Raise the gap of what would read rows that have changed by then."""
        for each in expressions:
            if self.changed_before & scanned(each):
                raise write_gap("a condition on rows that the statement itself changes first")

    def plan(self) -> WritePlan:
        """The steps of all parts, in order."""
        self.end_part()
        steps = tuple(step for part in self.parts for step in part)
        left = tuple(dict.fromkeys(self.left))
        made = tuple(self.names.new_ids), tuple(self.names.new_numbers)
        return WritePlan(steps, tuple(self.counted), left, self._answer(), *made)

    def _answer(self) -> Answer | None:
        if self.returning is None:
            return None
        names, typed = self.returning.names, self.returning.typed
        named = zip(names, field_names(names), self.returning.outputs, strict=True)
        columns = (OutputColumn(name, field, item.expression.type, item.mixed, typed) for name, field, item in named)
        return Answer(tuple(self.answered), tuple(columns), self.cells)
