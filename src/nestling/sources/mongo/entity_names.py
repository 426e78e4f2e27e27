"""Names: of entities, whose rows may lie in an array of another's documents, and of attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from nestling.common.words_in_names import singular
from nestling.ir.facts import ELEMENT
from nestling.ir.facts.structure import FieldPlace, Steps
from nestling.ir.free_names import free_name
from nestling.sources.mongo.seen import NodeRole, ObservedNode


def entity_names(seen: Iterable[ObservedNode]) -> dict[FieldPlace, str]:
    """A name for each entity: its collection's, or its field's where no other has that, else with those above it."""
    every = [each for each in seen if each.role is NodeRole.ENTITY]
    short = {each.place: _short(each) for each in every}
    times = Counter(name.casefold() for name in short.values())
    names: dict[FieldPlace, str] = {}
    taken: set[str] = set()
    for each in sorted(every, key=lambda each: (_is_inside(each), each.place)):
        name = short[each.place]
        if times[name.casefold()] > 1 and _is_inside(each):
            name = "_".join((each.collection.name, *(step for step in each.place[1] if step != ELEMENT))).replace(
                "?", ""
            )
        names[each.place] = free(name, taken)
    return names


def _is_inside(seen: ObservedNode) -> bool:
    """Whether its rows lie in another entity's documents."""
    return seen.above is not None and seen.above.role is not NodeRole.BUCKET


def _short(seen: ObservedNode) -> str:
    if seen.kind:
        return seen.kind
    if not _is_inside(seen):
        return seen.collection.name
    return [step for step in seen.node.steps if step != ELEMENT][-1]


def free(name: str, taken: set[str]) -> str:
    """The name, numbered if it is taken (whatever its case); it is then."""
    found = free_name(name, lambda each: each.casefold() in taken)
    taken.add(found.casefold())
    return found


def column_name(seen: ObservedNode, steps: Steps) -> str:
    """The name of a column in its entity: its field's name, with the documents around it that are not entities."""
    if steps == seen.node.steps:
        return singular(seen.node.steps[-2])
    own = steps[len(seen.node.steps) :] or steps  # what a bucket's header tells lies above
    parts = own[1:] if own[0] == "_id" and len(own) > 1 else own
    return parts[0] + "".join(f"_{part.lstrip('_')}" for part in parts[1:])


def reference_name(entity: str, key: str) -> str:
    """What rows inside another's documents call its key: the key's name if it shows whose it is."""
    plain = key.strip("_")
    return f"{singular(entity)}_{plain}" if plain.casefold() in ("id", "code", "key", "no", "name", "number") else key
