"""What a migration between two designs would do, by the designs alone: no database is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.ir.migration import DesignMoves
from nestling.ir.words.index_words import index_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nestling.ir.programs.command import CreateIndex
    from nestling.ir.proposal import Proposal


def design_moves(old: Proposal, new: Proposal) -> DesignMoves:
    """What happens to the collections and indexes of the old design, in a database that has these and no others."""
    from nestling.executors.load import written_collections
    from nestling.ir.indexes.index_form import index_form
    from nestling.ir.indexes.planned_indexes import named_indexes, planned_indexes
    from nestling.pipeline.migrating import designs_over_one_model
    from nestling.pipeline.migration_indexes import index_moves
    from nestling.planner.migration import kept_collections

    if old.design == new.design:
        return DesignMoves()
    before, after = designs_over_one_model(old, new)
    kept = kept_collections(before, after)
    stays = frozenset(store.name for store in after.stores if store.collection.name in kept)
    today = [each.command() for each in named_indexes(old.design)]
    finals = {name: name for name in written_collections(after)}
    made = index_moves(before, after, new.design, old.design, today, {}, {}, finals, stays)
    named = {index_form(each.command()) for each in planned_indexes(new.design) if each.named}
    built = (*made.built, *made.late)
    return DesignMoves(
        tuple(store.name for store in after.stores if store.name not in stays),
        tuple(name for name in written_collections(before) if name not in stays),
        _named(each for each in built if index_form(each) in named),
        _named(each for each in built if index_form(each) not in named),
        _named((*made.going, *made.lost)),
    )


def _named(indexes: Iterable[CreateIndex]) -> tuple[tuple[str, str], ...]:
    return tuple((each.collection, index_words(each)) for each in indexes)
