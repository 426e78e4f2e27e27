"""Which parent the n-th row of an entity has along a relationship."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from nestling.ir.model import Cardinality, Model, Relationship
from nestling.ir.statistics import Statistics, value_of
from nestling.sources.generated.fan_out import ParentSlots, slots
from nestling.sources.generated.permutations import Permutation, permutation

REMEMBERED = 512
"""Parents whose partners are kept: rows of one parent come together."""

Parent = tuple[int, int]
"""The number of a parent row, and which of its children a row is."""


@dataclass(frozen=True, slots=True)
class GeneratedLink:
    """A relationship of a child with so many rows: `parent(n)` is the row its n-th row refers to, and its place there."""

    relationship: Relationship
    parent: Callable[[int], Parent | None]


def link(relationship: Relationship, model: Model, known: Statistics, rows: dict[str, int], seed: int) -> GeneratedLink:
    """Children in any order, each with its own slot; in a tree parents come before their children."""
    parents, children = rows[relationship.parent], rows[relationship.child]
    made = slots_of(relationship, model, known, rows)
    alone = children - linked_rows(relationship, model, known, rows)
    if relationship.is_self:
        return GeneratedLink(relationship, _tree(made, alone, required=not nullable_attributes(relationship, model)))
    order = permutation(children, seed, relationship.name, "order")
    taken = permutation(made.size, seed, relationship.name, "slots")
    ranked = permutation(parents, seed, relationship.name, "parents")

    @lru_cache(4)
    def parent(number: int) -> Parent | None:
        place = order(number % children)
        if place < alone or not made.size:
            return None
        rank, position, _ = made.owner(taken(place - alone))
        return ranked(rank), position

    return GeneratedLink(relationship, parent)


def slots_of(
    relationship: Relationship, model: Model, known: Statistics, rows: dict[str, int], most: int | None = None
) -> ParentSlots:
    """The slots of a relationship's parents, each with `most` at most."""
    if relationship.cardinality is Cardinality.ONE_TO_ONE:
        most = 1
    linked = linked_rows(relationship, model, known, rows)
    return slots(known.relationship(relationship.name), rows[relationship.parent], linked, most=most)


def linked_rows(relationship: Relationship, model: Model, known: Statistics, rows: dict[str, int]) -> int:
    """Child rows that have a parent."""
    children, parents = rows[relationship.child], rows[relationship.parent]
    if not parents:
        return 0
    numbers = known.relationship(relationship.name)
    if relationship.is_self:
        roots = numbers.orphans.value if numbers.orphans is not None else children // 10
        return max(0, min(children - 1, children - round(roots)))
    if not nullable_attributes(relationship, model):
        return children
    if numbers.orphans is not None:
        return max(0, children - round(numbers.orphans.value))
    numbers_of = known.entity(relationship.child).attribute
    nulls = [numbers_of(name).null_share for name in nullable_attributes(relationship, model)]
    return round(children * (1 - max(value_of(each, 0.0) for each in nulls)))


def nullable_attributes(relationship: Relationship, model: Model) -> tuple[str, ...]:
    """The attributes of its foreign key that may be NULL; a row with one that is has no parent."""
    child = model.entity(relationship.child)
    return tuple(name for name in relationship.child_attributes if child.attribute(name).nullable)


def _tree(made: ParentSlots, roots: int, *, required: bool) -> Callable[[int], Parent | None]:
    """Rows level by level, those with most children first, so that no row precedes its parent."""

    def parent(number: int) -> Parent | None:
        if number < roots or not made.size:
            return (number, 0) if required else None
        slot = made.size - 1 - (number - roots)
        rank, place, children = made.owner(max(0, slot))
        return made.parents - 1 - rank, children - 1 - place

    return parent


@dataclass(slots=True)
class _Partners:
    """The partners of one row so far; `start` is the slot they are looked for from."""

    start: int
    found: list[int] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    tried: int = 0


def pair(
    one: Relationship, other: Relationship, model: Model, known: Statistics, rows: dict[str, int], seed: int
) -> tuple[GeneratedLink, GeneratedLink]:
    """Both sides of a junction whose rows are distinct pairs: rows in order of the first side, each with different partners.

    Rows without a parent on the first side come last; those without one on the other side may be anywhere.
    """
    children, linked = rows[one.child], linked_rows(one, model, known, rows)
    left = slots_of(one, model, known, rows, rows[other.parent])
    right = slots_of(other, model, known, rows, rows[one.parent])
    ranked = permutation(rows[one.parent], seed, one.name, "parents")
    other_ranked = permutation(rows[other.parent], seed, other.name, "parents")
    step = permutation(right.size, seed, other.name, "slots")
    order = permutation(children, seed, other.name, "order")
    alone = children - linked_rows(other, model, known, rows)

    def first(number: int) -> Parent | None:
        if number % children >= linked:
            return None
        rank, place, _ = left.owner(number % children % left.size)
        return ranked(rank), place

    @lru_cache(REMEMBERED)
    def partners(start: int) -> _Partners:
        return _Partners(start)

    def second(number: int) -> Parent | None:
        number %= children
        if order(number) < alone:
            return None
        if number >= linked:
            rank, place, _ = right.owner(step(number % right.size))
            return other_ranked(rank), place
        rank, place, most = left.owner(number % left.size)
        if most >= right.parents:
            return other_ranked(place % right.parents), rank
        met = partners(number % left.size - place)
        _meet(met, place, right, step)
        return other_ranked(met.found[place]), rank

    return GeneratedLink(one, first), GeneratedLink(other, second)


def _meet(partners: _Partners, place: int, right: ParentSlots, step: Permutation) -> None:
    """Find partners until there is one for `place`: those with more slots first, none twice."""
    while len(partners.found) <= place:
        if partners.tried < 2 * right.size:
            rank, _, _ = right.owner(step((partners.start + partners.tried) % right.size))
        else:
            rank = partners.tried % right.parents
        partners.tried += 1
        if rank not in partners.seen:
            partners.seen.add(rank)
            partners.found.append(rank)
