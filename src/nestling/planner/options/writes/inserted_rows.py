"""The rows an INSERT adds: those that stand in the statement, or as many as its SELECT shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nestling.ir.situation import Situation
from nestling.ir.statements.algebra import Project, Relation
from nestling.ir.statements.expression import Column
from nestling.ir.statements.operands import columns_of
from nestling.ir.statements.write import Insert
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.planner.options.reads.latest_child import latest
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.shown_rows import shown_rows
from nestling.planner.options.statements.translated import translated
from nestling.planner.options.statements.visits import visits
from nestling.planner.writes.insert import written_rows


@dataclass(frozen=True, slots=True)
class InsertedRows:
    """How many there are, what of them the statement says (None where it cannot be read), and whether a SELECT finds them."""

    count: float
    write: Insert | None = None
    selected: bool = False

    def alike(self, attributes: Sequence[str]) -> float:
        """How many of them differ in these attributes: where the statement gives the values, one; else each of them may."""
        if self.write is None or not set(attributes) <= set(self.write.attributes):
            return self.count
        given = written_rows(self.write.source, self.write.attributes)
        if given is not None:
            return float(len({tuple(row[name] for name in attributes) for row in given}))
        shown = dict(zip(self.write.attributes, self.write.source.columns, strict=True))
        is_given = all(_is_given(self.write.source, shown[name]) for name in attributes)
        return min(self.count, 1.0) if is_given else self.count


def _is_given(source: Relation, column: Column) -> bool:
    """Whether nothing of the rows is in a column."""
    if not isinstance(source, Project):
        return False
    value = next(each.expression for each, shown in zip(source.outputs, source.columns, strict=True) if shown == column)
    return all(_is_given(source.input, inner) for inner in columns_of(value))


def inserted_rows(statement: Statement, access: Access, situation: Situation, sizes: Sizes) -> InsertedRows:
    """The rows that a write adds by this access; one where the statement cannot be read."""
    write = translated(statement, situation.reading)
    if access.kind is not StatementKind.INSERT or not isinstance(write, Insert) or write.entity != access.entity:
        return InsertedRows(1.0)
    given = written_rows(write.source, write.attributes)
    if given is not None:
        return InsertedRows(float(len(given)), write)
    told = latest(statement, situation)
    found = visits(statement, situation.model, sizes, told.one if told is not None else None)
    return InsertedRows(shown_rows(statement, found, sizes) if found else 1.0, write, selected=True)
