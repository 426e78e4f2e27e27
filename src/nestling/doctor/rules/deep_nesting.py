"""Documents with more levels of nesting than people and queries handle well.

Why: deep paths make filters, updates and indexes long and fragile; updating one element of an array within an array needs array
filters, and an index can follow only one array of a path.

Example: `order.customer.address.country.region.name`.

Remedy: flatten sub-documents that have one value; give what repeats on the third level a collection of its own.

Ignore when: the documents are other systems' messages, stored as they arrived. Arrays of plain values and coordinates do not
count as a level. One level more than the limit is a hint, not a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import confidence, sampled_share
from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import agreeing, counted

RULE = Rule(
    "Deep nesting",
    Severity.WARNING,
    (Threshold("levels", "levels of documents inside a document", "levels", {"sources": 3, "mongospectre": 5}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """For each collection, its deepest path if that is too deep."""
    for collection in seen.facts.of_documents():
        deep = [path for path in collection.paths if _levels(path) > seen.limits["levels"].value]
        if deep:
            yield _finding(seen, collection, deep)


def _levels(path: PathFacts) -> int:
    """The number of sub-documents around the path's value."""
    return sum(step != ELEMENT for step in path.steps) - 1


def _finding(seen: RuleInput, collection: CollectionFacts, deep: list[PathFacts]) -> Finding:
    deepest = max(deep, key=lambda path: (_levels(path), path.documents, path.steps))
    most = max(path.documents for path in deep)
    documents = collection.sample.documents if collection.sample else most
    which = "it" if len(deep) == 1 else "the most common one"
    return seen.finding(
        collection,
        deepest.text,
        f"{counted(len(deep), 'path')} {agreeing(len(deep))} nested too deep;"
        f" {sampled_share(most, documents, collection.sample)} of the documents have {which}",
        number=_levels(deepest),
        limit="levels",
        cost="long paths in every query and index; an index can follow only one array on a path",
        remedy="Flatten documents that hold one value; give what repeats on the third level a collection of its own.",
        evidence={"paths": len(deep), "documents": most},
        severity=Severity.INFO if _levels(deepest) == int(seen.limits["levels"].value) + 1 else None,
        confidence=confidence(collection),
    )
