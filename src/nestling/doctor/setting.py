"""Commands that set a field to what follows from its value, for the MongoDB shell.

One update would end at the first document that the collection's own validator refuses. So where one refuses, a merge takes its
place: it writes only documents that the validator takes afterwards.
"""

from __future__ import annotations

from nestling.doctor.own_rules import is_fenced, rules
from nestling.doctor.words import here, own_validator
from nestling.ir.facts import CollectionFacts
from nestling.ir.literals import quoted

REFUSED = (
    " The last command writes only documents that the collection's validator takes afterwards; the one before shows the"
    " others."
)

FENCED = " Nothing converts them now: a migration has every write refused, until its cutover goes on or is taken back."

UNGUARDED = 2
"""Commands where no validator refuses: what finds the values, and what converts them."""


def while_fenced(collection: CollectionFacts) -> str:
    """Why there is no such command, where a migration has all writes refused."""
    return FENCED if is_fenced(collection) else ""


def setting(collection: CollectionFacts, which: str, field: str, made: str) -> tuple[str, ...]:
    """The update of these documents; under a validator, what it would refuse, and the merge of what it takes. None while a
    migration has all writes refused.
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
