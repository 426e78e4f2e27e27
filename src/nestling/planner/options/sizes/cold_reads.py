"""Which rows the cache does not hold: what the workload touches least."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.situation import Situation
from nestling.ir.workload import Statement, StatementKind
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.held_links import held_links
from nestling.planner.options.statements.visits import visits
from nestling.planner.work.cold_reads import ColdShares


def cold_shares(situation: Situation, sizes: Sizes, cache_bytes: float) -> ColdShares:
    """By entity, the share of its rows that the cache does not hold.

    A cache keeps what is touched most. So it is filled with the rows of the entity whose bytes the workload touches most often
    a second, then of the next one, until it is full. The last one to go in may do so in part; the rest is on disk. What a
    statement touches is counted as it asks for it, whatever the design is: rows are those of tables.
    """
    touched = touched_rows(situation, sizes)
    left, cold = cache_bytes, dict[str, float]()
    heat = {name: rows / sizes.rows(name) / sizes.row_bytes(name) for name, rows in touched.items()}
    for name in sorted(heat, key=lambda each: (-heat[each], each)):
        needed = sizes.rows(name) * sizes.row_bytes(name)
        if needed > left:
            cold[name] = 1 - left / needed
        left = max(left - needed, 0.0)
    return ColdShares(cold)


def data_bytes(situation: Situation, sizes: Sizes) -> float:
    """The bytes of the entities that the workload touches."""
    return sum(sizes.rows(name) * sizes.row_bytes(name) for name in touched_rows(situation, sizes))


def touched_rows(situation: Situation, sizes: Sizes) -> Mapping[str, float]:
    """By entity, how many of its rows the workload asks for or writes in a second."""
    found: dict[str, float] = {}
    for statement in situation.reading.workload.statements:
        for entity, rows in _touched(statement, situation, sizes):
            found[entity] = found.get(entity, 0.0) + statement.rate_per_second * min(rows, sizes.rows(entity))
    return found


def _touched(statement: Statement, situation: Situation, sizes: Sizes) -> list[tuple[str, float]]:
    """The rows one execution touches of each entity, parents that a foreign key holds among them: of those a LIMIT leaves out
    none.
    """
    shows_rows = all(not each.aggregates and each.grouping is None for each in statement.accesses)
    most = float(statement.limit) if statement.limit is not None and shows_rows else float("inf")
    read = visits(statement, situation.model, sizes) if any(not a.kind.writes for a in statement.accesses) else ()
    found = [(each.entity, min(max(each.reached, 1.0), most)) for each in read]
    for access in (each for each in statement.accesses if each.kind.writes):
        rows = 1.0 if access.kind is StatementKind.INSERT else sizes.found(access)
        found += [(access.entity, rows), *((link.parent, rows) for link in held_links(situation, access))]
    return found
