"""Documents that are much larger than what is read of them at once.

Why: a document is one value in the storage engine. Reading one field reads, decompresses and caches all of it, and changing one
field writes all of it.

Example: a product of 300 kB of which the list page shows 200 bytes.

Remedy: keep together what is read together. Move what is rarely read – descriptions, history, raw answers of other services –
to a second collection with the same `_id`. If statements are captured, `unread-fields` names these fields.

Ignore when: the documents are always read whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import largest_documents
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import confidence, share
from nestling.ir.facts import CollectionFacts, PathFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.paths.work_of import PAGE_BYTES
from nestling.ir.quantity_words import size

MOST_MEAN_BYTES = PAGE_BYTES // 2
"""Of larger ones, a page of the storage engine holds one document: each is read alone."""
RULE = Rule(
    "Bloated document",
    Severity.WARNING,
    (
        Threshold(
            "largest",
            "bytes of the largest document",
            "bytes",
            {"skill": 1_000_000, "atlas": 2_000_000, "compass": 10_000_000},
        ),
        Threshold("high", "bytes of a document, 95th percentile", "bytes", {"skill": 200_000}),
        Threshold(
            "mean",
            "bytes of a document on average: half a page of the storage engine",
            "bytes",
            {"nestling": MOST_MEAN_BYTES},
        ),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections with documents that are too large; coordinates are not counted in the average."""
    for collection in seen.facts.of_documents():
        if collection.sizes is None:
            continue
        mean = collection.sizes.mean - _spatial_bytes(collection)
        numbers = {"largest": collection.sizes.max, "high": collection.sizes.p95, "mean": mean}
        passed = [name for name, number in numbers.items() if number > seen.limits[name].value]
        if passed and mean > MOST_MEAN_BYTES / 4:
            yield _finding(seen, collection, passed, numbers)


def _spatial_bytes(collection: CollectionFacts) -> float:
    """Average bytes of coordinates in a document."""
    outer = [path for path in collection.top_level() if any(collection.spatial(p) for p in _below(collection, path))]
    documents = max(collection.top_level()[0].parents, 1) if collection.paths else 1
    return sum(path.size_bytes for path in outer) / documents


def _below(collection: CollectionFacts, path: PathFacts) -> Iterator[PathFacts]:
    return (each for each in collection.paths if each.steps[0] == path.steps[0])


def _finding(seen: RuleInput, collection: CollectionFacts, passed: list[str], numbers: dict[str, float]) -> Finding:
    sizes = collection.sizes
    assert sizes is not None
    largest = max(collection.top_level(), key=lambda path: path.size_bytes)
    total = sum(path.size_bytes for path in collection.top_level())
    above = f", 5 % have at least {size(sizes.p95)}" if sizes.p95 < sizes.max else ""
    return seen.finding(
        collection,
        "",
        f"documents have {size(sizes.mean)} on average{above}, the largest has {size(sizes.max)}",
        number=numbers[passed[0]],
        limit=passed[0],
        cost=f"each read of one field reads {size(sizes.mean)}, each update writes as much; "
        f"`{largest.text}` is {share(largest.size_bytes, total)} of it",
        remedy="Move what is rarely read to a second collection with the same `_id`, starting with the largest field.",
        commands=(largest_documents(collection),),
        evidence={
            "mean": sizes.mean,
            "p50": sizes.p50,
            "p95": sizes.p95,
            "max": sizes.max,
            "largest_field": largest.text,
        },
        severity=Severity.INFO if passed == ["mean"] else None,
        confidence=confidence(collection),
        work=Work(read_bytes=sizes.mean),
    )
