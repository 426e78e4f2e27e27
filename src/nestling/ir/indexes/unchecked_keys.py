"""Keys and unique groups of rows that share a document with others: what keeps them unique, and what does not.

Nestling's writes first search for a row with the same values. That keeps a group unique if two simultaneous writers conflict:
by an index of the server, or because they change the same document. Otherwise writers of a declared UNIQUE change a separate
common document; those of a key do not, as each new row would have to wait for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nestling.ir.constraints.defaults import Generated
from nestling.ir.design import Design
from nestling.ir.indexes.embedded_uniques import Kept, is_told_by_parent, kept_inside
from nestling.ir.indexes.kept_uniques import unkept_words
from nestling.ir.model import Entity, Model
from nestling.ir.primitives import Form
from nestling.ir.storage.layout import NodeKind, Place, Role


def unchecked(design: Design, names: Iterable[str]) -> Iterator[str]:
    """A sentence for each key and unique group of these entities that is not checked by the server."""
    names = tuple(names)
    yield from unkept_words(design, names)
    for name in names:
        entity, places = design.model.entity(name), design.places[name]
        home = next((p for p in places if p.store.role is Role.HOME and p.copy is None), None)
        if home is not None and len(home.nodes) > 1:
            for group in entity.unique_groups:
                if len(places) == 1 and is_one_by_place(design.model, group, home):
                    continue
                if kept_inside(entity, group, home) is not Kept.WHOLLY or len(places) > 1:
                    yield unchecked_words(design.model, name, group, places)


def is_one_by_place(model: Model, group: tuple[str, ...], place: Place) -> bool:
    """Whether there is room for one row alone with the same values: the only sub-document of a document with their key."""
    is_part = len(place.nodes) == 2 and place.node.form is Form.OBJECT
    return is_part and place.nodes[0].kind is NodeKind.ROOT and is_told_by_parent(model, group, place)


def unchecked_words(model: Model, entity: str, group: tuple[str, ...], places: Iterable[Place]) -> str:
    """What is needed to keep a group unique where an entity's rows are stored."""
    every = tuple(place for place in places if place.copy is None)
    names, home = ", ".join(group), every[0]
    where = f"its rows are in {_where(home)}"
    if is_told_by_parent(model, group, home):
        return f"`{entity}`: only nestling's writes keep {names} unique, no index does: {where}"
    if len(collections := _apart(every)) > 1:
        where = f"its rows are in {' and '.join(f'`{name}`' for name in collections)}"
    if meets(model, model.entity(entity), group, every):
        return f"`{entity}`: only nestling's writes keep {names} unique, no index does: {where}"
    if len(group) == 1 and model.entity(entity).attribute(group[0]).default is Generated.NUMBER:
        return f"`{entity}`: only nestling's writes keep {names} unique, no index does: {where}"
    if len(collections) > 1:
        return f"`{entity}`: {_nothing(names)}: {where}"
    if kept_inside(model.entity(entity), group, home) is Kept.NOWHERE:
        return f"`{entity}`: {_nothing(names)}: {where}"
    return (
        f"`{entity}`: an index keeps {names} unique across documents; within one document only nestling's writes do: "
        f"{where}"
    )


def meets(model: Model, entity: Entity, group: tuple[str, ...], places: Iterable[Place]) -> bool:
    """Whether writers of a UNIQUE change a separate document, because nothing else makes them conflict."""
    every = [place for place in places if place.copy is None]
    if (
        group not in entity.uniques
        or group == entity.key
        or any(is_told_by_parent(model, group, each) for each in every)
    ):
        return False
    inside = [each for each in every if len(each.nodes) > 1]
    return bool(inside) and (
        len(_apart(every)) > 1 or any(kept_inside(entity, group, each) is Kept.NOWHERE for each in inside)
    )


def _nothing(names: str) -> str:
    return (
        f"two concurrent writers can both add a row with the same {names}, as no index covers all rows; "
        "`nestling check` finds such rows"
    )


def _apart(places: Iterable[Place]) -> list[str]:
    """The collections whose rows no index compares; a row for an overflow page waits in the pages first, whose index does."""
    return list(dict.fromkeys(place.store.name for place in places if place.store.role is not Role.PAGES))


def _where(place: Place) -> str:
    collection = f"`{place.store.name}`"
    if place.nodes[0].kind is NodeKind.GROUP:
        return f"buckets ({collection})"
    return (
        f"arrays of {collection}"
        if any(node.form.to_many for node in place.nodes[1:])
        else f"documents of {collection}"
    )
