"""How many rows a statement shows: those there are after its last visit, put into groups and limited as it says."""

from __future__ import annotations

from dataclasses import replace
from math import exp, inf

from nestling.ir.workload import Access, Operator, Statement
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.statement_facts import GroupFacts
from nestling.planner.options.statements.visits import Visit


def shown_rows(statement: Statement, found: tuple[Visit, ...], sizes: Sizes) -> float:
    """The rows it sends."""
    said, grouped = sizes.facts_of(statement), grouping(statement, found, sizes)
    last = sizes.limited(statement, found[-1].access)
    taken = last.left(found[-1].rows) if last is not None else found[-1].rows
    rows = grouped.left(taken) if grouped is not None else joined_rows(statement, found, sizes)
    rows = rows if grouped is not None else max(rows, _but_for_few(statement, found, sizes))
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


def joined_rows(statement: Statement, found: tuple[Visit, ...], sizes: Sizes) -> float:
    """Rows there are after all joins."""
    if any(each.access.aggregates for each in found):
        rows = found[0].rows
    else:
        rows = _asked(statement, found, sizes) if found[-1].inside else found[-1].rows
    return min(rows, _groups(found[0].access, sizes)) if len(found) == 1 else rows


def _but_for_few(statement: Statement, found: tuple[Visit, ...], sizes: Sizes) -> float:
    """The rows outside of a subquery that must find none, where it is read first as it finds few: nearly all."""
    outside = next((each for each in found if not each.inside), None)
    is_lacking = found[0].inside and sizes.table(statement, found[0].access).lacking
    return sizes.found(outside.access) if is_lacking and outside is not None else 0.0


def _asked(statement: Statement, found: tuple[Visit, ...], sizes: Sizes) -> float:
    """The rows that a subquery, whose visits are the last, leaves of those before.

    It finds so many for each on average, by chance more or fewer. Where it must find none, those are left for which it does.
    """
    outside = next((each for each in reversed(found) if not each.inside), None)
    table = sizes.table(statement, found[-1].access)
    if outside is None or table.shown or not outside.rows:
        return found[-1].rows
    if any(each.operator in (Operator.EACH, Operator.LACKS) for each in outside.access.filters):
        return outside.rows  # IN and NOT IN, whose share is among those of its conditions
    none = exp(-found[-1].rows / outside.rows)
    return outside.rows * (none if table.lacking else 1 - none)


def _groups(access: Access, sizes: Sizes) -> float:
    """Rows an access shows at most, where it shows groups."""
    if access.grouping is None:
        return inf
    found = 1.0
    for name, unit in access.grouping.keys:
        found *= sizes.distinct(access.entity, name) if unit is None else inf
    return found
