"""Commands that set a field to a value computed from its own, for the MongoDB shell.

A single update would stop at the first document that the collection's validator refuses. So if there is a validator, a merge is
used instead: it writes only documents that the validator accepts afterwards.
"""

from __future__ import annotations

from nestling.doctor.commands import aggregate, here, own_validator, update_many
from nestling.doctor.own_rules import is_fenced, rules
from nestling.ir.facts import CollectionFacts
from nestling.ir.programs.compiled import Mql

REFUSED_STAY = (
    " The last command writes only documents that the collection's validator accepts afterwards; the one before it"
    " shows the others."
)

FENCED = " They cannot be converted now: a migration blocks all writes until its cutover is continued or undone."

DIFFERING: Mql = {"$match": {"$expr": {"$ne": ["$was", "$now"]}}}
"""The stage that keeps documents whose value would change."""

UNGUARDED = 2
"""Number of commands without a validator: one that finds the values, and one that converts them."""


def while_fenced(collection: CollectionFacts) -> str:
    """Why there is no such command while a migration makes the collection refuse writes; "" if that is not so."""
    return FENCED if is_fenced(collection) else ""


def setting(collection: CollectionFacts, which: Mql, field: str, made: object) -> tuple[str, ...]:
    """The update of these documents; with a validator, a query for what it would refuse, and the merge of the rest.

    Empty while a migration makes the collection refuse writes.
    """
    if is_fenced(collection):
        return ()
    if not rules(collection):
        return (update_many(here(collection), which, [{"$set": {field: made}}]),)
    own, value = own_validator(collection), f"${field}"
    converted: tuple[Mql, ...] = ({"$match": which}, {"$set": {field: made}})
    kept = {"$cond": [{"$eq": [made, "$$new.now"]}, "$$new.now", value]}
    taken: tuple[Mql, ...] = ({"$match": own}, {"$project": {"now": value}}, merging(collection.name, field, kept))
    return (
        aggregate(here(collection), (*converted, {"$match": {"$nor": [own]}}, {"$project": {field: 1}})),
        aggregate(here(collection), (*converted, *taken)),
    )


def merging(collection: str, field: str, kept: object) -> Mql:
    """The stage that sets a field of the documents that are still there to the value of this expression."""
    matched = [{"$set": {field: kept}}]
    return {"$merge": {"into": collection, "whenMatched": matched, "whenNotMatched": "discard"}}
