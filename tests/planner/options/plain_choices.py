"""The plain designs as choices of candidates: normalized, embedded as deep as it goes, and the decision tree's."""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.candidate import Candidate, Indexed, Nested, Own
from nestling.ir.reading import Reading
from nestling.ir.situation import Situation
from nestling.strategies import tree


def normalized(candidates: tuple[Candidate, ...]) -> frozenset[str]:
    """Own collections, and every index over them."""
    return frozenset(each.id for each in candidates if isinstance(each.part, Own) or _is_plain_index(each))


def _is_plain_index(candidate: Candidate) -> bool:
    """An index over the attributes of one entity: one over its parents' too needs these in its documents."""
    return isinstance(candidate.part, Indexed) and candidate.pattern == "compound-index"


def embedded(candidates: tuple[Candidate, ...], reading: Reading) -> frozenset[str]:
    """Each entity inside its first possible parent, wherever that lives; every index."""
    return _placed(candidates, reading, lambda _: True)


def by_the_tree(candidates: tuple[Candidate, ...], reading: Reading, known: Situation) -> frozenset[str]:
    """What the decision tree embeds, as deep as its parents are; the rest in collections of its own; every index."""
    homes = tree.outline(known).homes
    return _placed(candidates, reading, lambda part: homes.get(part.entity) == part.links[0])


def _placed(candidates: tuple[Candidate, ...], reading: Reading, embeds: Callable[[Nested], bool]) -> frozenset[str]:
    """Parents first: each entity in the first home that stands where its parent was placed."""
    homes = {entity.name: _homes(candidates, entity.name, embeds) for entity in reading.model.entities}
    places: dict[str, tuple[str, ...]] = {}
    chosen = {each.id for each in candidates if _is_plain_index(each)}
    while len(places) < len(homes):
        waiting = [name for name in homes if name not in places]
        entity = next((name for name in waiting if _parents(homes[name], reading) <= places.keys()), waiting[0])
        home = next(each for each in homes[entity] if _fits(each, places, reading))
        places[entity] = home.part.links if isinstance(home.part, Nested) else ()
        chosen.add(home.id)
    return frozenset(chosen)


def _homes(candidates: tuple[Candidate, ...], entity: str, embeds: Callable[[Nested], bool]) -> list[Candidate]:
    """The embeddings that are wanted, then its own collection."""
    parts = [(each, each.part) for each in candidates]
    nested = [each for each, part in parts if isinstance(part, Nested) and part.entity == entity and embeds(part)]
    return [*nested, *(each for each, part in parts if isinstance(part, Own) and part.entity == entity)]


def _parents(homes: list[Candidate], reading: Reading) -> set[str]:
    return {reading.model.relationship(each.part.links[0]).parent for each in homes if isinstance(each.part, Nested)}


def _fits(candidate: Candidate, places: dict[str, tuple[str, ...]], reading: Reading) -> bool:
    """Whether it is a collection of its own, or its parent lives where this embedding says."""
    match candidate.part:
        case Nested(links=links):
            return places.get(reading.model.relationship(links[0]).parent) == links[1:]
        case _:
            return True
