"""Fields for which null, missing and the empty text are mixed.

Why: each of them means "nothing", and each is found by a different query: `{a: null}` finds null and missing, `{a: {$exists:
false}}` only missing, `{a: ""}` only the empty text. Sparse and partial indexes distinguish them as well.

Example: `depth` is "" in 4,200 documents and missing in 17.

Remedy: choose one – missing is the cheapest – and require it in the validator.

Ignore when: null means "known to be nothing" and missing means "not known", and everybody knows that; or the empty text is a
value of its own, as it is in rows that came from SQL.

Fields that are missing together, equally often, belong to another kind of document and are not counted as missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nestling.doctor.commands import here, update_many
from nestling.doctor.guards import single
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import confidence
from nestling.ir.facts import ANY_KEY, ELEMENT, CollectionFacts, PathFacts
from nestling.ir.facts.steps import is_plain
from nestling.ir.finding import FieldChange, Finding, Severity
from nestling.ir.quantity_words import counted

RULE = Rule(
    "Null or missing",
    Severity.INFO,
    (Threshold("share", "share of each of at least two ways to store absence", "%", {"nestling": 1}),),
    by_field=True,
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Fields with at least two ways to express nothing, each too frequent to be an accident."""
    for collection in seen.facts.of_documents():
        together = Counter((path.steps[:-1], path.present) for path in collection.paths)
        for path in collection.paths:
            ways = _ways(path, of_a_kind=together[path.steps[:-1], path.present] > 1)
            least = seen.limits["share"].value / 100 * path.parents
            mixed = {way: times for way, times in ways.items() if times > least}
            if len(mixed) > 1 and {"null", "the empty text"} & set(mixed):
                yield _finding(seen, collection, path, mixed)


def _ways(path: PathFacts, *, of_a_kind: bool) -> dict[str, int]:
    """How often a path has no value, by the way it is expressed; none for keys that are data, or elements."""
    if path.steps[-1] in (ANY_KEY, ELEMENT) or ANY_KEY in path.steps:
        return {}
    texts = path.empty if path.count("string") and not path.count("array", "object") else 0
    return {
        "null": path.count("null", "undefined"),
        "missing": 0 if of_a_kind else path.missing,
        "the empty text": texts,
    }


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts, mixed: dict[str, int]) -> Finding:
    said = ", ".join(f"{way} {counted(times, 'time')}" for way, times in mixed.items())
    second = sorted(mixed.values())[-2]
    can_unset = is_plain(path.steps) and ELEMENT not in path.steps
    but = (
        " Where the empty text is a value of its own, as in rows from SQL, keep it: the commands here do not remove"
        " it, because nobody could tell afterwards what was empty and what was missing."
        if "the empty text" in mixed
        else ""
    )
    nulls = single(path.field, {"$type": [kind for kind in ("null", "undefined") if path.count(kind)]})
    unset = update_many(here(collection), nulls, {"$unset": {path.field: 1}})
    return seen.finding(
        collection,
        path.text,
        f"absence is stored in {len(mixed)} ways: {said}",
        number=100 * second / max(path.parents, 1),
        limit="share",
        cost="every query for documents without a value must name all of them, or it finds too few",
        remedy=f"Choose one; leaving the field out is the cheapest.{but}",
        commands=(unset,) if can_unset and "null" in mixed else (),
        changes=(FieldChange(path.steps, lacks=True),) if can_unset and "null" in mixed else (),
        evidence=dict(mixed),
        confidence=confidence(collection),
    )
