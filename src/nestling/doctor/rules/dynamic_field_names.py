"""Field names that are data: a date, a number, an id.

Why: a value in a field's name can be neither indexed nor searched nor validated, and every new one changes the schema for all
readers.

Example: `{visits: {"2026-11-01": 3, "2026-11-02": 5}}`, `{rating_1: …, rating_2: …}`.

Remedy: an array of `{k, v}` documents with an index on both (attribute pattern), or a document of its own for each.
The command changes every document, so applications must know both shapes before it runs: one that does not reads nothing where
there is an array, and its updates by name fail. The validator that `no-validator` drafts allows both. Where more names than the
threshold of names that differ only in a number have the same finding about their values, such as `mixed-types`, it is told here.

Ignore when: the documents are only ever read whole, by `_id`.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import create_index, here, update_many
from nestling.doctor.guards import single
from nestling.doctor.name_families import NameFamily, families
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import confidence, listed
from nestling.ir.facts import ANY_KEY, ELEMENT, CollectionFacts, PathFacts, field_path, steps_text
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import count
from nestling.ir.storage.names import is_within

RULE = Rule(
    "Dynamic field names",
    Severity.WARNING,
    (
        Threshold("names", "names in one place that are data", "names", {"nestling": 7}),
        Threshold("family", "names in one place that differ only in a number", "names", {"nestling": 3}),
    ),
)
_CAUTION = (
    " The command changes the shape of every document while applications run: first deploy versions that read and"
    " write both shapes, and a validator that allows both."
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Names that were recognised as data when the facts were gathered, and families of numbered names."""
    for collection in seen.facts.of_documents():
        for path in collection.paths:
            if path.steps[-1] == ANY_KEY and path.keys > seen.limits["names"].value:
                yield _map(seen, collection, path)
        for family in families(collection):
            if len(family.members) > seen.limits["family"].value:
                yield _family(seen, collection, family)


def _map(seen: RuleInput, collection: CollectionFacts, path: PathFacts) -> Finding:
    above = path.steps[:-1]
    commands = _commands(collection, above)
    inside = f"inside `{steps_text(above)}`" if above else "of the document itself"
    return seen.finding(
        collection,
        path.text,
        f"at least {count(path.keys)} different names {inside} are data",
        number=path.keys,
        limit="names",
        cost=_cost_of_map(collection, above),
        remedy=f"Store an array of `{{k: …, v: …}}` documents, with an index on both.{_CAUTION * bool(commands)}",
        commands=commands,
        evidence={"names": path.keys, "occurrences": path.present},
        confidence=confidence(collection),
    )


def _cost_of_map(collection: CollectionFacts, above: tuple[str, ...]) -> str:
    wildcard = _wildcard(collection, above)
    if not wildcard:
        return "only a wildcard index can find documents by these names or their values"
    return f"`{wildcard}` has an entry for each, and finds documents only by a name that the query gives"


def _commands(collection: CollectionFacts, above: tuple[str, ...]) -> tuple[str, ...]:
    """Commands that turn a map into pairs, if one update can do it."""
    if not above or ELEMENT in above or ANY_KEY in above:
        return ()
    field = field_path(above)
    which, pairs = single(field, {"$type": "object"}), {"$objectToArray": f"${field}"}
    return (
        update_many(here(collection), which, [{"$set": {field: pairs}}]),
        create_index(collection.database, collection.name, [(f"{field}.k", 1), (f"{field}.v", 1)]),
    )


def _family(seen: RuleInput, collection: CollectionFacts, family: NameFamily) -> Finding:
    names = [path.steps[-1] for path in family.members]
    wildcard = _wildcard(collection, family.above)
    indexed = (
        f"`{wildcard}` has an entry for each"
        if wildcard
        else "each needs an index of its own, or all of them a wildcard index"
    )
    return seen.finding(
        collection,
        family.text,
        f"{count(len(names))} names differ only in a number: {listed(names, 3)}",
        number=len(names),
        limit="family",
        cost=f"a query must name every one of them, and {indexed}",
        remedy="Store an array, with the number as a value where it means something.",
        evidence={"names": len(names)},
        severity=Severity.INFO,
        confidence=confidence(collection),
        covers=(path.text for path in family.members),
    )


def _wildcard(collection: CollectionFacts, above: tuple[str, ...]) -> str:
    """The name of a wildcard index over what lies in a place; empty where there is none."""
    place = field_path(above)
    for index in collection.indexes:
        for field, _ in index.keys:
            before = field.removesuffix("$**").removesuffix(".")
            covers = not before or is_within(place, before)
            if field.endswith("$**") and covers and not index.hidden and not index.partial:
                return index.name
    return ""
