"""Which holders a change affects: found by the attributes their path begins with, from the changed row's values.

A row changed at some place of the path; the rows before it are linked to its values before or after. Of the links before, the
earliest that changed is a separate change, so what homes hold now leads back to every holder.
"""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.design import Design
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.rows import RowPath
from nestling.ir.statements.algebra import Distinct, Filter, Join, JoinKind, Named, Project, Query, Relation
from nestling.ir.statements.expression import ANY, Compare, Parameter
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Comparison
from nestling.planner.reads import plan_read
from nestling.planner.upkeep.change import RowChange, new, old
from nestling.planner.upkeep.source import HOMES, alias_of, as_stored, column, link_condition, scan


def linked_values(change: RowChange, attributes: tuple[str, ...]) -> tuple[Mapping[str, str], ...]:
    """The columns of the changed row's values of these attributes: before, after, or both where they may differ."""
    before, after = {name: old(name) for name in attributes}, {name: new(name) for name in attributes}
    if change.has_old and change.has_new:
        return (before, after) if change.attributes & set(attributes) else (before,)
    return (before,) if change.has_old else (after,)


def direct_anchors(design: Design, path: RowPath, change: RowChange) -> tuple[Mapping[str, str], ...]:
    """For a row one hop from its holders: the holder's attribute to the column that is equal to it."""
    hop = path[0]
    pairs = tuple(zip(hop.near(design.model), hop.far(design.model), strict=True))
    return tuple(
        {here: columns[there] for here, there in pairs} for columns in linked_values(change, hop.far(design.model))
    )


def anchors_read(design: Design, path: RowPath, position: int) -> tuple[ReadPlan, Mapping[str, str], Mapping[str, str]]:
    """The holders' attributes for a row `position` hops away, two or more: the read, which parameter is which attribute of the
    changed row, and which column is which attribute of the holder.
    """
    model, hop = design.model, path[position - 1]
    before = hop.start(model)
    parameters = {there: f"changed {there}" for there in hop.far(model)}
    asked = conjunction(
        *(
            Compare(Comparison.EQUAL, as_stored(alias_of(position - 1), here), Parameter(parameters[there], ANY))
            for here, there in zip(hop.near(model), hop.far(model), strict=True)
        )
    )
    assert asked is not None
    relation: Relation = Filter(scan(model, before, alias_of(position - 1)), asked)
    for number in range(position - 1, 1, -1):
        entity = path[number - 1].start(model)
        relation = Join(
            JoinKind.INNER, relation, scan(model, entity, alias_of(number - 1)), link_condition(model, path, number)
        )
    first = path[0]
    names = {here: f"anchor {number}" for number, here in enumerate(first.near(model))}
    outputs = tuple(
        Named(names[here], column(model, first.target(model), alias_of(1), there))
        for here, there in zip(first.near(model), first.far(model), strict=True)
    )
    relation = Distinct(Project(relation, "anchors", outputs))
    plan = plan_read(Query(relation, tuple(names.values())), design, rewrites=HOMES)
    return plan, parameters, names
