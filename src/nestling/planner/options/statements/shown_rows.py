"""How many rows a statement shows: those there are after its last visit, put into groups and limited as it says."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from nestling.ir.workload import Access, Statement
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.statement_facts import GroupFacts
from nestling.planner.options.statements.visits import Visit


def shown_rows(statement: Statement, found: tuple[Visit, ...], sizes: Sizes) -> float:
    """The rows it sends."""
    said, grouped = sizes.facts_of(statement), grouping(statement, found, sizes)
    last = sizes.limited(statement, found[-1].access)
    taken = last.left(found[-1].rows) if last is not None else found[-1].rows
    rows = grouped.left(taken) if grouped is not None else joined_rows(found, sizes)
    rows = said.firsts.count(rows) if said.firsts is not None else rows
    rows = last.left(rows) if last is not None else rows
    return min(rows, float(statement.limit)) if statement.limit is not None else rows


def grouping(statement: Statement, found: tuple[Visit, ...], sizes: Sizes) -> GroupFacts | None:
    """What is known of the groups it shows, with how many rows of each table come into them; None where it shows none."""
    grouped = sizes.facts_of(statement).grouped
    if grouped is None:
        return None
    shares = {sizes.table(statement, each.access).alias: _share_reached(each, sizes) for each in found}
    return replace(grouped, shares=shares)


def _share_reached(visit: Visit, sizes: Sizes) -> float:
    """The share of an entity's rows a visit may reach: of parents looked up those alone that meet its conditions."""
    reached = sizes.found(visit.access)
    if visit.before is None or visit.down:
        reached = min(reached, visit.rows)
    return min(reached / sizes.rows(visit.entity), 1.0)


def joined_rows(found: tuple[Visit, ...], sizes: Sizes) -> float:
    """Rows there are after all joins."""
    rows = found[-1].rows if all(not each.access.aggregates for each in found) else found[0].rows
    return min(rows, _groups(found[0].access, sizes)) if len(found) == 1 else rows


def _groups(access: Access, sizes: Sizes) -> float:
    """Rows an access shows at most, where it shows groups."""
    if access.grouping is None:
        return inf
    found = 1.0
    for name, unit in access.grouping.keys:
        found *= sizes.distinct(access.entity, name) if unit is None else inf
    return found
