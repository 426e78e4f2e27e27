"""The work of elementary accesses, from which all other work is summed up.

Pure functions of numbers: counts are documents, rows or elements (means, not whole numbers), sizes are bytes of uncompressed
BSON. The estimator of read plans, the patterns' options and the calibration's experiments all use these, so that predictions
and fits count the same things.
"""

from __future__ import annotations

from math import ceil, log2

from nestling.ir.paths.work import Work

FIRST_BATCH = 101
"""Documents in a cursor's first reply, as the server defines it; more come in further requests."""
BATCH_BYTES = 16 * 1024 * 1024
"""Bytes in any other reply at most."""
SORT_MEMORY_BYTES = 100 * 1024 * 1024
"""Memory of a sort or group before it uses the disk, as the server defines it."""
USUAL_FIELD_BYTES = 24
"""Assumed size of a field with its name and value."""
PAGE_BYTES = 32 * 1024
"""A leaf page of a collection on disk (WiredTiger's default)."""

LIGHT = 0.3
"""Setup cost of a simple stage that unwinds, filters, sorts or projects rows, as a share of one that looks up.

Measured on MongoDB 6.0.5 with reads of one small document that differ only in such stages: 10 to 18 µs each, in requests of 390
µs; in the profile that ships a request takes 700 µs, and a stage 79.
"""


def light(stages: float) -> float:
    """The work of so many light stages, in units of the profile's coefficient for stages."""
    return LIGHT * stages


def request(stages: float = 0) -> Work:
    """One request; `stages`: those of its pipeline, with `light` ones weighted; 0 for a `find` or a write."""
    return Work(round_trips=1, stages=stages)


def fetch_by_index(matches: float, document_bytes: float, *, keys: float | None = None, seeks: float = 1) -> Work:
    """`matches` documents found by an index that walks over `keys` entries, by default one for each."""
    walked = matches if keys is None else keys
    return Work(index_seeks=seeks, keys=walked, documents=matches, read_bytes=matches * document_bytes)


def work_of_entries(keys: float, *, seeks: float = 1) -> Work:
    """Index entries that answer by themselves, without their documents."""
    return Work(index_seeks=seeks, keys=keys)


def scan(documents: float, document_bytes: float) -> Work:
    """Every document of a collection."""
    return Work(scanned=documents, read_bytes=documents * document_bytes)


def ask(rows: float, conditions: float = 1) -> Work:
    """Conditions tested on each row."""
    return Work(tests=rows * conditions)


def lookup(outer_rows: float, matches_per_row: float, document_bytes: float, *, stages: float = 0) -> Work:
    """A `$lookup` by an index for each of `outer_rows`; `stages`: those of its pipeline."""
    return outer_rows * (Work(lookups=1, lookup_stages=stages) + fetch_by_index(matches_per_row, document_bytes))


def lookup_by_scan(outer_rows: float, documents: float, document_bytes: float, *, stages: float = 0) -> Work:
    """A `$lookup` without an index: the foreign collection is read for each of `outer_rows`."""
    each = Work(lookups=1, lookup_stages=stages) + scan(documents, document_bytes) + ask(documents)
    return outer_rows * each


def lookup_by_hash(outer_rows: float, documents: float, document_bytes: float) -> Work:
    """A `$lookup` without an index in a small collection: the server reads it once and holds it by the value looked for."""
    return scan(documents, document_bytes) + Work(hashed=documents + outer_rows)


def parse(nodes: float) -> Work:
    """Expressions taken in for a request."""
    return Work(nodes=nodes)


def hold_against_pattern(text_bytes: float) -> Work:
    """Texts compared with a pattern (LIKE, a regular expression)."""
    return Work(patterns=text_bytes)


def pass_on(rows: float) -> Work:
    """Rows that reach a stage of a pipeline."""
    return Work(passed=rows)


def unwind(elements: float) -> Work:
    """Array elements made rows, or filtered, or mapped."""
    return Work(elements=elements)


def project(rows: float, fields: float) -> Work:
    """`fields` computed or kept of each row."""
    return Work(fields=rows * fields)


def sort(rows: float, row_bytes: float = 0) -> Work:
    """Rows put in order in memory, and on disk when they do not fit there."""
    spilled = rows * row_bytes if rows * row_bytes > SORT_MEMORY_BYTES else 0.0
    return Work(sorted=rows * log2(max(rows, 2)), spilled_bytes=spilled)


def top(rows: float, count: float) -> Work:
    """The first `count` of `rows` in order: only so many are held."""
    return Work(sorted=rows * log2(max(min(rows, count), 2)))


def group(rows: float, groups: float, group_bytes: float = 0) -> Work:
    """Rows put into groups; they go to disk when they do not fit into memory."""
    spilled = groups * group_bytes if groups * group_bytes > SORT_MEMORY_BYTES else 0.0
    return Work(grouped=rows, groups=min(groups, rows), spilled_bytes=spilled)


def send(rows: float, row_bytes: float, *, fields: float | None = None) -> Work:
    """Result documents sent to the client, including the further requests of a long answer.

    `fields` of one row; by default a usual number for its size.
    """
    values = row_bytes / USUAL_FIELD_BYTES if fields is None else fields
    more = 0.0 if rows <= FIRST_BATCH else ceil((rows - FIRST_BATCH) * row_bytes / BATCH_BYTES)
    return Work(round_trips=more, results=rows, sent_bytes=rows * row_bytes, values=rows * values)


def insert(documents: float, document_bytes: float, index_entries: float) -> Work:
    """Documents inserted, with `index_entries` each (`_id` not counted)."""
    return Work(inserts=documents, written_bytes=documents * document_bytes, index_writes=documents * index_entries)


def update(
    documents: float,
    document_bytes: float,
    *,
    index_entries_changed: float = 0,
    grows: bool = False,
    changes: float = 1,
    fields: float | None = None,
    computed: bool = False,
) -> Work:
    """Updates of documents already found: each is written whole. A changed index entry is one removed and one added.

    `grows`: each becomes larger, which is expensive in some engines. `changes`: updates sent, one unless a bulk has more.
    `fields` of one document; by default a usual number for its size. `computed`: see `rewrite`.
    """
    changed = Work(
        changes=changes,
        updates=documents,
        moves=documents if grows else 0.0,
        index_writes=documents * index_entries_changed * 2,
    )
    fields = None if fields is None else documents * fields
    return changed + rewrite(documents * document_bytes, fields=fields, computed=computed)


def rewrite(document_bytes: float, *, fields: float | None = None, computed: bool = False) -> Work:
    """Changed documents written, once the server has checked every field of them with the collection's validator.

    `computed`: by stages, or by adding to or taking from an array. The server then builds the fields again, and compares them
    with the old ones, which takes about as long: 0.07 to 0.16 µs a field on MongoDB 6.0.5, where the validator takes 0.1. A field
    set in place has no such cost.
    """
    tests = document_bytes / USUAL_FIELD_BYTES if fields is None else fields
    return Work(rewritten_bytes=document_bytes, tests=2 * tests if computed else tests)


def delete(documents: float, index_entries: float, *, changes: float = 1) -> Work:
    """Documents removed that have been found already, with `index_entries` each (`_id` not counted)."""
    return Work(changes=changes, deletes=documents, index_writes=documents * index_entries)


def transaction() -> Work:
    """The additional work of a transaction: its start, and the request that commits it."""
    return Work(transactions=1)
