"""Rows that stay where they are and get new values there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from nestling.ir.design import Design
from nestling.ir.paths.write_path import (
    Set,
    UpdateDocuments,
    WriteStep,
)
from nestling.ir.primitives import Form
from nestling.ir.storage.layout import NodeKind, Place
from nestling.ir.storage.names import join
from nestling.planner.upkeep.emptied import EmptiedCopy
from nestling.planner.writes.draft.cells import GIVEN_NULL, Cells
from nestling.planner.writes.places.address import row_address
from nestling.planner.writes.places.new_document import pair_fields
from nestling.planner.writes.places.placing import refuse_kinds
from nestling.planner.writes.places.splits import part_changes


def changes_in_place(
    design: Design,
    place: Place,
    before: Cells,
    after: Cells,
    attributes: frozenset[str],
    emptied: Sequence[EmptiedCopy] = (),
    nulls: Collection[str] = (),
) -> Iterator[WriteStep]:
    """Give attributes their new values where the row lies, and take away the copies of which nothing is left.

    `nulls`: the attributes that become NULL in all rows.
    """
    refuse_kinds(place.store, "UPDATE")
    node = place.node
    address = row_address(place, before)
    prefix = "" if node.kind is NodeKind.ROOT or node.form is Form.INLINE else address.path
    changes = [
        Set(join(prefix, field.path), GIVEN_NULL if field.attribute in nulls else after[field.attribute])
        for field in node.stored
        if field.attribute in attributes
    ]
    for pairs, (path, value) in zip(node.body.pairs, pair_fields(node, after), strict=True):
        if set(pairs.attributes) & attributes:
            changes.append(Set(join(prefix, path), value))
    changes += [Set(join(prefix, field), GIVEN_NULL) for each in emptied for field in each.fields]
    if changes:
        yield UpdateDocuments(place.store.name, address.where, tuple(changes), address.filters)
    if node.kind is NodeKind.ROOT:
        yield from part_changes(design, place, after, attributes)
