"""What a row takes along when it moves from one document to another."""

from __future__ import annotations

from nestling.ir.storage.layout import NodeKind, Place
from nestling.ir.storage.names import join
from nestling.planner.writes.draft.cells import ID, carried_column, carried_paths
from nestling.planner.writes.places.placing import is_paged
from nestling.planner.writes.row_changes.overflow import PAGE, PAGE_NUMBER


def raw_columns(place: Place, *, moves: bool = True) -> dict[str, str]:
    """The `_id` of the document, and what the row takes along when it moves; of a page its number."""
    paths = list(carried_paths(place.node)) if moves else []
    variant = place.store.collection.variant
    if moves and variant is not None and variant.subtypes and place.node.kind is NodeKind.ROOT:
        paths.append(variant.discriminator)
    carried = {carried_column(n): join(place.path, path) for n, path in enumerate(paths)}
    page = {PAGE_NUMBER: PAGE} if is_paged(place) else {}
    return {ID: "_id"} | carried | page
