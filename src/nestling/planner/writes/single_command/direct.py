"""The shortest form: if the steps of one given row are commands alone, its values are written into the commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from nestling.common.trees import nodes_in, rebuilt
from nestling.ir.design import Design
from nestling.ir.paths.write_path import (
    Cell,
    DeleteDocuments,
    Each,
    Fetch,
    Give,
    GivenValue,
    InsertOne,
    Set,
    UpdateDocuments,
    WritePlan,
    WriteStep,
    steps_within,
)
from nestling.ir.primitives import CollectionKind
from nestling.ir.reading import GapKind
from nestling.ir.statements.expression import NULL, Expression
from nestling.planner.writes.draft.gaps import write_gap

_COMMANDS = (InsertOne, UpdateDocuments, DeleteDocuments)
Node = TypeVar("Node")


def direct(plan: WritePlan, design: Design) -> WritePlan:
    """The plan with the values of a single given row in its commands, where it has no other steps."""
    given = {step.rows: dict(step.values[0]) for step in plan.steps if isinstance(step, Give) and len(step.values) == 1}
    steps: list[WriteStep] = []
    for step in plan.steps:
        if isinstance(step, Each) and step.rows in given and _is_plain(step.steps):
            steps += [_with_values(inner, given[step.rows]) for inner in step.steps]
        elif isinstance(step, Each) and step.rows in given:
            steps.append(replace(step, by=()))
        else:
            steps.append(step)
    found = replace(plan, steps=tuple(steps))
    refuse_fixed(found, design)
    return found


def _is_plain(steps: tuple[WriteStep, ...]) -> bool:
    inside = list(steps_within(steps))
    return all(isinstance(step, _COMMANDS) for step in inside) and not any(
        isinstance(change, Set) and change.place is not None
        for step in inside
        if isinstance(step, UpdateDocuments)
        for change in step.changes
    )


def _with_values(node: Node, values: Mapping[str, Expression]) -> Node:
    """The node with a value for each cell."""

    def given(part: object) -> object | None:
        if isinstance(part, Cell):
            return GivenValue(values.get(part.column, NULL))
        return part if isinstance(part, GivenValue) else None

    return rebuilt(node, given)


def refuse_fixed(plan: WritePlan, design: Design) -> None:
    """Raise `WriteGap` where a plan needs a transaction for collections that take no part in any."""
    steps = list(steps_within(plan.steps))
    if plan.is_one_change and not any(isinstance(step, Fetch) for step in steps):
        return
    kinds = {store.name: store.options.kind for store in design.stores}
    for step in steps:
        if isinstance(step, _COMMANDS):
            kind = kinds.get(step.collection, CollectionKind.PLAIN)
            if kind in (CollectionKind.TIME_SERIES, CollectionKind.CAPPED):
                what = f"several changes, one of them in the {kind} collection `{step.collection}`"
                raise write_gap(f"{what}, which cannot take part in transactions", GapKind.NEVER)
        if isinstance(step, Fetch):
            _refuse_capped(step, kinds)


def _refuse_capped(fetch: Fetch, kinds: Mapping[str, CollectionKind]) -> None:
    """A transaction reads no capped collection."""
    capped = [name for name in _read_in(fetch) if kinds.get(name) is CollectionKind.CAPPED]
    if capped:
        raise write_gap(f"a change that reads the capped collection `{capped[0]}`, in a transaction", GapKind.NEVER)


def _read_in(node: object) -> Iterator[str]:
    """The collections named anywhere in it."""
    named = (getattr(each, "collection", None) for each in nodes_in(node))
    return (each for each in named if isinstance(each, str))
