"""One write while it is planned: its phases, each a list of steps, and the names of its row sets.

All rows are read before anything changes; what lies inside other rows goes first and comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import IntEnum

from nestling.ir.compiled import OutputColumn
from nestling.ir.design import Design
from nestling.ir.expression import Expression, Parameter
from nestling.ir.model import Model
from nestling.ir.reading import FoundGap, Gap, GapKind
from nestling.ir.types import Type, TypeName
from nestling.ir.write import Returning
from nestling.ir.write_path import Answer, Fetch, ListParameter, NewUuid, WritePlan, WriteStep
from nestling.planner.reads.outputs import field_names
from nestling.planner.writes.condition_columns import scanned
from nestling.planner.writes.fetch import Prices


class Phase(IntEnum):
    """What happens when."""

    FETCH = 0
    REFUSE = 1
    REMOVE = 2
    CHANGE = 3
    ADD = 4
    SETTLE = 5  # what follows from rows that came or went: orphans, copies that are homes
    CHECK = 6
    UPKEEP = 7
    ANSWER = 8


def parameters_in(node: object) -> Iterator[str]:
    """The parameters anywhere in a plan, each as often as it is there."""
    if isinstance(node, Parameter):
        yield node.name
    elif isinstance(node, tuple):
        for item in node:
            yield from parameters_in(item)
    elif is_dataclass(node):
        for item in fields(node):
            yield from parameters_in(getattr(node, item.name))


class WriteGap(FoundGap):
    """A write no steps could be found for: `gap` says which construct and who lacks it."""


def gap(construct: str, kind: GapKind = GapKind.NOTIMPL) -> WriteGap:
    """The error of a construct that has no steps yet."""
    return WriteGap(Gap(kind, construct))


@dataclass
class WriteDraft:
    """The steps found so far."""

    design: Design
    returning: Returning | None = None
    prices: Prices = field(default_factory=Prices)
    steps: list[list[WriteStep]] = field(default_factory=lambda: [[] for _ in Phase])
    counted: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    cells: tuple[str, ...] = ()  # of the rows answered
    left: list[str] = field(default_factory=list)
    uuids: list[NewUuid] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)  # entities with steps of their own since the last `flush`
    lists: dict[str, ListParameter] = field(default_factory=dict)  # by the parameter
    closed: frozenset[str] = frozenset()  # those whose changes come before what is fetched from now on

    @property
    def model(self) -> Model:
        """The design's."""
        return self.design.model

    def add(self, phase: Phase, steps: Iterable[WriteStep]) -> None:
        """Steps that come in a phase, after those that are there."""
        self.steps[phase].extend(map(self._with_lists, steps))

    def add_first(self, phase: Phase, steps: Iterable[WriteStep]) -> None:
        """Steps that come in a phase before those that are there."""
        self.steps[phase][:0] = steps

    def listed(self, column: str, rows: tuple[str, ...]) -> str:
        """The parameter that stands for what a column holds in these row sets, which are read before it is asked for."""
        made = ListParameter(self.name(f"list of {rows[0]}"), column, rows)
        self.lists[made.parameter] = made
        return made.parameter

    def _with_lists(self, step: WriteStep) -> WriteStep:
        """A read with the lists that it asks for."""
        if not self.lists or not isinstance(step, Fetch):
            return step
        lists = (self.lists[name] for name in dict.fromkeys(parameters_in(step.plan)) if name in self.lists)
        return replace(step, lists=tuple(lists))

    def name(self, wish: str) -> str:
        """A name for a row set or alias that no other has."""
        number = self.numbers.get(wish, 0) + 1
        self.numbers[wish] = number
        return wish if number == 1 else f"{wish} {number}"

    def new_uuid(self, kind: Type) -> Parameter:
        """A parameter that stands for a UUID nobody else has."""
        made = NewUuid(f"_uuid_{len(self.uuids) + 1}", kind.name is not TypeName.UUID)
        self.uuids.append(made)
        return Parameter(made.name, kind)

    def close_changes(self) -> None:
        """What is fetched from now on is read after all that goes or changes so far has done so."""
        early = (Phase.FETCH, Phase.REFUSE, Phase.REMOVE, Phase.CHANGE)
        first = [step for phase in early for step in self.steps[phase]]
        self.steps = [first if phase is Phase.FETCH else [] if phase in early else self.steps[phase] for phase in Phase]
        self.closed |= self.changed

    def refuse_read_again(self, *expressions: Expression | None) -> None:
        """Raise the gap of what would read rows that have changed by then."""
        for each in expressions:
            if self.closed & scanned(each):
                raise gap("a condition on rows that the statement itself changes before")

    def flush(self) -> None:
        """Close a part of the write: what is planned from now on happens after all there is so far."""
        self.steps = [[step for phase in self.steps for step in phase], *([] for _ in list(Phase)[1:])]
        self.changed, self.closed = set(), frozenset()

    def plan(self) -> WritePlan:
        """All steps in order."""
        self.flush()
        left = tuple(dict.fromkeys(self.left))
        return WritePlan(tuple(self.steps[0]), tuple(self.counted), left, self._answer(), tuple(self.uuids))

    def _answer(self) -> Answer | None:
        if self.returning is None:
            return None
        names, typed = self.returning.names, self.returning.typed
        named = zip(names, field_names(names), self.returning.outputs, strict=True)
        columns = (OutputColumn(name, field, item.expression.type, item.mixed, typed) for name, field, item in named)
        return Answer(tuple(self.answered), tuple(columns), self.cells)
