"""A join of parents and their children that begins at the children, which have copies of everything used of the parents.

The sales of each product, if sold lines hold its name: all lines are read, and no product. The open tickets of a customer's name
are found by an index over both, if tickets hold the name. Both ways answer the first two visits of a statement together, so
these are one step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from nestling.ir.candidate import IndexedAcross
from nestling.ir.design_problem import Mode
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.hops import Hops, JoinHop
from nestling.planner.options.reads.starts import FEW_WAYS, Starts, chosen_together
from nestling.planner.options.sizes.matching import front_across, rows_across
from nestling.planner.options.statements.visits import Visit
from nestling.planner.options.structures.places import Home
from nestling.planner.work.first_access import asked_in_turn
from nestling.planner.work.stream import Condition, Use

_EITHER = Condition("", Use.NONE, 1.0)
"""The OR by whose sides rows were found, which is asked of each of them again."""


def begun_at_children(starts: Starts, hops: Hops, statement: Statement, found: tuple[Visit, ...]) -> Iterator[Mode]:
    """The ways to the rows of the first two visits from the children's own."""
    both = _both(starts.modes, statement, found)
    if both is None:
        return
    modes, parent, child = starts.modes, both.parent, both.child
    asked = modes.sizes.table(statement, parent.access).conditions
    after = modes.price(work_of.sort(found[1].rows)) if both.is_sorted(modes, statement) else 0.0
    for home in modes.places.homes[child.entity]:
        if child is found[1]:
            rows = modes.sizes.found(child.access)
            more = modes.price(work_of.pass_on(rows) + asked_in_turn(rows, asked)) if asked else 0.0
            for copied in both.from_copies(hops, rows, asked):
                for start in starts.finds(statement, child.access, home):
                    yield replace(one := start.then(copied), cost=one.cost + more + after)
        if home.own and home.bucket is None:
            for start, rows in (*both.by_index(modes, statement, home), *both.sides(starts, home)):
                for copied in both.from_copies(hops, rows, asked):
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
    """A statement's first two visits: of parents, and of their children along a link. `optional`: a child needs no parent."""

    parent: Visit
    child: Visit
    link: Relationship
    optional: bool

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

    def by_index(self, modes: Modes, statement: Statement, home: Home) -> Iterator[tuple[Mode, float]]:
        """The ways by an index over children and copies of their parents, and how many rows it finds.

        What is asked of parents that an outer join adds restricts no children.
        """
        if self.optional:
            return
        accesses = {"": self.child.access, self.link.name: self.parent.access}
        for name, index in modes.places.across[self.child.entity]:
            fixed = self._fixed(index, accesses)
            if fixed:
                rows, left = rows_across(modes.sizes, accesses, fixed), list[Condition]()
                for along, access in accesses.items():
                    asked = modes.sizes.table(statement, access).conditions
                    left += [each for each in asked if (each.path, along) not in fixed]
                yield _found(modes, home, (name,), rows, left), rows

    def sides(self, starts: Starts, home: Home) -> Iterator[tuple[Mode, float]]:
        """The ways by an index for each side of an OR that is about both."""
        theirs, own, modes = self.parent.access.any_of, self.child.access.any_of, starts.modes
        if not own or len(theirs) != len(own) or not all(map(any, zip(theirs, own, strict=True))):
            return
        alike = Counter(zip(theirs, own, strict=True))
        for found in chosen_together([self._ways_of_side(starts, *each) for each in alike]):
            names = tuple(dict.fromkeys(name for name, _ in found if name))
            rows = sum(times * each for (_, each), times in zip(found, alike.values(), strict=True))
            rows = min(rows, modes.documents.count(home))
            yield _found(modes, home, names, rows, [_EITHER]), rows

    def _ways_of_side(
        self, starts: Starts, theirs: tuple[AttributeFilter, ...], own: tuple[AttributeFilter, ...]
    ) -> list[tuple[str, float]]:
        """The indexes that find the children of one side best, and how many."""
        child = replace(self.child.access.of_side(own), sort=())
        accesses = {"": child, self.link.name: self.parent.access.of_side(theirs)}
        found = [(name, rows) for name, (rows, _) in starts.few_ways(child, alone=False)] if child.filters else []
        for name, index in starts.modes.places.across[self.child.entity]:
            if fixed := self._fixed(index, accesses):
                found.append((name, rows_across(starts.modes.sizes, accesses, fixed)))
        return sorted(found, key=lambda each: (each[1], each[0]))[:FEW_WAYS]

    def _fixed(self, index: IndexedAcross, accesses: Mapping[str, Access]) -> frozenset[tuple[str, str]]:
        """What an index finds children by: the attributes compared for equality that it begins with, and then one in a range.

        Nothing if it begins with another one, or is over other parents.
        """
        if not set(index.links) <= {self.link.name}:
            return frozenset()
        front = front_across(index, accesses)
        then = index.keys[len(front) : len(front) + 1] if front else ()
        ranged = [key for key in then if key.attribute in accesses[key.along].compared(Operator.RANGE)]
        return frozenset((each.attribute, each.along) for each in (*front, *ranged))


def _found(modes: Modes, home: Home, names: tuple[str, ...], rows: float, left: list[Condition]) -> Mode:
    fetched, also = modes.documents.reads(home, rows)
    asked = work_of.pass_on(rows) + asked_in_turn(rows, tuple(left)) if left else NO_WORK
    return modes.mode(f"{home.id}, by {' and '.join(names) or 'keys'}", (home.id, *names), fetched + asked, also)


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
    of_parent, of_child = (modes.sizes.table(statement, each.access) for each in (parent, child))
    is_lost = of_child.optional or (of_parent.optional and parent is first)
    if not plain or is_lost or of_parent.limited or of_child.limited:
        return None
    return _Both(parent, child, second.link, of_parent.optional)
