"""Files stored inside documents.

Why: an image or a PDF in a document is read together with every other field, displaces warm data from the cache, and counts
towards 16 MiB.

Example: `{name: "Ada", photo: BinData(…2 MB…)}`.

Remedy: keep it in GridFS or in object storage, and its id or address in the document.

Ignore when: the blobs are small thumbnails that are always shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import confidence
from nestling.ir.facts import CollectionFacts, PathFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import size

RULE = Rule(
    "Large blob",
    Severity.WARNING,
    (
        Threshold("binary", "bytes of a binary value", "bytes", {"nestling": 100_000}),
        Threshold("text", "bytes of a text", "bytes", {"nestling": 200_000}),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Binary values and texts the size of files."""
    for collection in seen.facts.of_documents():
        for path in collection.paths:
            limit = "binary" if path.count("binData") else "text"
            is_value = path.count("binData", "string") and not path.count("object", "array")
            if is_value and path.widths is not None and path.widths.max > seen.limits[limit].value:
                yield _finding(seen, collection, path, limit)


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts, limit: str) -> Finding:
    widths = path.widths
    assert widths is not None
    mean = path.size_bytes / max(path.present, 1)
    return seen.finding(
        collection,
        path.text,
        f"values of up to {size(widths.max)}, {size(mean)} on average",
        number=widths.max,
        limit=limit,
        cost=f"each read of a document carries {size(mean)} of it; it takes {size(path.size_bytes)} of the documents looked at",
        remedy="Keep it in GridFS or object storage, and its id or address in the document.",
        evidence={"mean": mean, "p95": widths.p95, "max": widths.max},
        confidence=confidence(collection),
        work=Work(read_bytes=mean, sent_bytes=mean),
    )
