"""The first few rows in an order, by an index over rows and their parents: read in that order, no more than are shown.

A post that has a tag, the latest first: where tags lie in their posts, or have copies of what these are ordered by, one index
tells both. What is joined besides, a row each, is joined to these few alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from nestling.ir.candidate import IndexedAcross
from nestling.ir.collations import by_expression
from nestling.ir.model import Relationship
from nestling.ir.options import Mode
from nestling.ir.workload import Statement
from nestling.planner.options.matching import compared_equal, tells_one
from nestling.planner.options.modes import Modes
from nestling.planner.options.places import Home
from nestling.planner.options.visits import Visit
from nestling.planner.work.leading import asked_in_turn


@dataclass(frozen=True, slots=True)
class Few:
    """A way to a statement's first few rows: what it needs, its price, the visits it answers, and the rows there are then."""

    text: str
    needs: tuple[str, ...]
    mode: Mode
    answered: frozenset[int]
    rows: float

    def modes(self, position: int, visit: Visit, modes: tuple[Mode, ...]) -> Iterator[Mode]:
        """The ways to answer a visit then: nothing more is to be done, or what is done otherwise, for these rows alone."""
        if position in self.answered:
            yield self.mode if position == 0 else Mode(self.text, self.needs, 0.0)
            return
        share = min(self.rows / max(visit.outer, 1.0), 1.0)
        for each in modes:
            also = tuple((name, cost * share) for name, cost in each.also)
            loads = tuple((name, cost * share) for name, cost in each.loads)
            needs = tuple(dict.fromkeys((*each.needs, *self.needs)))
            yield replace(each, needs=needs, cost=each.cost * share, also=also, loads=loads)


def few_by_index(modes: Modes, statement: Statement, found: tuple[Visit, ...]) -> Iterator[Few]:
    """The ways by each index over the first rows and their parents, or children."""
    limit, said = statement.limit, modes.sizes.said(statement)
    if limit is None or not said.as_found or sum(bool(each.access.sort) for each in found) != 1:
        return
    if any(each.access.aggregates or each.access.grouping or each.access.walk for each in found):
        return
    for position, visit in enumerate(found):
        if visit.before == 0 and visit.link is not None and not visit.link.is_self and _one_each(found, position):
            child, parent = (visit, found[0]) if visit.down else (found[0], visit)
            for name, index in modes.places.across[visit.link.name]:
                keys = _walked(modes, child, parent, visit.link, index)
                if keys is None:
                    continue
                for home, needs in _there(
                    modes, child, parent, visit.link, index, shown=child.entity not in said.only_asked
                ):
                    yield _few(modes, name, home, needs, (child, parent), keys, float(limit), frozenset({0, position}))


def _one_each(found: tuple[Visit, ...], position: int) -> bool:
    """Whether all other visits add one row to each, and ask nothing of it."""
    others = (each for number, each in enumerate(found) if number not in (0, position))
    return all(each.before is not None and not each.down and not each.access.filters for each in others)


@dataclass(frozen=True, slots=True)
class _Keys:
    """What of the child's and the parent's conditions the index answers."""

    own: frozenset[str]
    theirs: frozenset[str]


def _walked(modes: Modes, child: Visit, parent: Visit, link: Relationship, index: IndexedAcross) -> _Keys | None:
    """The equalities the index begins with, where it goes on in the order asked."""
    equal = {False: compared_equal(child.access), True: compared_equal(parent.access)}
    sorted_parents = bool(parent.access.sort)
    order = parent.access.order if sorted_parents else child.access.order
    front = 0
    while front < len(index.keys) and index.keys[front].attribute in equal[index.keys[front].parents]:
        front += 1
    fixed = {(each.attribute, each.parents) for each in index.keys[:front]}
    asked = [(name, -1 if down else 1) for name, down in order if (name, sorted_parents) not in fixed]
    behind = index.keys[front : front + len(asked)]
    there = [(each.attribute, each.direction) for each in behind if each.parents is sorted_parents]
    entity = modes.situation.model.entity(link.parent if sorted_parents else link.child)
    if not asked or any(by_expression(entity.attribute(name)) for name, _ in asked):
        return None
    if there != asked and there != [(name, -way) for name, way in asked]:
        return None
    own, theirs = (frozenset(name for name, of in fixed if of is parents) for parents in (False, True))
    return _Keys(own, theirs)


def _there(
    modes: Modes, child: Visit, parent: Visit, link: Relationship, index: IndexedAcross, *, shown: bool
) -> Iterator[tuple[Home, tuple[str, ...]]]:
    """Where documents hold all of it: one for each row that is shown."""
    places = modes.places
    tells = tells_one(
        modes.situation.model.entity(link.child), compared_equal(child.access) | set(link.child_attributes)
    )
    own_homes = [home.id for home in places.homes[link.parent] if home.own]
    for home in places.homes[link.child]:
        if home.links == (link,) and home.overflow is None and parent.access.sort and own_homes:
            if child.inside or (tells and not shown):
                yield home, (home.id, own_homes[0])
        elif home.own and not child.inside:
            copies = {copy.attribute: name for name, copy in places.copied[link.child][link.name]}
            asked = {*parent.access.attributes, *(each.attribute for each in parent.access.filters)}
            needed = sorted(
                {*asked, *(each.attribute for each in index.keys if each.parents)} - set(link.parent_attributes)
            )
            if needed and set(needed) <= copies.keys():
                yield home, (home.id, *(copies[name] for name in needed))


def _few(
    modes: Modes,
    name: str,
    home: Home,
    needs: tuple[str, ...],
    pair: tuple[Visit, Visit],
    keys: _Keys,
    limit: float,
    answered: frozenset[int],
) -> Few:
    """As many entries and documents as rows are shown, and those before them of which more is asked."""
    (child, parent), sizes = pair, modes.sizes
    rest = [each for each in child.conditions if each.path not in keys.own]
    rest += [each for each in parent.conditions if each.path not in keys.theirs]
    asked = sizes.apart(parent.access, [each for each in parent.access.filters if each.attribute in keys.theirs])
    found = sizes.found(child.access) * prod(sizes.share(parent.access, each) for each in asked)
    kept = prod(each.share for each in rest)
    reached = min(limit / max(kept, 1e-9), max(found, 1.0))
    fetched, extra = modes.documents.reads(home, reached)
    text, whole = f"{home.id}, by {name}, the first few", (name, *needs)
    mode = modes.mode(text, whole, fetched + asked_in_turn(reached, rest), extra)
    return Few(text, whole, mode, answered, min(limit, reached))
