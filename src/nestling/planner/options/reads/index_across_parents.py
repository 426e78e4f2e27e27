"""The first few rows in an order, by an index over rows and their parents: read in that order, no more than are shown.

A post that has a tag, the latest first: where tags lie in their posts, or have copies of what these are ordered by, one index
tells both. What is joined besides, a row each, is joined to these few alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from nestling.ir.candidate import IndexedAcross
from nestling.ir.design_problem import Mode
from nestling.ir.storage.collations import by_expression
from nestling.ir.workload import Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.sizes.matching import compared_equal, front_across, rows_across
from nestling.planner.options.statements.visits import Visit
from nestling.planner.options.structures.places import Home
from nestling.planner.work.first_access import asked_in_turn

_Joined = Mapping[str, int]
"""The positions of rows ("") and of their parents, by relationship, among a statement's visits."""


@dataclass(frozen=True, slots=True)
class Few:
    """A way to a statement's first few rows: what it needs, its price, the visits it answers, and the rows there are then."""

    mode: Mode
    answered: frozenset[int]
    rows: float

    def modes(self, position: int, visit: Visit, modes: tuple[Mode, ...]) -> Iterator[Mode]:
        """The ways to answer a visit then: nothing more is to be done, or what is done otherwise, for these rows alone."""
        if position in self.answered:
            yield self.mode if position == 0 else Mode(self.mode.text, self.mode.needs, 0.0)
            return
        share = min(self.rows / max(visit.outer, 1.0), 1.0)
        for each in modes:
            needs = tuple(dict.fromkeys((*each.needs, *self.mode.needs)))
            yield replace(each.times(share), needs=needs)


def few_by_index(modes: Modes, statement: Statement, found: tuple[Visit, ...]) -> Iterator[Few]:
    """The ways by each index over the first rows and their parents, or children."""
    limit, said = statement.limit, modes.sizes.facts_of(statement)
    if limit is None or not said.as_found or sum(bool(each.access.sort) for each in found) != 1:
        return
    if any(each.access.aggregates or each.access.grouping or each.access.walk for each in found):
        return
    for position, visit in enumerate(found):
        for name, index in modes.places.across[visit.entity]:
            joined = _joined(found, position, index)
            if joined is None or not _one_each(found, frozenset(joined.values())):
                continue
            walk = _walked(modes, found, joined, index)
            if walk is not None:
                only_asked = frozenset(
                    n for n, each in enumerate(found) if each.entity in said.only_asked or each.inside
                )
                for home, needs in _there(modes, found, joined, index, only_asked):
                    yield _few(modes, home, (name, *needs), found, joined, walk, float(limit))


def _joined(found: tuple[Visit, ...], position: int, index: IndexedAcross) -> _Joined | None:
    """Where the rows and the parents the index is over are visited, all of them and one of them first."""
    joined = {"": position}
    for number, each in enumerate(found):
        one, other = (each, position) if each.before == position else (found[position], number)
        if one.link is not None and one.before == other and one.link.child == index.entity:
            joined.setdefault(one.link.name, number)
    kept = {name: joined[name] for name in ("", *index.links) if name in joined}
    return kept if len(kept) == len(index.links) + 1 and 0 in kept.values() else None


def _one_each(found: tuple[Visit, ...], answered: frozenset[int]) -> bool:
    """Whether all other visits add one row to each, and ask nothing of it."""
    others = (each for number, each in enumerate(found) if number not in answered)
    return all(
        each.before is not None and not (each.down or each.access.filters or each.access.sort) for each in others
    )


def _walked(
    modes: Modes, found: tuple[Visit, ...], joined: _Joined, index: IndexedAcross
) -> frozenset[tuple[str, str]] | None:
    """The equalities the index begins with, each an attribute and whose, where it goes on in the order asked."""
    front = front_across(index, {along: found[position].access for along, position in joined.items()})
    fixed = frozenset((each.attribute, each.along) for each in front)
    along, first = next((name, found[position]) for name, position in joined.items() if _is_sorted(found[position]))
    asked = [(name, -1 if down else 1) for name, down in first.access.order if (name, along) not in fixed]
    behind = index.keys[len(front) : len(front) + len(asked)]
    there = [(each.attribute, each.direction) for each in behind if each.along == along]
    entity = modes.situation.model.entity(first.entity)
    if not asked or any(by_expression(entity.attribute(name)) for name, _ in asked):
        return None
    return fixed if there in (asked, [(name, -way) for name, way in asked]) else None


def _is_sorted(visit: Visit) -> bool:
    return bool(visit.access.sort)


def _there(
    modes: Modes, found: tuple[Visit, ...], joined: _Joined, index: IndexedAcross, only_asked: frozenset[int]
) -> Iterator[tuple[Home, tuple[str, ...]]]:
    """Where documents hold all of it, one for each row that is shown, and what that takes."""
    places, child = modes.places, found[joined[""]]
    for home in places.homes[index.entity]:
        around = home.links[0].name if home.links else ""
        inside = (joined[""], *(position for name, position in joined.items() if name not in ("", around)))
        if home.own and child.inside:
            continue
        if not home.own:
            if len(home.links) > 1 or home.bucket is not None or home.overflow is not None or around not in joined:
                continue
            in_order = _is_sorted(found[joined[around]]) and only_asked.issuperset(inside)
            if not in_order or not (child.inside or _one_in_each(modes, found, joined, around)):
                continue
        copied = [_copied(modes, found[joined[name]], index, name) for name in index.links if name != around]
        root = [each.id for each in places.homes[home.root] if each.own and not home.own]
        if all(each is not None for each in copied):
            yield home, (home.id, *root, *(name for each in copied for name in each or ()))


def _one_in_each(modes: Modes, found: tuple[Visit, ...], joined: _Joined, around: str) -> bool:
    """Whether at most one of the rows in a document meets the conditions."""
    model, fixed = modes.situation.model, set(compared_equal(found[joined[""]].access))
    for name, position in joined.items():
        if name and (name == around or _is_told(modes, found[position])):
            fixed |= set(model.relationship(name).child_attributes)
    return model.entity(found[joined[""]].entity).is_superkey(fixed)


def _is_told(modes: Modes, visit: Visit) -> bool:
    """Whether its own conditions tell one row."""
    return modes.situation.model.entity(visit.entity).is_superkey(compared_equal(visit.access))


def _copied(modes: Modes, parent: Visit, index: IndexedAcross, along: str) -> tuple[str, ...] | None:
    """The copies in the rows of all that is asked and shown of a parent; None where there are none of something."""
    link = modes.situation.model.relationship(along)
    copies = {copy.attribute: name for name, copy in modes.places.copied[index.entity][along]}
    asked = {*parent.access.attributes, *(each.attribute for each in parent.access.filters)}
    needed = (asked | {each.attribute for each in index.keys if each.along == along}) - set(link.parent_attributes)
    return tuple(copies[name] for name in sorted(needed)) if needed <= copies.keys() else None


def _few(
    modes: Modes,
    home: Home,
    needs: tuple[str, ...],
    found: tuple[Visit, ...],
    joined: _Joined,
    fixed: frozenset[tuple[str, str]],
    limit: float,
) -> Few:
    """The entries and documents read for the rows shown, and for the rows before them that do not meet the other conditions."""
    rest = [
        each
        for along, position in joined.items()
        for each in found[position].conditions
        if (each.path, along) not in fixed
    ]
    rows = rows_across(modes.sizes, {along: found[position].access for along, position in joined.items()}, fixed)
    reached = min(limit / max(prod(each.share for each in rest), 1e-9), rows)
    fetched, extra = modes.documents.reads(home, reached)
    text = f"{home.id}, by {needs[0]}, the first few"
    mode = modes.mode(text, needs, fetched + asked_in_turn(reached, rest), extra)
    return Few(mode, frozenset(joined.values()), min(limit, reached))
