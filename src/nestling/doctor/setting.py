"""Commands that set a field to a value computed from its own, for the MongoDB shell.

A single update would stop at the first document that the collection's validator refuses. So if there is a validator, a merge is
used instead: it writes only documents that the validator accepts afterwards.
"""

from __future__ import annotations

from nestling.doctor.own_rules import is_fenced, rules
from nestling.doctor.words import here, own_validator
from nestling.ir.facts import CollectionFacts
from nestling.ir.literals import quoted

REFUSED = (
    " The last command writes only documents that the collection's validator accepts afterwards; the one before it"
    " shows the others."
)

FENCED = " They cannot be converted now: a migration blocks all writes until its cutover is continued or undone."

UNGUARDED = 2
"""Number of commands without a validator: one that finds the values, and one that converts them."""


def while_fenced(collection: CollectionFacts) -> str:
    """Why there is no such command while a migration makes the collection refuse writes; "" if that is not so."""
    return FENCED if is_fenced(collection) else ""


def setting(collection: CollectionFacts, which: str, field: str, made: str) -> tuple[str, ...]:
    """The update of these documents; with a validator, a query for what it would refuse, and the merge of the rest.

    Empty while a migration makes the collection refuse writes.
    """
    own, name, value = own_validator(collection), quoted(field), quoted("$" + field)
    if is_fenced(collection):
        return ()
    if not rules(collection):
        return (f"{here(collection)}.updateMany({which}, [{{$set: {{{name}: {made}}}}}])",)
    match, converted = f"{{$match: {which}}}", f"{{$set: {{{name}: {made}}}}}"
    kept = f"{{$cond: [{{$eq: [{made}, '$$new.now']}}, '$$new.now', {value}]}}"
    merge = f"into: {quoted(collection.name)}, whenMatched: [{{$set: {{{name}: {kept}}}}}], whenNotMatched: 'discard'"
    taken = f"{{$match: {own}}}, {{$project: {{now: {value}}}}}, {{$merge: {{{merge}}}}}"
    return (
        f"{here(collection)}.aggregate([{match}, {converted}, {{$match: {{$nor: [{own}]}}}}, {{$project: {{{name}: 1}}}}])",
        f"{here(collection)}.aggregate([{match}, {converted}, {taken}])",
    )
