"""Collections with an index on nearly every field.

Why: single-field indexes do not add up: a query uses one of them and filters the rest. A query on two fields needs one index on
both, and fields that nobody searches by need none.

Example: a collection with eight fields and seven single-field indexes.

Remedy: index the fields that statements filter and sort by, together, equalities first.

Ignore when: users filter by any single field, and the collection is hardly ever written.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import listed
from nestling.ir.facts import CollectionFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import size

RULE = Rule(
    "Every field indexed",
    Severity.WARNING,
    (
        Threshold("share", "top-level fields with an index of their own", "%", {"nestling": 70}),
        Threshold("indexes", "single-field indexes; fewer do not matter", "indexes", {"nestling": 5}),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections most of whose fields have an index of their own."""
    for collection in seen.facts.of_documents():
        fields = {path.field for path in collection.top_level()} - {"_id"}
        alone = {index.keys[0][0] for index in collection.indexes if len(index.keys) == 1 and not index.is_id} & fields
        share = 100 * len(alone) / max(len(fields), 1)
        if len(alone) >= seen.limits["indexes"].value and share > seen.limits["share"].value:
            yield _finding(seen, collection, sorted(alone), share)


def _finding(seen: RuleInput, collection: CollectionFacts, alone: list[str], share: float) -> Finding:
    total = sum(index.size_bytes for index in collection.indexes)
    return seen.finding(
        collection,
        "",
        f"{len(alone)} fields have an index of their own: {listed(alone)}",
        number=share,
        limit="share",
        cost=f"each insert writes {len(alone)} index entries; the indexes take {size(total)}",
        remedy="Index what statements filter and sort by together, equalities first; drop the rest.",
        evidence={"fields": len(alone), "bytes": total},
        work=Work(index_writes=len(alone)),
    )
