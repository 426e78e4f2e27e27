"""Work: the physical quantities that something costs a server and its client, before they are priced.

The planner counts work, the cost stage prices it with a profile's coefficients. Quantities are means per execution and need not
be whole numbers. `nestling.ir.paths.work_of` gives the work of elementary accesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import NamedTuple


class Work(NamedTuple):
    """Quantities that can be added; the unit of each field is in its comment.

    It is a tuple, unlike the other nouns, because sums are computed by the million.
    """

    round_trips: float = 0.0  # requests of the client
    stages: float = 0.0  # pipeline stages set up for a request, light ones in part (`work_of.LIGHT`)
    nodes: float = 0.0  # operators, fields and constants of expressions parsed for a request
    index_seeks: float = 0.0  # descents of an index
    keys: float = 0.0  # index entries walked over
    documents: float = 0.0  # documents fetched by their record id
    scanned: float = 0.0  # documents read one after the other by a collection scan
    read_bytes: float = 0.0  # bytes of the documents fetched or scanned, uncompressed
    sent_bytes: float = 0.0  # bytes of the results sent to the client
    results: float = 0.0  # documents sent to the client
    values: float = 0.0  # fields of these the client decodes
    tests: float = 0.0  # predicates asked of a document or row
    patterns: float = 0.0  # bytes of texts held against a pattern
    passed: float = 0.0  # rows handed from one stage of a pipeline to the next
    fields: float = 0.0  # fields computed or projected by the server
    elements: float = 0.0  # array elements unwound, filtered or mapped
    lookups: float = 0.0  # foreign queries run by $lookup
    lookups_beside: float = 0.0  # of what belongs to a row, looked up by an index in the server's faster engine
    hashed: float = 0.0  # documents put into a hash table for lookups without an index, and rows looked up in it
    lookup_stages: float = 0.0  # stages of a foreign pipeline, set up again for each of these queries
    grouped: float = 0.0  # rows put into groups
    groups: float = 0.0  # groups made of these rows
    sorted: float = 0.0  # rows sorted, times the binary logarithm of their number
    spilled_bytes: float = 0.0  # bytes a sort or group writes to disk
    changes: float = 0.0  # updates and deletes asked for, however many documents each is about
    inserts: float = 0.0  # documents inserted
    updates: float = 0.0  # documents changed
    moves: float = 0.0  # of these, documents that grow
    deletes: float = 0.0  # documents removed
    written_bytes: float = 0.0  # bytes of the documents inserted
    rewritten_bytes: float = 0.0  # bytes of the documents changed, whole
    index_writes: float = 0.0  # index entries added or removed
    transactions: float = 0.0  # multi-document transactions
    events: float = 0.0  # change events applied by a background sync
    client_rows: float = 0.0  # rows the client joins or regroups
    cold_bytes: float = 0.0  # bytes read that the cache is not expected to hold
    cold_pages: float = 0.0  # pages read from disk for them

    def __add__(self, other: Work) -> Work:  # type: ignore[override]
        if other is NO_WORK:
            return self
        return Work._make(map(add, self, other))

    def __mul__(self, times: float) -> Work:  # type: ignore[override]
        return Work._make([amount * times for amount in self])

    def __rmul__(self, times: float) -> Work:  # type: ignore[override]
        return self * times


@dataclass(frozen=True, slots=True)
class Measurement:
    """An experiment: its work, and the seconds its fastest execution took."""

    name: str
    work: Work
    seconds: float


NAMES = Work._fields
NO_WORK = Work()
