"""TTL indexes that delete nothing, or not all that they should.

Why: a TTL index works only on dates. If no document has a date in the index's field, nothing ever expires: the collection and
its indexes grow for ever, while everybody thinks the problem is solved. If some documents have a text or a number there, these
stay.

Example: a TTL index on `exp`, which is a text such as `2026-03-01T12:00:00Z` in all sessions; one on `expiresAt`, while the
application writes `expires_at`.

Remedy: let the application write dates to that field, and convert the existing values; or create the index on the field that
has the dates, and drop this one. Either way, everything older than the index allows is deleted within a minute, for good: check
first.

Ignore when: no document has to expire at the moment, for example because all expired ones are already deleted.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import find, here
from nestling.doctor.converting import finding
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.value_kinds import kinds_of
from nestling.doctor.words import confidence, listed, sampled_share
from nestling.ir.facts import CollectionFacts, IndexFacts, PathFacts
from nestling.ir.facts.path import NULL_TYPES
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import agreeing, count, counted

RULE = Rule(
    "Idle TTL index",
    Severity.WARNING,
    (
        Threshold(
            "documents",
            "documents without a date in the field of a TTL index, of which others have one or none has",
            "documents",
            {"nestling": 10},
        ),
    ),
)
MOST_FIELDS_NAMED = 3


def findings(seen: RuleInput) -> Iterator[Finding]:
    """TTL indexes without a date, or with other values beside dates."""
    for collection in seen.facts.of_documents():
        documents = collection.storage.documents if collection.storage else 0
        for index in collection.indexes:
            if index.expires_by and index.dates is False and documents > seen.limits["documents"].value:
                yield _finding(seen, collection, index, documents)
            elif index.expires_by and index.dates is not False:
                path = next((each for each in collection.paths if each.field == index.expires_by), None)
                kinds = _staying(path) if path is not None else {}
                if path is not None and sum(kinds.values()) > seen.limits["documents"].value:
                    yield _partly(seen, collection, index, path, kinds)


def _finding(seen: RuleInput, collection: CollectionFacts, index: IndexFacts, documents: int) -> Finding:
    field = index.expires_by
    path = next((each for each in collection.paths if each.field == field), None)
    kinds = [name for name, _ in path.types if name not in NULL_TYPES] if path is not None else []
    elsewhere = [each.text for each in collection.paths if each.count("date") and each.field != field][
        :MOST_FIELDS_NAMED
    ]
    why = (
        f"`{field}` is {' or '.join(kinds)}, and only dates expire" if kinds else f"no document has a date in `{field}`"
    )
    is_likely = bool(kinds or elsewhere)
    return seen.finding(
        collection,
        field,
        f"the TTL index `{index.name}` deletes nothing: {why}",
        number=documents,
        limit="documents",
        cost=f"{counted(documents, 'document')} {agreeing(documents, 'stays', 'stay')} until somebody deletes them",
        remedy=_of_values(index) if kinds else _of_none(index, elsewhere),
        commands=(find(here(collection), {field: {"$exists": True}}),) if kinds else (),
        evidence={"documents": documents},
        severity=None if is_likely else Severity.INFO,
        confidence=Confidence.CERTAIN if kinds else Confidence.LIKELY if elsewhere else Confidence.POSSIBLE,
    )


def _staying(path: PathFacts) -> dict[str, int]:
    """The types, and how often each occurs, of values that never expire beside dates; of arrays the oldest date counts."""
    kinds = {kind: count for kind, count in kinds_of(path).items() if kind not in ("date", "array")}
    return kinds if path.count("date") else {}


def _partly(
    seen: RuleInput, collection: CollectionFacts, index: IndexFacts, path: PathFacts, kinds: dict[str, int]
) -> Finding:
    """Documents that stay although those around them expire."""
    stay, every = sum(kinds.values()), path.present
    part = sampled_share(stay, every, None if path.exact else collection.sample)
    return seen.finding(
        collection,
        index.expires_by,
        f"the TTL index `{index.name}` never deletes {count(stay)} of {counted(every, 'document')} ({part}):"
        f" `{index.expires_by}` is {' or '.join(kinds)} in them, and only dates expire",
        number=stay,
        limit="documents",
        cost=f"{counted(stay, 'document')} {agreeing(stay, 'stays', 'stay')} until somebody deletes them",
        remedy=_of_values(index),
        commands=(finding(collection, index.expires_by, list(kinds)),),
        evidence={"documents": stay},
        confidence=confidence(collection),
    )


def _of_values(index: IndexFacts) -> str:
    times = index.outdated_texts
    gone = "" if not times else f": {count(times)} of these documents at once, for good"
    return (
        "Have the application write dates, and convert the existing values. MongoDB then deletes what is older than"
        f" the index allows within a minute{gone}. If you do not want that, drop the index first."
    )


def _of_none(index: IndexFacts, elsewhere: list[str]) -> str:
    if elsewhere:
        return (
            f"Dates are in {listed(elsewhere)}. If these documents are to expire by one of them, create the TTL"
            " index on that field, which deletes what has expired within a minute, for good; then drop"
            f" `{index.name}`."
        )
    return (
        f"If documents are to expire, have the application write a date to `{index.expires_by}`; otherwise drop the"
        " index. If all documents that had to expire are already deleted, accept this finding."
    )
