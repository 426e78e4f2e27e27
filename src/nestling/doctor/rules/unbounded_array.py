"""Arrays that are too long, or may become so.

Why: an array is part of its document. Every read of the document carries all of it, every change rewrites it, an
index on it has an entry for each element, and at 16 MiB writing fails for good.

Example: `{_id: 1, followers: [ …40,000 ids… ]}`.

Remedy: let the many refer to the one; keep at most the newest few in the document (subset pattern), or move what is
over a bound to pages of its own (outlier pattern) when only some documents are this large.

Ignore when: the array cannot grow – it is written once, such as a measured curve. Coordinates of GeoJSON objects are
never reported. Where at most one array in a hundred is too long, and none twice, that is a hint, not a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nestling.doctor.commands import find, here
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import confidence
from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts
from nestling.ir.facts.steps import is_plain
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.programs.compiled import Mql
from nestling.ir.quantity_words import count, counted, size

RULE = Rule(
    "Unbounded array",
    Severity.WARNING,
    (
        Threshold(
            "documents",
            "elements of an array of documents",
            "elements",
            {"sources": 200, "atlas": 10_000, "compass": 250, "mongospectre": 100},
        ),
        Threshold(
            "values",
            "elements of an array of single values, such as ids",
            "elements",
            {"sources": 3_000, "atlas": 10_000, "compass": 250, "mongospectre": 100},
        ),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Arrays whose longest is over the threshold."""
    for collection in seen.facts.of_documents():
        for path in collection.paths:
            limit = "documents" if _of_documents(collection, path) else "values"
            too_long = path.lengths is not None and path.lengths.max > seen.limits[limit].value
            if too_long and not collection.spatial(path):
                yield _finding(seen, collection, path, limit)


def _of_documents(collection: CollectionFacts, path: PathFacts) -> bool:
    elements = collection.path(*path.steps, ELEMENT)
    return elements is not None and elements.count("object") > 0


_FEW = "keep only the newest few in the document if they are shown with it"


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts, limit: str) -> Finding:
    lengths, widths = path.lengths, path.widths
    assert lengths is not None
    assert widths is not None
    is_rare = lengths.p99 <= seen.limits[limit].value
    who = "a few documents have" if is_rare else "documents have"
    half = "half have"
    if lengths.count < path.parents:
        who, half = f"{_some(collection, path)} have", "half of these have"
    mean = path.size_bytes / max(path.present, 1)
    pattern = (
        "move what exceeds a bound to overflow documents (outlier pattern)"
        if is_rare
        else "let each refer to its document"
    )
    return seen.finding(
        collection,
        path.text,
        f"{who} up to {counted(lengths.max, 'element')} ({half} {count(lengths.p50)}, 99 % at most {count(lengths.p99)})",
        number=lengths.max,
        limit=limit,
        cost=f"each read or update of such a document carries {size(mean)} of it, up to {size(widths.max)}",
        remedy=f"Give the elements a collection of their own: {pattern}; {_FEW}.",
        commands=_commands(collection, path, int(seen.limits[limit].value)),
        evidence={"p50": lengths.p50, "p95": lengths.p95, "p99": lengths.p99, "max": lengths.max, "bytes": widths.max},
        severity=Severity.INFO if is_rare and lengths.max <= 2 * seen.limits[limit].value else None,
        confidence=confidence(collection),
        work=Work(read_bytes=mean, sent_bytes=mean),
    )


def _some(collection: CollectionFacts, path: PathFacts) -> str:
    """How many of the documents that could hold the array do."""
    assert path.lengths is not None
    around = "inner document" if len(path.steps) > 1 else "document"
    seen = "" if path.exact or confidence(collection) is Confidence.CERTAIN else " looked at"
    return f"{count(path.lengths.count)} of {counted(path.parents, around)}{seen}"


def _commands(collection: CollectionFacts, path: PathFacts, most: int) -> tuple[str, ...]:
    """A query for the documents with more elements than this: those with an element at the next place, counted from 0.

    Queries reach into arrays of arrays only for their direct elements.
    """
    if not is_plain(path.steps) or (ELEMENT, ELEMENT) in pairwise(path.steps):
        return ()
    asked: Mql = {f"{path.field}.{most}": {"$exists": True}}
    if path.steps[-1] == ELEMENT:
        asked = {path.field: {"$elemMatch": {str(most): {"$exists": True}}}}
    return (find(here(collection), asked, {"_id": 1}),)
