"""Embedding (A1 – A3, A12): children in their parent's document as deep as bounds allow, outliers in overflow pages (C4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from nestling.ir.candidate import Nested, Suggestion
from nestling.ir.model import Cardinality, Relationship
from nestling.ir.situation import Situation
from nestling.patterns.polymorphic import inline_links

DEEPEST = 3
"""Most levels of nested embeddings: more is the anti-pattern of deep nesting (F3)."""
MOST_PLACES = 8
"""Most places proposed for one entity: in its parents first, then along longer chains, most used by statements first."""

Chain = tuple[Relationship, ...]


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """For each entity, every chain of embeddings that may hold its rows, along relationships that statements join along.

    An embedding that no statement joins along would save nothing and make documents larger.
    """
    joined = _joined(situation) - inline_links(situation)
    admissible = {
        e.name: [link for link in situation.parents[e.name] if link.name in joined and may_embed(situation, link)]
        for e in situation.model.entities
    }
    walked = _walked(situation)
    for entity, chains in _chains(situation, admissible, walked).items():
        for links in chains:
            yield _candidate(situation, entity, links)


def _joined(situation: Situation) -> frozenset[str]:
    """Return the relationships along which statements join children and parents, or whose rows must change together."""
    found = {a.via for s in situation.reading.workload.statements for a in s.accesses if a.via is not None}
    return frozenset(found) | {
        link.name
        for link in situation.model.relationships
        if situation.footprints[link.name].down or situation.footprints[link.name].atomic
    }


def may_embed(situation: Situation, link: Relationship) -> bool:
    """Whether every child row, except a few, has a place in a parent, and one parent's children fit into a document."""
    if link.is_self or situation.blobs[link.child]:
        return False
    if not situation.is_total(link):
        share = situation.lacking_share(link)
        if share is None or share >= max(situation.thresholds.orphan_share, 1e-12):
            return False
    if situation.fan_outs[link.name].declared_to_grow:
        return False
    return _bounded(situation, link) is not None


def _bounded(situation: Situation, link: Relationship) -> int | None:
    """Return the array bound of one parent: 0 for none, a number if overflow pages follow it, None if nothing fits."""
    if link.cardinality is Cardinality.ONE_TO_ONE:
        return 0
    fan_out, requirements = situation.fan_outs[link.name], situation.requirements
    room = int(requirements.document_bound_bytes / 2 / max(situation.row_bytes[link.child], 1.0))
    most = min(
        room, requirements.array_bound if requirements.array_bound is not None else situation.thresholds.array_embed * 5
    )
    largest = fan_out.projected or fan_out.largest
    if largest is None:
        return None
    if not fan_out.grows and largest <= most:
        return 0
    usual = fan_out.p99
    if usual is None or usual > most / 2 or usual > situation.thresholds.array_embed:
        return None  # pages bound the array whatever it grows to, but the usual parent should need none
    return max(int(usual) * 2, 10)


def _walked(situation: Situation) -> dict[str, list[tuple[frozenset[str | None], float]]]:
    """Return, by relationship, the statements that join along it: all relationships that each joins along, and its rate."""
    found: dict[str, list[tuple[frozenset[str | None], float]]] = defaultdict(list)
    for statement in situation.reading.workload.statements:
        along = frozenset(access.via for access in statement.accesses)
        for name in along:
            if name is not None:
                found[name].append((along, statement.rate_per_second))
    return found


def _chains(
    situation: Situation,
    admissible: dict[str, list[Relationship]],
    walked: dict[str, list[tuple[frozenset[str | None], float]]],
) -> dict[str, list[Chain]]:
    """Return the chains proposed for each entity. None passes an entity twice, and every document keeps its bound.

    A chain extends a chain of its parent, because what is inside a place needs that place.
    """

    def rate(links: Chain) -> float:
        names = {link.name for link in links}
        return sum(each for along, each in walked[links[0].name] if names <= along)

    found: dict[str, list[Chain]] = {entity: [] for entity in admissible}
    level: dict[str, list[Chain]] = {entity: [()] for entity in admissible}
    for _ in range(DEEPEST):
        level = {
            entity: sorted(_longer(situation, admissible[entity], level), key=lambda links: (-rate(links), len(links)))
            for entity in admissible
        }
        for entity, chains in level.items():
            del chains[MOST_PLACES - len(found[entity]) :]
            found[entity] += chains
    return found


def _longer(situation: Situation, links: list[Relationship], level: dict[str, list[Chain]]) -> Iterator[Chain]:
    """Yield chains one longer than those of the parents. Only rows in a top-level array can overflow into pages."""
    for link in links:
        for above in level[link.parent]:
            entities = {link.child, *(each.parent for each in above)}
            bounded = not above or all(_bounded(situation, each) == 0 for each in (link, *above))
            chain = (link, *above)
            fits = _bytes(situation, chain) <= situation.requirements.document_bound_bytes / 2
            if link.parent not in entities and bounded and fits:
                yield chain


def _bytes(situation: Situation, links: tuple[Relationship, ...]) -> float:
    """Return the most bytes of the entity's rows in one document."""
    size = situation.row_bytes[links[0].child]
    for link in links:
        size *= _bounded(situation, link) or situation.elements(link)
    return size


def _candidate(situation: Situation, entity: str, links: tuple[Relationship, ...]) -> Suggestion:
    bound = _bounded(situation, links[0]) or None
    path = " in ".join(_place(situation, link) for link in links)
    motives = tuple(statement.name for statement in situation.joined_by[links[0].name])
    return Suggestion(f"{entity} in {path}", Nested(entity, tuple(link.name for link in links), bound), motives)


def _place(situation: Situation, link: Relationship) -> str:
    """Return the parent that holds the rows, with the relationship if several lead to it."""
    several = sum(each.parent == link.parent for each in situation.parents[link.child]) > 1
    return f"{link.parent} by {link.name}" if several else link.parent
