"""Lists of names and values, and the index over each."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Paired
from nestling.ir.outline import Outline
from nestling.ir.primitives import Index, Pairs
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join
from nestling.strategies.placement.field_names import TakenNames


def pairs_of(outline: Outline, entity: str, names: TakenNames) -> tuple[Pairs, ...]:
    """The lists in an entity's documents."""
    lists = (part for part in outline.kept if isinstance(part, Paired) and part.entity == entity)
    return tuple(Pairs(names.free("attributes"), part.attributes) for part in lists)


def of_pairs(place: Place) -> Iterator[Index]:
    """The index that finds a document by any of its pairs."""
    for pairs in place.node.body.pairs:
        at = join(place.path, pairs.field)
        yield Index(place.store.name, ((join(at, pairs.key), 1), (join(at, pairs.value), 1)))
