"""Keys and unique groups of rows that share a document with others: nestling's writes keep them, no index of the server does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nestling.ir.design import Design
from nestling.ir.layout import NodeKind, Place, Role


def unchecked(design: Design, names: Iterable[str]) -> Iterator[str]:
    """A sentence for each key and unique group of these entities that is not checked by the server."""
    for name in names:
        entity = design.model.entity(name)
        home = next((p for p in design.places[name] if p.store.role is Role.HOME and p.copy is None), None)
        if home is not None and len(home.nodes) > 1:
            groups = (group for group in dict.fromkeys((entity.key, *entity.uniques)) if group)
            yield from (unchecked_words(name, group, home) for group in groups)


def unchecked_words(entity: str, group: Iterable[str], place: Place) -> str:
    """What it takes to keep a group unique where an entity's rows lie."""
    return f"`{entity}`: nestling's writes alone keep {', '.join(group)} unique, no index does: its rows lie in {_where(place)}"


def _where(place: Place) -> str:
    collection = f"`{place.store.name}`"
    if place.nodes[0].kind is NodeKind.GROUP:
        return f"buckets ({collection})"
    return (
        f"arrays of {collection}"
        if any(node.form.to_many for node in place.nodes[1:])
        else f"documents of {collection}"
    )
