"""A join of parents and their children that begins at the children, which have copies of everything used of the parents.

The sales of each product, if sold lines hold its name: all lines are read, and no product. Both ways answer the first two
visits of a statement together, so these are one step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.design_problem import Mode
from nestling.ir.paths import work_of
from nestling.ir.workload import Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.reads.hops import Hops, JoinHop
from nestling.planner.options.reads.starts import Starts
from nestling.planner.options.statements.visits import Visit
from nestling.planner.work.first_access import asked_in_turn


def begun_at_children(starts: Starts, hops: Hops, statement: Statement, found: tuple[Visit, ...]) -> Iterator[Mode]:
    """The ways to the rows of the first two visits from the second's own."""
    if len(found) < 2 or not _may_begin(starts.modes, statement, found):
        return
    modes, (parent, child, *_) = starts.modes, found
    assert child.link is not None
    rows = modes.sizes.found(child.access)
    begin = Visit(child.access, None, None, False, 0.0, rows, rows, child.conditions)
    conditions = modes.sizes.table(statement, parent.access).conditions
    up = Visit(parent.access, 0, child.link, False, rows, rows, child.rows, conditions)
    copied = tuple(hops.from_copies(JoinHop(begin, up, child.link, leaf=True, counted=False, tails=(), alone=False)))
    more = modes.price(work_of.pass_on(rows) + asked_in_turn(rows, conditions)) if conditions else 0.0
    if parent.access.sort and modes.sizes.facts_of(statement).grouped is None:
        more += modes.price(work_of.sort(child.rows))
    for home in modes.places.homes[child.entity] if copied else ():
        for start in starts.finds(statement, child.access, home):
            yield from (replace(both := start.then(up), cost=both.cost + more) for up in copied)


def together(modes: Modes, found: tuple[Visit, ...], first: tuple[Mode, ...], then: tuple[Mode, ...]) -> Iterator[Mode]:
    """The ways of the first visit, each with one of the second, except those in which rows of one entity live in two homes."""
    homes = [frozenset(home.id for home in modes.places.homes[each.entity]) for each in found[:2]]
    for one in first:
        for other in then:
            both = one.then(other)
            if all(len(among.intersection(both.needs)) < 2 for among in homes):
                yield both


def _may_begin(modes: Modes, statement: Statement, found: tuple[Visit, ...]) -> bool:
    """Whether the statement reads parents first, then all children of each, and nothing tells which come first of them."""
    parent, child = found[:2]
    said, tables = (
        modes.sizes.facts_of(statement),
        [modes.sizes.table(statement, each.access) for each in (parent, child)],
    )
    if child.link is None or child.before != 0 or not child.down or child.link.is_self:
        return False
    if any(each.before == 0 for each in found[2:]):
        return False
    if statement.limit is not None and said.as_found:
        return False
    plain = not any(
        each.access.walk or each.access.grouping or each.inside or each.windowed for each in (parent, child)
    )
    return plain and not any(each.optional or each.limited for each in tables)
