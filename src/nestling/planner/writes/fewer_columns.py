"""A read with fewer columns, and without the steps that only the removed columns needed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from nestling.ir.paths.access_path import CollectionScan, GroupDocuments, Lookup, ProjectDocuments, Step, Union
from nestling.ir.paths.row_steps import Add, Compute, Constants, GroupRows, Shape
from nestling.ir.paths.used_paths import own_paths
from nestling.ir.programs.compiled import ReadPlan

Named = TypeVar("Named")


def with_columns(plan: ReadPlan, columns: Collection[str]) -> ReadPlan:
    """The plan with only these columns, or with the first column if none is wanted."""
    kept = [column for column in plan.columns if column.name in columns] or plan.columns[:1]
    if len(kept) == len(plan.columns):
        return plan
    return replace(plan, step=_needing(plan.step, frozenset(c.field for c in kept)), columns=tuple(kept))


def _needing(step: Step, wanted: frozenset[str]) -> Step:
    """The step restricted to documents with these top-level fields; it keeps what it cannot remove."""
    match step:
        case CollectionScan() | GroupDocuments() | GroupRows():
            return step
        case Union(sources):
            return Union(tuple(_needing(each, wanted) for each in sources))
        case Constants(rows):
            return replace(step, rows=tuple(_wanted_columns(row, wanted) for row in rows))
        case Lookup(source, CollectionScan(), foreign_path="_id", field=name) if name not in wanted:
            return _needing(source, wanted)  # at most one document has the `_id`: there are as many rows without it
        case Add(source, fields) | Compute(source, fields) if not any(name in wanted for name, _ in fields):
            return _needing(source, wanted)
        case Add(fields=added):
            step = replace(step, fields=_wanted_columns(added, wanted))
        case Compute(fields=computed):
            step = replace(step, fields=_wanted_columns(computed, wanted))
        case Shape(fields=shaped):
            step = replace(step, fields=_wanted_columns(shaped, wanted))
            return replace(step, source=_needing(step.source, _own(step)))
        case ProjectDocuments(fields=projected):
            step = replace(step, fields=_wanted_columns(projected, wanted))
            return replace(step, source=_needing(step.source, _own(step)))
        case _:
            pass
    return replace(step, source=_needing(step.source, wanted | _own(step)))


def _wanted_columns(named: tuple[tuple[str, Named], ...], wanted: frozenset[str]) -> tuple[tuple[str, Named], ...]:
    """A document has one field at least."""
    return tuple(each for each in named if each[0] in wanted) or named[:1]


def _own(step: Step) -> frozenset[str]:
    """The top-level fields the step itself speaks of."""
    return frozenset(path.split(".", 1)[0] for path in own_paths(step))
