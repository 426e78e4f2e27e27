"""Parents that must be there: asked for, and held until the transaction ends, so that none goes at the same moment.

Two transactions do not see each other: one could delete a parent, the other give it a child. They get in each other's way when
both change the parent's document, so one command of a child's write sets a field there and takes it away again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.paths.write_path import Constant, FieldMatch, Set, UpdateDocuments, WriteStep
from nestling.ir.primitives import CollectionKind
from nestling.ir.statements.algebra import filtered
from nestling.ir.statements.expression import NULL, Expression, IsNull, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.layout import NodeKind, Place
from nestling.planner.reads.scan import top_fields
from nestling.planner.writes.constraints import refuse_no_parent, refused_without_parent
from nestling.planner.writes.draft.cells import GIVEN_NULL, Cells
from nestling.planner.writes.draft.fetch import plan, rule_of_new, same_row
from nestling.planner.writes.places.address import is_found_by_values, known_values, parent_matches
from nestling.planner.writes.places.rows_inside import lives_inside

_FIELD = "_held"


def is_to_be_held(link: Relationship, values: Mapping[str, Expression]) -> bool:
    """Whether rows that get these values may refer to another parent; a foreign key with a NULL part refers to none."""
    changed = [values[name] for name in link.child_attributes if name in values]
    return link.enforced and bool(changed) and NULL not in changed


def held_parent(design: Design, row: Cells, link: Relationship) -> Iterator[WriteStep]:
    """After a row has come: the parent it refers to, if any, must be there and stay.

    A child inside its parent's document holds it by being put there.
    """
    places = [place for place in design.places[link.parent] if place.copy is None]
    inside = lives_inside(design, link)
    where = [None if inside else _where(place, row, link) for place in places]
    first = where[0] if where else None
    is_root = len(design.places[link.parent]) == 1 and bool(places) and places[0].node.kind is NodeKind.ROOT
    if first is not None and is_root and _is_exact(design, link):
        refused = refuse_no_parent if rule_of_new(design, link) is Collation.UNICODE_CI else _refused
        yield from _held(places[0], first, otherwise=tuple(refused(design, row, link)))
        return
    yield from refuse_no_parent(design, row, link)
    for place, matches in zip(places, where, strict=True):
        if matches is not None:
            yield from _held(place, matches)


def _is_exact(design: Design, link: Relationship) -> bool:
    """Whether both sides keep equal values alike, so that the server's comparison is the source's."""
    parent, child = design.model.entity(link.parent), design.model.entity(link.child)
    pairs = zip(link.parent_attributes, link.child_attributes, strict=True)
    both = [(parent.attribute(theirs), child.attribute(own)) for theirs, own in pairs]
    return all(
        one.type == other.type and one.collation == other.collation and not one.also and not other.also
        for one, other in both
    )


def _where(place: Place, row: Cells, link: Relationship) -> tuple[FieldMatch, ...] | None:
    """The documents that hold the parent; None where plain comparisons do not find them, or they never change."""
    if place.store.options.kind in (CollectionKind.TIME_SERIES, CollectionKind.CAPPED):
        return None
    pairs = zip(link.parent_attributes, link.child_attributes, strict=True)
    known = known_values(place, len(place.nodes) - 1, {theirs: row[own] for theirs, own in pairs})
    return parent_matches(place, known) if is_found_by_values(place, known, whole=True) else None


def _held(place: Place, where: tuple[FieldMatch, ...], otherwise: tuple[WriteStep, ...] = ()) -> Iterator[WriteStep]:
    name, taken = _FIELD, top_fields(place.store)
    while name in taken:
        name = f"_{name}"
    held, free = Set(name, Constant(value=True)), Set(name, GIVEN_NULL)
    yield UpdateDocuments(place.store.name, where, (held,), otherwise=otherwise, back=(free,))


def _refused(design: Design, row: Cells, link: Relationship) -> Iterator[WriteStep]:
    """A foreign key without a parent; one that is NULL needs none."""
    types = {row.column(name): row.entity.attribute(name).type for name in link.child_attributes}
    at_hand = same_row(types)
    refers = filtered(at_hand, conjunction(*(Not(IsNull(column)) for column in at_hand.columns)))
    yield from refused_without_parent(row, link, plan(design, refers))
