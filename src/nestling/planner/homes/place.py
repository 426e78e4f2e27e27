"""From a place to steps: reach its documents, and join what its rows need from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from nestling.ir.paths.access_path import (
    CollectionScan,
    Comparator,
    DocumentComparison,
    FieldHasValue,
    FieldPath,
    FilterDocuments,
    FixedValue,
    Holds,
    Lookup,
    Step,
    Unwind,
)
from nestling.ir.primitives import Form
from nestling.ir.storage.layout import Node, Place
from nestling.ir.storage.names import join

if TYPE_CHECKING:
    from nestling.planner.homes.attribute import AttributeAccess


def documents_at(place: Place) -> Step:
    """One document per row (or copy, or group) at the place: scan its store, go down to its node."""
    step: Step = CollectionScan(place.store.name)
    at = ""
    for node in place.nodes:
        at = join(at, node.field)
        step = _entered(step, node, at)
    return step


def _entered(step: Step, node: Node, at: str) -> Step:
    if node.form.to_many:
        step = Unwind(step, at)
    elif node.field and node.form is Form.OBJECT:
        step = FilterDocuments(step, FieldHasValue(at))
    if node.embedding is not None and node.embedding.slots is not None:
        step = FilterDocuments(
            step, DocumentComparison(FieldPath(at), Comparator.NOT_EQUAL, FixedValue(None))
        )  # an empty slot
    if node.presence is not None:
        step = FilterDocuments(step, Holds(node.presence.path, node.presence.value, node.presence.several))
    return step


def with_joins(step: Step, found: Iterable[AttributeAccess]) -> Step:
    """Add the joins that values need, each once, those first that others build on."""
    for join_ in dict.fromkeys(item for each in found for item in each.joins):
        step = Lookup(step, join_.foreign, join_.local, join_.foreign_path, join_.field)
    return step
