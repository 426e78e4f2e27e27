"""EXISTS and counts over children inside their parent's document: asked of the array they are, none of which is taken out."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.algebra import AggregateFunction, Group, Join, JoinKind, Project, Relation, Scan
from nestling.ir.expression import TRUE, Column, Expression, IsNull, Not
from nestling.ir.names import join
from nestling.ir.operands import conjunction, nullable
from nestling.ir.row_steps import CountElements, Layout, WhereElement
from nestling.ir.types import INTEGER
from nestling.planner.reads.correlate import equal_columns
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.conjuncts import about
from nestling.planner.reads.rewrites.copied import copied_parent
from nestling.planner.reads.rewrites.embedded import home_inside, is_within, with_columns
from nestling.planner.reads.rewrites.join_order import inner_leaves
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rows import Context, Rows, Standing
from nestling.planner.reads.traverse import has_subquery, mentioned


@dataclass(frozen=True, slots=True)
class _Elements:
    """The array rows of a relation are in, the rows with their columns, and what is asked of them besides that they are there."""

    array: str
    seen: Rows
    asked: list[Expression]


def with_element(rows: Rows, relation: Relation, context: Context, *, negated: bool) -> Rows | None:
    """The rows whose documents hold a row of the relation (none, if `negated`); None when no embedding says it.

    The relation may have parents of the child, of which this has copies.
    """
    found = _elements(rows, relation, context) if context.may(Rewrite.EMBEDDED_EXISTS) else None
    return _kept(rows, found, context, negated=negated) if found is not None else None


def counted_elements(rows: Rows, relation: Relation, context: Context) -> tuple[Column, Rows] | None:
    """The rows with how many rows of a relation their documents hold, and that column; None when it is no such count."""
    counted = _counted(relation) if context.may(Rewrite.EMBEDDED_COUNT) else None
    if counted is None:
        return None
    below, argument = counted
    found = _elements(rows, push_predicates(below) if context.may(Rewrite.PUSHDOWN) else below, context)
    if found is None:
        return None
    asked = [*found.asked, *([Not(IsNull(argument))] if argument is not None and nullable(argument) else [])]
    name, layout = rows.fresh("count"), context.seen(found.seen.layout)
    column = Column("", f"count {name}", INTEGER, nullable=False)
    step = CountElements(rows.step, name, found.array, conjunction(*asked), layout)
    entry = Layout((((column.alias, column.name), name),))
    return column, Rows(step, rows.layout | entry, rows.taken | {name}, rows.standing)


def _counted(relation: Relation) -> tuple[Relation, Expression | None] | None:
    """What is counted, and which values of it, where a relation is a count and nothing else."""
    group = relation.input if isinstance(relation, Project) else relation
    if not isinstance(group, Group) or group.keys or len(group.aggregates) != 1:
        return None
    (made,) = group.aggregates
    if isinstance(relation, Project):
        shown = [output.expression for output in relation.outputs]
        if [(each.alias, each.name) for each in shown if isinstance(each, Column)] != [(group.alias, made.name)]:
            return None
    count = made.aggregate
    plain = not (count.distinct or count.filter or count.at)
    is_count = count.function is AggregateFunction.COUNT and plain
    return (group.input, count.argument) if is_count and not _has_subquery(count.argument) else None


def _has_subquery(expression: Expression | None) -> bool:
    return expression is not None and has_subquery(expression)


def _elements(rows: Rows, relation: Relation, context: Context) -> _Elements | None:
    leaves, asked = inner_leaves(relation)
    found = [scan_of(each) for each in leaves]
    scans = [scan for scan, _ in found if scan is not None]
    asked = [*asked, *(each for _, own in found for each in own)]
    if len(scans) < len(leaves) or any(map(has_subquery, asked)):
        return None
    for scan in scans:
        for alias, at in rows.standing.items():
            place = home_inside(scan.entity, at.place, context)
            embedding = place.node.embedding if place is not None else None
            if place is None or embedding is None or embedding.slots is not None or embedding.overflow is not None:
                continue
            link = context.design.model.relationship(embedding.relationship)
            rest = without_link(asked, link, parent=alias, child=scan.alias)
            array = join(at.prefix, place.path)
            unwound = any(is_within(each, array) for each in rows.standing.values())
            if rest is None or not place.node.form.to_many or unwound:
                continue
            seen = with_columns(rows, scan, Standing(place, at.prefix), context)
            others = [each for each in scans if each is not scan]
            told = _with_copies(seen, scan, others, rest, context) if seen is not None else None
            if told is not None:
                return _Elements(array, *told)
    return None


def _with_copies(
    seen: Rows, child: Scan, parents: list[Scan], asked: list[Expression], context: Context
) -> tuple[Rows, list[Expression]] | None:
    """The rows with what the child has of these parents, and what is asked besides that it refers to them; None where it lacks
    something of one.
    """
    for parent in parents:
        pairs = [
            each for each in asked if about(each) == {parent.alias, child.alias} and equal_columns(each, child.alias)
        ]
        if not pairs:
            return None
        joined = Join(JoinKind.INNER, child, parent, conjunction(*pairs))
        found = copied_parent(joined, seen, context)
        if found is None or found.step is not seen.step:
            return None
        seen, asked = found, [each for each in asked if each not in pairs]
    return seen, asked


def _kept(rows: Rows, found: _Elements, context: Context, *, negated: bool) -> Rows | None:
    """What is asked of elements; what is asked of the document alone is a condition of its own."""
    layout, asked = context.seen(found.seen.layout), found.asked
    inside = layout.inside(found.array)
    of_elements = [each for each in asked if any(column in inside for column in mentioned(each))]
    alone = [each for each in asked if each not in of_elements]
    if alone and negated:
        return None
    predicate = conjunction(*of_elements) or TRUE
    step = WhereElement(rows.step, predicate, layout, found.array, again=False, negated=negated)
    kept = Rows(step, found.seen.layout, rows.taken, rows.standing, rows.identity).where(conjunction(*alone), context)
    return Rows(kept.step, rows.layout, rows.taken, rows.standing)
