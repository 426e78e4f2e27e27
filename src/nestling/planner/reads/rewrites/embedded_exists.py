"""EXISTS over children inside their parent's document: a condition on their array, without taking elements out."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.paths.row_steps import WhereElement
from nestling.ir.statements.algebra import Join, JoinKind, Relation, Scan
from nestling.ir.statements.expression import TRUE, Expression
from nestling.ir.statements.operands import conjunction, has_subquery
from nestling.ir.storage.names import join
from nestling.planner.reads.correlate import equal_columns
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.conjuncts import about
from nestling.planner.reads.rewrites.copied import copied_parent
from nestling.planner.reads.rewrites.embedded import comes_from, home_inside, with_columns
from nestling.planner.reads.rewrites.join_order import inner_leaves
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.rows import Lowered, LoweringContext, PlacedScan
from nestling.planner.reads.traverse import mentioned


@dataclass(frozen=True, slots=True)
class Elements:
    """The array that rows of a relation are in, the rows with their columns, and the further conditions on them."""

    array: str
    seen: Lowered
    asked: list[Expression]


def with_element(rows: Lowered, relation: Relation, context: LoweringContext, *, negated: bool) -> Lowered | None:
    """The rows whose documents hold a row of the relation (none, if `negated`); None when no embedding says it.

    The relation may have parents of the child, of which this has copies.
    """
    from nestling.planner.reads.rewrites.looked_up_elements import looked_up_elements

    found = elements_of(rows, relation, context) if context.may(Rewrite.EMBEDDED_EXISTS) else None
    found = looked_up_elements(rows, relation, context) if found is None else found
    return _asked_of_elements(rows, found, context, negated=negated) if found is not None else None


def elements_of(rows: Lowered, relation: Relation, context: LoweringContext) -> Elements | None:
    """The array of each row's document whose elements are the relation's rows; None if they are not recognised as such."""
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
            unwound = any(comes_from(each, array) for each in rows.standing.values())
            if rest is None or not place.node.form.to_many or unwound:
                continue
            seen = with_columns(rows, scan, PlacedScan(place, at.prefix), context)
            others = [each for each in scans if each is not scan]
            told = _with_copies(seen, scan, others, rest, context) if seen is not None else None
            if told is not None:
                return Elements(array, *told)
    return None


def _with_copies(
    seen: Lowered, child: Scan, parents: list[Scan], asked: list[Expression], context: LoweringContext
) -> tuple[Lowered, list[Expression]] | None:
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


def _asked_of_elements(rows: Lowered, found: Elements, context: LoweringContext, *, negated: bool) -> Lowered | None:
    """What is asked of elements; what is asked of the document alone is a condition of its own."""
    layout, asked = context.seen(found.seen.layout), found.asked
    inside = layout.inside(found.array)
    of_elements = [each for each in asked if any(column in inside for column in mentioned(each))]
    alone = [each for each in asked if each not in of_elements]
    if alone and negated:
        return None
    predicate = conjunction(*of_elements) or TRUE
    seen = found.seen
    step = WhereElement(seen.step, predicate, layout, found.array, again=False, negated=negated)
    kept = Lowered(step, seen.layout, seen.taken, rows.standing, rows.identity).where(conjunction(*alone), context)
    return Lowered(kept.step, rows.layout, seen.taken, rows.standing)
