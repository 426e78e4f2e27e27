"""Fields named after something that is nearly a key, but is shared by a few rows. Notes name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from nestling.executors.facts.name_words import NameClarity, names_an_id, says
from nestling.executors.facts.row_hashes import HashedTable
from nestling.ir.facts.nodes import NodeForm
from nestling.ir.facts.structure import NearKey, Steps

NEARLY = 0.98
"""Rows with a value of their own, for a field to be meant as a key."""
LEAST_FOUND_SHARE = 0.95


def near_keys(tables: Sequence[HashedTable], linked: AbstractSet[tuple[str, Steps]]) -> Iterator[NearKey]:
    """Unlinked columns whose names and values refer to something that is nearly a key."""
    keys = [(table, steps, found) for table in tables for steps, found in _nearly(table)]
    for table in tables:
        for steps, cells in table.columns.items():
            values = {cell for cell in cells if cell is not None}
            if (table.collection.name, steps) in linked or not values:
                continue
            for other, key, there in keys:
                said = says(steps, other.collection.name, other.node.steps, key, own=other is table)
                if (
                    other is not table
                    and said is NameClarity.PLAINLY
                    and len(values & there) >= LEAST_FOUND_SHARE * len(values)
                ):
                    where = (table.collection.database, table.collection.name, steps, other.collection.name, key)
                    yield NearKey(*where, other.rows - len(there))


def _nearly(table: HashedTable) -> Iterator[tuple[Steps, frozenset[int]]]:
    """Columns named like an id with nearly unique values."""
    if table.node.form is not NodeForm.DOCUMENT or not table.whole:
        return
    for steps, cells in table.columns.items():
        values = frozenset(cell for cell in cells if cell is not None)
        if names_an_id(steps) and NEARLY * table.rows <= len(values) < table.rows:
            yield steps, values
