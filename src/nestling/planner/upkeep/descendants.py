"""The rows below one in a tree: those whose ancestors change with it."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.design import Design
from nestling.ir.primitives import Copy
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.statements.algebra import Filter, Join, JoinKind, Named, Project, Query, Recursive, Working
from nestling.ir.statements.expression import ANY, Column, Compare, Parameter
from nestling.ir.statements.operators import Comparison
from nestling.planner.reads import ReadGap, plan_read
from nestling.planner.upkeep.source import HOMES, as_stored, column, scan


def descendants_read(
    design: Design, copy: Copy, *, stays: bool
) -> tuple[ReadPlan, Mapping[str, str], Mapping[str, str]] | None:
    """The keys and foreign keys of all rows below one: the read, which parameter is which attribute of that row, and which
    column is which attribute of those below. None where the server cannot walk.

    `stays`: the row is there under its key, and is among those found; else what is below is found by the key it had.
    """
    link = design.model.relationship(copy.path[0].relationship)
    if len(link.parent_attributes) != 1:
        return None
    (key,), (reference,) = link.parent_attributes, link.child_attributes
    model, entity = design.model, link.parent
    parameter = Parameter(f"changed {key}", ANY)

    def outputs(alias: str) -> tuple[Named, ...]:
        return Named("id", column(model, entity, alias, key)), Named("above", column(model, entity, alias, reference))

    asked = Compare(Comparison.EQUAL, as_stored("first", key if stays else reference), parameter)
    base = Project(Filter(scan(model, entity, "first"), asked), "base", outputs("first"))
    columns = tuple(Column("below", each.name, each.type) for each in base.columns)
    working = Working("below", "found", tuple(Column("found", each.name, each.type) for each in columns))
    linked = Compare(Comparison.EQUAL, column(model, entity, "next", reference), working.columns[0])
    step = Project(Join(JoinKind.INNER, working, scan(model, entity, "next"), linked), "step", outputs("next"))
    below = Recursive("below", columns, base, step, all=False)
    try:
        plan = plan_read(Query(below, ("id", "above")), design, rewrites=HOMES)
    except ReadGap:
        return None
    return plan, {key: parameter.name}, {key: "id", reference: "above"}
