"""EXISTS over children inside their parent's document: asked of the array they are, none of which is taken out."""

from __future__ import annotations

from nestling.ir.algebra import Relation
from nestling.ir.expression import TRUE, Expression
from nestling.ir.names import join
from nestling.ir.operands import conjunction
from nestling.ir.row_steps import WhereElement
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.embedded import home_inside, is_within, with_columns
from nestling.planner.reads.rewrites.links import scan_of, without_link
from nestling.planner.reads.rows import Context, Rows, Standing
from nestling.planner.reads.traverse import has_subquery, mentioned


def with_element(rows: Rows, relation: Relation, context: Context, *, negated: bool) -> Rows | None:
    """The rows whose documents hold a row of the relation (none, if `negated`); None when no embedding says it."""
    scan, asked = scan_of(relation)
    if scan is None or not context.may(Rewrite.EMBEDDED_EXISTS) or any(map(has_subquery, asked)):
        return None
    for alias, at in rows.standing.items():
        place = home_inside(scan.entity, at.place, context)
        embedding = place.node.embedding if place is not None else None
        if place is None or embedding is None or embedding.slots is not None or embedding.overflow is not None:
            continue
        link = context.design.model.relationship(embedding.relationship)
        rest = without_link(asked, link, parent=alias, child=scan.alias)
        field = join(at.prefix, place.path)
        if (
            rest is None
            or not place.node.form.to_many
            or any(is_within(each, field) for each in rows.standing.values())
        ):
            continue
        seen = with_columns(rows, scan, Standing(place, at.prefix), context)
        if seen is not None:
            return _kept(rows, seen, rest, field, context, negated=negated)
    return None


def _kept(
    rows: Rows, seen: Rows, asked: list[Expression], field: str, context: Context, *, negated: bool
) -> Rows | None:
    """What is asked of elements; what is asked of the document alone is a condition of its own."""
    layout = context.seen(seen.layout)
    inside = layout.inside(field)
    of_elements = [each for each in asked if any(column in inside for column in mentioned(each))]
    alone = [each for each in asked if each not in of_elements]
    if alone and negated:
        return None
    predicate = conjunction(*of_elements) or TRUE
    step = WhereElement(rows.step, predicate, layout, field, again=False, negated=negated)
    found = Rows(step, seen.layout, rows.taken, rows.standing, rows.identity).where(conjunction(*alone), context)
    return Rows(found.step, rows.layout, rows.taken, rows.standing)
