"""How often storing an approximation changes a document: a count rounded down to its step usually stays the same.

The server does not write a value that is already stored. For other rounded values it is unknown how far one row changes them.
"""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.paths.write_path import Set, UpdateDocuments
from nestling.ir.primitives import Computed
from nestling.ir.rows import AggregateKind
from nestling.ir.storage.names import join
from nestling.planner.upkeep import upkeeps_of


def share_changed(step: UpdateDocuments, design: Design) -> float:
    """The share of the documents found that the change makes other documents of."""
    if len(step.changes) != 1 or not isinstance(step.changes[0], Set):
        return 1.0
    for upkeep in upkeeps_of(design):
        what, place = upkeep.what, upkeep.place
        if (
            place.store.name != step.collection
            or not isinstance(what, Computed)
            or what.function is not AggregateKind.COUNT
        ):
            continue
        if join(place.path, what.field) == step.changes[0].path:
            return 1 / what.step
    return 1.0
