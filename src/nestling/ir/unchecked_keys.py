"""Keys and unique groups of rows that share a document with others: nestling's writes keep what no index of the server does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nestling.ir.design import Design
from nestling.ir.embedded_uniques import Kept, kept_inside
from nestling.ir.layout import NodeKind, Place, Role


def unchecked(design: Design, names: Iterable[str]) -> Iterator[str]:
    """A sentence for each key and unique group of these entities that is not checked by the server."""
    for name in names:
        entity = design.model.entity(name)
        home = next((p for p in design.places[name] if p.store.role is Role.HOME and p.copy is None), None)
        if home is not None and len(home.nodes) > 1:
            for group in dict.fromkeys((entity.key, *entity.uniques)):
                kept = kept_inside(design.model, entity, group, home)
                if group and kept is not Kept.WHOLLY:
                    yield unchecked_words(name, group, home, kept)


def unchecked_words(entity: str, group: Iterable[str], place: Place, kept: Kept = Kept.NOWHERE) -> str:
    """What it takes to keep a group unique where an entity's rows lie."""
    names, where = ", ".join(group), _where(place)
    if kept is Kept.BETWEEN:
        return (
            f"`{entity}`: an index keeps {names} unique between documents; within one document nestling's writes alone do: "
            f"its rows lie in {where}"
        )
    return f"`{entity}`: nestling's writes alone keep {names} unique, no index does: its rows lie in {where}"


def _where(place: Place) -> str:
    collection = f"`{place.store.name}`"
    if place.nodes[0].kind is NodeKind.GROUP:
        return f"buckets ({collection})"
    return (
        f"arrays of {collection}"
        if any(node.form.to_many for node in place.nodes[1:])
        else f"documents of {collection}"
    )
