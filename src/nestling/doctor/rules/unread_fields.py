"""Fields that make up most of a document but are hardly ever read.

Why: the storage engine reads, caches and writes a document as a whole. Fields that reads do not show, compare or sort by take
cache space from other documents, and are read from disk together with the others.

Example: articles of 40 kB, 38 of which are `raw`; of 1,200 reads captured, 1,188 show only titles and dates.

Remedy: move these fields to a second collection with the same `_id`, which the few reads look up. `nestling design` compares
the saving with the cost of the lookups and of the second write.

Fields of indexes, references and small fields stay where they are. With fewer than a thousand reads nothing is reported.

Ignore when: the capture does not cover the time at which the fields are read, such as a nightly report. Reads of whole
documents, and joins to them, count as reading every field: if an application never names the fields it needs, they cannot be
distinguished.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import listed, share
from nestling.ir.facts import CollectionFacts, PathFacts, Projection
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import count, counted, size

RULE = Rule(
    "Large fields that few reads use",
    Severity.WARNING,
    (
        Threshold("part", "share of a document's bytes in these fields", "%", {"nestling": 50}),
        Threshold("bytes", "bytes of these fields in a document, on average", "bytes", {"nestling": 2_048}),
        Threshold("reads", "share of reads that use any of them, at most", "%", {"nestling": 10}),
        Threshold("statements", "captured reads; with fewer, nothing is reported", "statements", {"nestling": 1_000}),
    ),
)


_SMALL = 64
"""Average bytes below which a field is not worth a second document."""


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections whose reads ignore most of each document."""
    for collection in seen.facts.of_documents():
        taken = list(_taken(seen, collection))
        reads = sum(times for _, times in taken)
        if reads >= seen.limits["statements"].value and collection.paths:
            yield from _unread(seen, collection, taken, reads)


def _taken(seen: RuleInput, collection: CollectionFacts) -> Iterator[tuple[Projection, int]]:
    """The fields that reads of a collection took from a document; a `$lookup` there takes all of it."""
    for statement in seen.facts.statements:
        if statement.namespace == collection.namespace:
            yield from statement.taken
        elif statement.database == collection.database and collection.name in {j.collection for j in statement.joins}:
            yield Projection((), but=True), statement.count


def _unread(
    seen: RuleInput, collection: CollectionFacts, taken: Sequence[tuple[Projection, int]], reads: int
) -> Iterator[Finding]:
    fields = [path for path in collection.top_level() if path.field != "_id"]
    keys = _keys(seen, collection)
    movable = [path for path in fields if path.field not in keys and path.size_bytes >= _SMALL * max(path.parents, 1)]
    cold = _left_aside(movable, taken, seen.limits["reads"].value / 100 * reads)
    whole, apart = (sum(path.size_bytes for path in each) for each in (fields, cold))
    documents = max(fields[0].parents, 1) if fields else 1
    if not cold or apart / documents <= seen.limits["bytes"].value:
        return
    if 100 * apart > seen.limits["part"].value * whole:
        yield _finding(seen, collection, cold, taken, (apart / documents, whole / documents))


def _keys(seen: RuleInput, collection: CollectionFacts) -> set[str]:
    """The fields by which documents are found, or find others."""
    indexed = {field.partition(".")[0] for index in collection.indexes for field, _ in index.keys}
    place = (collection.database, collection.name)
    return indexed | {each.steps[0] for each in seen.facts.references if (each.database, each.collection) == place}


def _left_aside(fields: Sequence[PathFacts], taken: Sequence[tuple[Projection, int]], most: float) -> list[PathFacts]:
    """The largest fields, as long as no more than this number of reads takes any of them."""
    found: list[PathFacts] = []
    for path in sorted(fields, key=lambda each: -each.size_bytes):
        if _asking([*found, path], taken) <= most:
            found.append(path)
    return found


def _asking(fields: Sequence[PathFacts], taken: Sequence[tuple[Projection, int]]) -> int:
    """How many reads take one of the fields."""
    return sum(times for each, times in taken if any(each.takes(path.field) for path in fields))


def _finding(
    seen: RuleInput,
    collection: CollectionFacts,
    cold: list[PathFacts],
    taken: Sequence[tuple[Projection, int]],
    sizes: tuple[float, float],
) -> Finding:
    apart, whole = sizes
    reads, asking = sum(times for _, times in taken), _asking(cold, taken)
    left = [path for path in collection.top_level() if path not in cold and path.field != "_id"]
    hot = sorted((path for path in left if _asking([path], taken)), key=lambda path: -_asking([path], taken))
    names, kept = listed(path.text for path in cold), listed(path.text for path in hot)
    asked = f"{count(asking)} of {counted(reads, 'captured read')} ({share(asking, reads)}) use any of them"
    return seen.finding(
        collection,
        "",
        f"{names}: {size(apart)} of {size(whole)} per document ({share(apart, whole)}); {asked}"
        + (f", the others {kept}" if kept else ""),
        number=100 * apart / whole,
        limit="part",
        cost=f"each read of a document reads and caches {size(apart)} that it does not need",
        remedy=f"Move {names} to a second collection with the same `_id`; nestling design weighs the lookups.",
        evidence={
            "bytes": apart,
            "document_bytes": whole,
            "reads": reads,
            "reads_taking": asking,
            "unread": ", ".join(path.text for path in cold),
            "read": ", ".join(path.text for path in hot),
        },
        confidence=Confidence.LIKELY,
        work=Work(read_bytes=apart),
    )
