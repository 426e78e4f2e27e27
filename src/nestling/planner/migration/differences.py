"""How two designs over one model differ, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from nestling.ir.design import Design
from nestling.ir.freshness import Level
from nestling.ir.model import Entity
from nestling.ir.primitives import Computed, Copy, Form, Reference
from nestling.ir.quantity_words import first_of
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.storage.names import join
from nestling.ir.upkeep import Upkeep
from nestling.planner.migration.restated import is_nowhere
from nestling.planner.upkeep import upkeeps_of

_SHOWN = 5
"""Fields that get other names are shown so far."""


def differences(old: Design, new: Design) -> tuple[str, ...]:
    """A sentence for every entity whose home changes, and for everything kept that comes, goes or changes."""
    return (*_homes(old, new), *_upkeep_differences(old, new))


def _homes(old: Design, new: Design) -> Iterator[str]:
    for entity in new.model.entities:
        before, after = _home(old, entity.name), _home(new, entity.name)
        if is_nowhere(old, entity.name):
            yield f"`{entity.name}` is new: it is stored in {after}, which has no rows of it yet"
        elif before != after:
            yield f"`{entity.name}` moves from {before} to {after}"
        elif [*map(_form, old.places[entity.name])] != [*map(_form, new.places[entity.name])]:
            yield f"`{entity.name}` stays in {after}, in another form"
        if renamed := list(_renamed(old, new, entity)):
            yield f"fields of `{entity.name}` are renamed: {first_of(renamed, _SHOWN)}"


def _renamed(old: Design, new: Design, entity: Entity) -> Iterator[str]:
    """What the fields are called in the rows' own documents, where both designs have them there under two names."""
    before, after = (design.places[entity.name][0].node for design in (old, new))
    for name in entity.attribute_names:
        paths = before.path_of(name), after.path_of(name)
        if all(paths) and paths[0] != paths[1] and "_id" not in {str(path).partition(".")[0] for path in paths}:
            yield f"`{paths[0]}` becomes `{paths[1]}`"


def _home(design: Design, entity: str) -> str:
    return " and ".join(dict.fromkeys(_place(place) for place in design.places[entity]))


def _form(place: Place) -> object:
    """What rows look like at a place, whatever else lies in the documents around them."""
    if len(place.nodes) == 1:
        return place
    return place.nodes if place.nodes[0].kind is NodeKind.GROUP else (place.node, place.copy)


def _place(place: Place) -> str:
    store, node = place.store, place.node
    where = f"`{store.name}`"
    if place.copy is not None:
        return f"copies `{join(place.path, place.copy.name)}` in {where}"
    match store.role:
        case Role.ORPHANS:
            return f"{where} (rows without a parent)"
        case Role.PAGES:
            return f"pages of {where}"
        case Role.ARCHIVE:
            return f"the archive {where}"
        case Role.HOME | Role.PART:
            pass
        case _:
            assert_never(store.role)
    if place.nodes[0].kind is NodeKind.GROUP and len(place.nodes) == 2:
        return f"buckets in {where}"
    if len(place.nodes) == 1:
        return f"the collection {where}"
    if node.form is Form.INLINE:
        return f"fields of {where}"
    return f"the {'array' if node.form.to_many else 'sub-document'} `{place.path}` of {where}"


def _upkeep_differences(old: Design, new: Design) -> Iterator[str]:
    before, after = ({upkeep.id: upkeep for upkeep in upkeeps_of(design)} for design in (old, new))
    for name in before:
        if name not in after:
            yield f"{_what(before[name])} `{name}` goes"
    for name, upkeep in after.items():
        if name not in before:
            yield f"{_what(upkeep)} `{name}` comes ({upkeep.freshness})"
        elif before[name].what != upkeep.what:
            yield f"{_what(upkeep)} `{name}` changes ({upkeep.freshness})"


def _what(upkeep: Upkeep) -> str:
    match upkeep.what:
        case Copy():
            return "copy"
        case Computed():
            return "computed value"
        case Reference():
            return "array of ids"


def snapshots(design: Design) -> tuple[str, ...]:
    """The copies that must not follow their source."""
    return tuple(upkeep.id for upkeep in upkeeps_of(design) if upkeep.freshness.level is Level.SNAPSHOT)
