"""A join of parents and their children that begins at the children, which have copies of everything used of the parents.

The sales of each product, if sold lines hold its name: all lines are read, and no product. The open tickets of a customer's name
are found by an index over both, if tickets hold the name. Both ways answer the first two visits of a statement together, so
these are one step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from math import prod

from nestling.ir.candidate import IndexedAcross
from nestling.ir.design_problem import Mode
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK
from nestling.ir.workload import Operator, Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.hops import Hops, JoinHop
from nestling.planner.options.reads.starts import Starts
from nestling.planner.options.sizes.matching import compared_equal
from nestling.planner.options.statements.visits import Visit
from nestling.planner.options.structures.places import Home
from nestling.planner.work.first_access import asked_in_turn
from nestling.planner.work.stream import Condition


def begun_at_children(starts: Starts, hops: Hops, statement: Statement, found: tuple[Visit, ...]) -> Iterator[Mode]:
    """The ways to the rows of the first two visits from the children's own."""
    both = _both(starts.modes, statement, found)
    if both is None:
        return
    modes, parent, child = starts.modes, both.parent, both.child
    known = [modes.sizes.table(statement, each.access).conditions for each in (parent, child)]
    after = modes.price(work_of.sort(found[1].rows)) if both.is_sorted(modes, statement) else 0.0
    for home in modes.places.homes[child.entity]:
        if child is found[1]:
            rows = modes.sizes.found(child.access)
            more = modes.price(work_of.pass_on(rows) + asked_in_turn(rows, known[0])) if known[0] else 0.0
            for copied in both.from_copies(hops, rows, known[0]):
                for start in starts.finds(statement, child.access, home):
                    yield replace(one := start.then(copied), cost=one.cost + more + after)
        for name, index in modes.places.across[child.entity] if home.own and home.bucket is None else ():
            rows, left = both.matched(modes, index, *known)
            for copied in both.from_copies(hops, rows, known[0]) if rows else ():
                start = _by_index(modes, home, name, rows, left)
                yield replace(one := start.then(copied), cost=one.cost + after)


def together(modes: Modes, found: tuple[Visit, ...], first: tuple[Mode, ...], then: tuple[Mode, ...]) -> Iterator[Mode]:
    """The ways of the first visit, each with one of the second, except those in which rows of one entity live in two homes."""
    homes = [frozenset(home.id for home in modes.places.homes[each.entity]) for each in found[:2]]
    for one in first:
        for other in then:
            both = one.then(other)
            if all(len(among.intersection(both.needs)) < 2 for among in homes):
                yield both


def child_of(found: tuple[Visit, ...]) -> Visit:
    """Which of the first two visits is of the children."""
    return found[1] if found[1].down else found[0]


@dataclass(frozen=True, slots=True)
class _Both:
    """A statement's first two visits: of parents, and of their children along a link."""

    parent: Visit
    child: Visit
    link: Relationship

    def is_sorted(self, modes: Modes, statement: Statement) -> bool:
        """Whether what comes first of them has an order, which their join is sorted by."""
        first = self.parent if self.child.down else self.child
        return bool(first.access.sort) and modes.sizes.facts_of(statement).grouped is None

    def from_copies(self, hops: Hops, rows: float, asked: tuple[Condition, ...]) -> tuple[Mode, ...]:
        """The ways to have the parents of so many children from copies."""
        begin = Visit(self.child.access, None, None, False, 0.0, rows, rows, self.child.conditions)
        both = self.child.rows if self.child.down else self.parent.rows
        up = Visit(self.parent.access, 0, self.link, False, rows, rows, both, asked)
        return tuple(hops.from_copies(JoinHop(begin, up, self.link, leaf=True, counted=False, tails=(), alone=False)))

    def matched(
        self, modes: Modes, index: IndexedAcross, of_parents: tuple[Condition, ...], own: tuple[Condition, ...]
    ) -> tuple[float, list[Condition]]:
        """The children that an index finds by what it begins with, and what is asked of them besides; none if it finds none."""
        if not set(index.links) <= {self.link.name}:
            return 0.0, []
        visits = {"": self.child, self.link.name: self.parent}
        equal = {along: compared_equal(visit.access) for along, visit in visits.items()}
        front = list(takewhile(lambda key: key.attribute in equal[key.along], index.keys))
        fixed = {(each.attribute, each.along) for each in front}
        for key in index.keys[len(front) : len(front) + 1]:
            if key.attribute in visits[key.along].access.compared(Operator.RANGE):
                fixed.add((key.attribute, key.along))
        rows = modes.sizes.rows(self.child.entity) if front else 0.0
        left: list[Condition] = []
        for along, asked in ((self.link.name, of_parents), ("", own)):
            access = visits[along].access
            said = [each for each in access.filters if (each.attribute, along) in fixed]
            rows *= prod(modes.sizes.share(access, each) for each in modes.sizes.apart(access, said))
            left += [each for each in asked if (each.path, along) not in fixed]
        return max(rows, 1.0) if front else 0.0, left


def _by_index(modes: Modes, home: Home, name: str, rows: float, left: list[Condition]) -> Mode:
    fetched, also = modes.documents.reads(home, rows)
    asked = work_of.pass_on(rows) + asked_in_turn(rows, tuple(left)) if left else NO_WORK
    return modes.mode(f"{home.id}, by {name}", (home.id, name), fetched + asked, also)


def _both(modes: Modes, statement: Statement, found: tuple[Visit, ...]) -> _Both | None:
    """The first two visits, if the statement joins parents and all their children, and nothing tells which come first."""
    if len(found) < 2:
        return None
    first, second = found[:2]
    if second.link is None or second.before != 0 or second.link.is_self:
        return None
    parent, child = (first, second) if second.down else (second, first)
    if any(each.before is not None and found[each.before] is parent for each in found[2:]):
        return None
    said = modes.sizes.facts_of(statement)
    if statement.limit is not None and said.as_found:
        return None
    plain = not any(
        each.access.walk or each.access.grouping or each.inside or each.windowed for each in (parent, child)
    )
    tables = [modes.sizes.table(statement, each.access) for each in (parent, child)]
    return (
        _Both(parent, child, second.link)
        if plain and not any(each.optional or each.limited for each in tables)
        else None
    )
