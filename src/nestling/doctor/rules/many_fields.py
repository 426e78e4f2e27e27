"""Collections with more different fields than any schema should have.

Why: nobody can know, index or validate thousands of fields. Mostly they are data used as names, or many kinds of documents in
one collection.

Example: one collection of events with a field for every property of every kind of event.

Remedy: turn names that are data into values (`[{k, v}]`, the attribute pattern); give each kind of document a discriminator and
a validator, or a collection of its own.

Ignore when: the documents are other systems' messages, stored as they arrived and searched by a few fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import confidence, sampled_share
from nestling.ir.facts import CollectionFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import count

RARE = 0.1
RULE = Rule(
    "Many fields",
    Severity.INFO,
    (
        Threshold("top", "fields of the document itself", "fields", {"mongospectre": 200}),
        Threshold("all", "different paths of a collection", "paths", {"nestling": 1_000}),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections with too many fields, at the top level or in total."""
    for collection in seen.facts.of_documents():
        numbers = {"top": len(collection.top_level()), "all": len(collection.paths)}
        passed = [name for name, number in numbers.items() if number > seen.limits[name].value]
        if passed:
            yield _finding(seen, collection, passed[0], numbers)


def _finding(seen: RuleInput, collection: CollectionFacts, limit: str, numbers: dict[str, int]) -> Finding:
    documents = collection.sample.documents if collection.sample else 0
    rare = sum(path.documents <= RARE * documents for path in collection.paths)
    return seen.finding(
        collection,
        "",
        f"{count(numbers['all'])} different paths, {count(numbers['top'])} at the top level;"
        f" {sampled_share(rare, numbers['all'], None)} of them occur in at most a tenth of the documents",
        number=numbers[limit],
        limit=limit,
        cost="most fields can be neither indexed nor validated, and their names are stored in every document",
        remedy="Turn names that are data into values (attribute pattern), and distinguish kinds of documents by a discriminator.",
        evidence={"paths": numbers["all"], "top_level": numbers["top"], "rare": rare},
        confidence=confidence(collection),
    )
