"""Finds references by their values: which of a path's values are ids of another collection.

Values are sampled, looked up on the server, counted and forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from bson import Binary, ObjectId
from pymongo.database import Database

from nestling.executors.facts.drawing import drawn
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.reference_names import PossibleReference, ReferencedField, candidates, convertible
from nestling.ir.facts import OUT_OF_TIME, CollectionFacts, ReferenceFacts, arrays_on, field_path
from nestling.ir.facts.binary_kinds import binary_of

LOOKED_UP_VALUES = 300
"""Different values of a path that are looked up."""
DRAWN_DOCUMENTS = 1_000
"""Documents they are drawn from."""
LEAST_SHARE = 0.5
"""Values found, for a path whose name says nothing, to call it a reference …"""
LEAST_FOUND = 3
"""… and at least this many."""
ADDRESSED_SHARE = 0.9
"""Values found in a collection that other fields are named after, from which on it is taken before one that has more of them."""
LEAST_ELSEWHERE = 0.1
"""Values found in other collections, of all, from which on these are targets too, and no archives of what was in the first."""
HARDLY_ANY = 0.05
"""Values found of the `_id`s of elements and sub-documents, up to which these are their own and refer to nothing; and values of
one target that another one has, too, up to which it has other documents."""
MOST_TARGETS = 12
"""Fields of collections looked into for one path: those a name leads to, then those of the largest collections."""
OBJECT_ID_DIGITS = 24
UUID_BYTES = 16
_AS_TEXT = {"$convert": {"input": "$_id", "to": "string", "onError": None}}
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


def references(
    database: Database[FoundDocument], collections: Sequence[CollectionFacts], asking: Asking
) -> Iterator[ReferenceFacts]:
    """The references between the collections of one database."""
    for candidate in candidates(collections):
        if asking.late:
            asking.skip(f"references in {database.name}", OUT_OF_TIME)
            return
        yield from _reference(database, candidate, asking)


def are_targets_too(elsewhere: int, missing: int, every: int) -> bool:
    """Whether collections that have so many of the values which a target lacks are targets, too, and no archives of it."""
    return elsewhere >= max(LEAST_SHARE * missing, LEAST_ELSEWHERE * every, LEAST_FOUND)


@dataclass(frozen=True, slots=True)
class _Match:
    """A target, the values that were looked up in it, how many were found, and how many more as the type they `convert` to."""

    target: ReferencedField
    values: list[Any]
    found: int
    converted: int = 0
    converts: str = ""

    @property
    def is_good(self) -> bool:
        """Whether enough is found to call it a reference."""
        enough = max(LEAST_SHARE * len(self.values), LEAST_FOUND)
        return bool(self.found and self.target.named) or max(self.found, self.converted) >= enough

    def takes_over(self, best: _Match) -> bool:
        """Whether this is a better match than the best so far: more is found, and the other has not enough of what names say.

        What a name leads to may lack what was deleted, which another collection with the same keys still holds.
        """
        if self.found <= best.found:
            return self.target.named and not best.target.named and not best.found
        if self.target.named or not (best.target.named or best.target.addressed):
            return True
        share = LEAST_SHARE if best.target.named else 1.0 if self.target.addressed else ADDRESSED_SHARE
        return best.found < max(share * len(best.values), LEAST_FOUND)

    @property
    def has_hardly_any(self) -> bool:
        """Whether none or so few of the values exist that there is probably no reference."""
        return self.found + self.converted <= HARDLY_ANY * len(self.values)


def _reference(
    database: Database[FoundDocument], candidate: PossibleReference, asking: Asking
) -> Iterator[ReferenceFacts]:
    """The best target, if one is good enough; an ObjectId called an id that is found nowhere refers to nothing."""
    best = _Match(ReferencedField("", "", named=False), _values(database, candidate, asking), 0)
    left = len(candidate.targets) - MOST_TARGETS
    for target in candidate.targets[:MOST_TARGETS] if best.values else ():
        values = _values(database, candidate, asking, target.collation) if target.collation else best.values
        match = _Match(target, values, _found(database, target, values, asking))
        if match.takes_over(best):
            best = match
        if match.found == len(values):
            break
    if best.values and best.found < len(best.values) and left > 0 and not best.target.named:
        place = f"{candidate.collection.database}.{candidate.collection.name}"
        why = f"they were looked up in {MOST_TARGETS} keys, those of the largest collections, and not in {left:,} more"
        asking.skip(f"references by {field_path(candidate.path.steps)} of {place}", why)
    if not best.found and candidate.is_id_text:
        best = _converted_best(database, best, candidate.targets[:MOST_TARGETS], asking)
    elif (best.target.named or best.is_good) and best.found < len(best.values):
        best = _with_converted(database, best, asking)
    if best.target.collection == candidate.collection.name and best.is_good:
        best = _without_own(database, candidate, best, asking)
    if candidate.is_own_id and best.has_hardly_any:
        return
    if best.is_good or (best.values and not best.found and candidate.is_object_id and candidate.is_id_named):
        where, to = (candidate.collection.database, candidate.collection.name, candidate.path.steps), best.target
        counts = (len(best.values), best.found)
        yield ReferenceFacts(
            *where, to.collection, to.field, *counts, to.named, best.converted, best.converts, to.collation
        )


def in_another_type(
    database: Database[FoundDocument], reference: ReferenceFacts, collections: Sequence[CollectionFacts], asking: Asking
) -> ReferenceFacts:
    """A reference that its values tell, with those counted that are found in another type; unchanged where none are."""
    by_name = {each.name: each for each in collections}
    holder, target = by_name.get(reference.collection), by_name.get(reference.target)
    path = holder.path(*reference.steps) if holder is not None else None
    key = target.path(reference.target_field) if target is not None else None
    if holder is None or path is None or key is None or reference.resolved == reference.checked:
        return reference
    to = ReferencedField(
        reference.target, reference.target_field, reference.named, convertible(path, key), "", key.code_width
    )
    if not to.converts or asking.late:
        return reference
    values = _values(database, PossibleReference(holder, path, (to,)), asking)
    match = _with_converted(database, _Match(to, values, _found(database, to, values, asking)), asking)
    if not match.converted:
        return reference
    found = replace(reference, checked=len(values), resolved=match.found)
    return replace(found, converted=match.converted, converts=match.converts)


def _converted_best(
    database: Database[FoundDocument], best: _Match, targets: Sequence[ReferencedField], asking: Asking
) -> _Match:
    """The target that most of the texts are ids of, once they are ObjectIds."""
    for target in targets if best.values else ():
        match = _with_converted(database, replace(best, target=target, converted=0, converts=""), asking)
        if match.converted > best.converted:
            best = match
        if match.converted == len(best.values):
            break
    return best


def _without_own(
    database: Database[FoundDocument], candidate: PossibleReference, match: _Match, asking: Asking
) -> _Match:
    """A match in the collection of the path itself, by the values that do not just repeat the `_id` of their document."""
    values = _values(database, candidate, asking, match.target.collation, is_own_left_out=True)
    if values == match.values:
        return match
    found = _found(database, match.target, values, asking) if values else 0
    return _with_converted(database, _Match(match.target, values, found), asking)


def _with_converted(database: Database[FoundDocument], match: _Match, asking: Asking) -> _Match:
    """Add the values found after conversion to another type, the one that finds most."""
    made: dict[str, list[Any]] = {}
    for value in match.values:
        kind, other = in_other_type(value, match.target.width)
        if kind in match.target.converts:
            made.setdefault(kind, []).append(other)
    found = {kind: _found(database, match.target, values, asking) for kind, values in made.items()}
    kind = max(found, key=lambda each: found[each], default="")
    more = min(found.get(kind, 0), len(match.values) - match.found)
    return replace(match, converted=more, converts=kind) if more else match


def in_other_type(value: object, width: int = 0) -> tuple[str, Any]:
    """The value in the other type that it may stand for, and that type's name ("": none). `width`: of a number as a text."""
    match value:
        case str() if len(value) == OBJECT_ID_DIGITS and ObjectId.is_valid(value):
            return "objectId", ObjectId(value)
        case str() if _WHOLE.fullmatch(value):
            return "number", int(value)
        case ObjectId():
            return "string", str(value)
        case int() if not isinstance(value, bool):
            return "string", str(int(value)).zfill(width)
        case UUID():
            return binary_of(3), Binary(value.bytes, 3)
        case Binary(subtype=3 | 4) if len(value) == UUID_BYTES:
            other = 7 - value.subtype
            return binary_of(other), Binary(value, other)
        case _:
            return "", None


def unwound(steps: tuple[str, ...]) -> list[FoundDocument]:
    """The stages after which a path has one value a row; every array on the path is unwound."""
    return [{"$unwind": f"${array}"} for array in arrays_on(steps)]


def shown_alone(field: str) -> FoundDocument:
    """The projection to this field only; `_id` cannot be excluded together with a part of it."""
    return {field: 1} if field.startswith("_id.") else {"_id": 0, field: 1}


def _values(
    database: Database[FoundDocument],
    candidate: PossibleReference,
    asking: Asking,
    collation: str = "",
    *,
    is_own_left_out: bool = False,
) -> list[Any]:
    """Some values of the path, evenly from the least to the greatest, no two of them equal by the collation.

    With `is_own_left_out` none that is the `_id` of the document around it, be it as a text.
    """
    field, collection = candidate.path.field, candidate.collection
    pipeline = [
        *drawn(database, collection, DRAWN_DOCUMENTS, asking),
        {"$project": {field: 1} if is_own_left_out else shown_alone(field)},
        *unwound(candidate.path.steps),
        {"$limit": 20 * DRAWN_DOCUMENTS},
        *([{"$match": {"$expr": {"$not": {"$in": [f"${field}", ["$_id", _AS_TEXT]]}}}}] if is_own_left_out else []),
        {"$group": {"_id": f"${field}"}},
        {"$match": {"_id": {"$ne": None, "$not": {"$type": ["object", "array"]}}}},
        {"$bucketAuto": {"groupBy": "$_id", "buckets": LOOKED_UP_VALUES}},
        {"$project": {"_id": "$_id.min"}},
        {"$sort": {"_id": 1}},
    ]
    what = f"the references of {collection.namespace}.{field}"
    return [row["_id"] for row in asking.aggregate(database, collection.name, what, pipeline, collation)]


def _found(database: Database[FoundDocument], target: ReferencedField, values: list[Any], asking: Asking) -> int:
    """How many of the values are there."""
    field = target.field
    pipeline: list[FoundDocument] = [
        {"$match": {field: {"$in": values}}},
        {"$group": {"_id": f"${field}"}},
        {"$count": "found"},
    ]
    what = f"references to {database.name}.{target.collection}.{field}"
    rows = asking.aggregate(database, target.collection, what, pipeline, target.collation)
    return min(int(rows[0]["found"]), len(values)) if rows else 0
