"""Which indexes are built to find texts regardless of case, where the source compares them differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import index_collation

if TYPE_CHECKING:
    from nestling.ir.design import Design
    from nestling.ir.indexes.planned_index import PlannedIndex


def finds_any_case(design: Design, index: PlannedIndex) -> bool:
    """Whether the index has a collation that its texts do not have: only a read that asks for this collation uses it."""
    if index.collation is not Collation.UNICODE_CI:
        return False
    store, paths = design.store(index.collection), [path for path, _ in index.keys]
    return index_collation(design, store, paths, unique=index.unique) is Collation.BINARY
