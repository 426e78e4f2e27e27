"""Reads from disk: which documents the cache does not hold, and what it costs to fetch these."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from nestling.ir.paths.work import Work
from nestling.ir.paths.work_of import PAGE_BYTES
from nestling.ir.situation import Situation
from nestling.ir.workload import Statement, StatementKind
from nestling.planner.options.sizes.prices import Price
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.statements.visits import visits

COLD_DOCUMENT = Work(cold_pages=1.0)
COLD_BYTE = Work(cold_bytes=1.0, cold_pages=1 / PAGE_BYTES)


@dataclass(frozen=True, slots=True)
class ColdReads:
    """`shares`: by entity, the share of its rows the cache is not expected to hold (0 to 1); those it holds are left out.

    A document fetched from disk costs a page (`document`, in seconds), and so do as many bytes as a page holds (`byte`, for one).
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    document: float = 0.0
    byte: float = 0.0

    def seconds(self, work: Work, entities: Collection[str]) -> float:
        """What work on the rows of these entities costs beyond its price: the coldest of them counts."""
        share = max((self.shares.get(name, 0.0) for name in entities), default=0.0)
        return share * (work.documents * self.document + work.read_bytes * self.byte) if share else 0.0


NONE = ColdReads()


def cold_reads(situation: Situation, sizes: Sizes, price: Price, cache_bytes: float | None) -> ColdReads:
    """What reads from disk cost; nothing where the cache is not known."""
    if cache_bytes is None:
        return NONE
    return ColdReads(cold_shares(situation, sizes, cache_bytes), price(COLD_DOCUMENT), price(COLD_BYTE))


def cold_shares(situation: Situation, sizes: Sizes, cache_bytes: float) -> Mapping[str, float]:
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
    return cold


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
    """The rows one execution touches of each entity: of those a LIMIT leaves out none."""
    shows_rows = all(not each.aggregates and each.grouping is None for each in statement.accesses)
    most = float(statement.limit) if statement.limit is not None and shows_rows else float("inf")
    read = visits(statement, situation.model, sizes) if any(not a.kind.writes for a in statement.accesses) else ()
    found = [(each.entity, min(max(each.reached, 1.0), most)) for each in read]
    written = (access for access in statement.accesses if access.kind.writes)
    inserted = StatementKind.INSERT
    return [*found, *((each.entity, 1.0 if each.kind is inserted else sizes.found(each)) for each in written)]
