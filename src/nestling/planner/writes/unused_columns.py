"""Restricts a write's reads to what later steps use: one pass over the finished plan, from the last step to the first.

A step may use a column of a row set in a value, in a parameter of a read, in a list, in a refusal or in the answer. Unused
columns are removed from the read, with the lookups and parameters that only they needed; a read of which not even the number of
rows is used is removed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nestling.common.trees import nodes_in
from nestling.ir.paths.write_path import (
    Cell,
    Each,
    Fetch,
    Give,
    Refuse,
    Set,
    SubDocument,
    UpdateDocuments,
    WritePlan,
    WriteStep,
)
from nestling.planner.writes.draft.new_names import parameters_in
from nestling.planner.writes.fewer_columns import with_columns


def without_unused(plan: WritePlan) -> WritePlan:
    """The plan without reads that nothing uses, and without columns that nothing uses."""
    uses = _Uses(rows=set(plan.counted))
    if plan.answer is not None:
        for rows in plan.answer.rows:
            uses.rows.add(rows)
            uses.columns[rows].update(plan.answer.cells)
    return replace(plan, steps=uses.narrowed(plan.steps, ""))


@dataclass
class _Uses:
    """The row sets that the steps looked at so far use, and their columns, by row set."""

    rows: set[str]
    columns: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def narrowed(self, steps: tuple[WriteStep, ...], at_hand: str) -> tuple[WriteStep, ...]:
        """The steps with lean reads; `at_hand`: the row set around them."""
        found = [self._step(step, at_hand) for step in reversed(steps)][::-1]
        return tuple(step for step in found if step is not None)

    def _step(self, step: WriteStep, at_hand: str) -> WriteStep | None:
        match step:
            case Fetch():
                return self._fetch(step, at_hand) if step.rows in self.rows else None
            case Each(rows, inner, by):
                steps = self.narrowed(inner, rows)
                if not steps:
                    return None
                self.rows.add(rows)
                self.columns[rows].update(by)
                return replace(step, steps=steps)
            case Refuse(rows, missing=missing):
                self.rows.add(rows)
                self.columns[rows].update(missing)
            case UpdateDocuments(otherwise=otherwise):
                step = replace(step, otherwise=self.narrowed(otherwise, at_hand))
                self.columns[at_hand].update(_cells(replace(step, otherwise=())))
            case Give():
                pass
            case _:
                self.columns[at_hand].update(_cells(step))
        return step

    def _fetch(self, step: Fetch, at_hand: str) -> Fetch:
        if step.repeats:
            self.columns[step.rows].update(each.column for each in step.lists)
        plan = with_columns(step.plan, self.columns[step.rows])
        asked = frozenset(parameters_in(plan))
        cells = tuple((parameter, column) for parameter, column in step.cells if parameter in asked)
        lists = tuple(each for each in step.lists if each.parameter in asked)
        self.columns[at_hand].update(column for _, column in cells)
        for each in lists:
            for rows in each.rows:
                self.rows.add(rows)
                self.columns[rows].add(each.column)
        return replace(step, plan=plan, cells=cells, lists=lists)


def _cells(node: object) -> Iterator[str]:
    """The columns of the row at hand that a command mentions."""
    for each in nodes_in(node):
        match each:
            case Cell(column) | SubDocument(spread=str(column)) | Set(place=str(column)):
                yield column
            case _:
                pass
