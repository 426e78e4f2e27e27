"""Along references: fields that repeat a field of the document referred to, and references both sides hold.

Values are compared on this machine, counted and forgotten (`copied_values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pymongo.database import Database

from nestling.executors.facts.copied_values import comparable, comparison
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.reference_names import folded, stem
from nestling.executors.facts.references import unwound
from nestling.ir.facts import ELEMENT, CollectionFacts, Copied, PathFacts, ReferenceFacts, TwoWay, field_path
from nestling.ir.facts.steps import is_plain
from nestling.ir.facts.structure import RepeatedColumn
from nestling.ir.freshness import Level

COMPARED_LINKS = 300
"""Links compared of two references."""
LEAST_EQUAL = 0.5
"""Values that must be equal to call a field a copy, and links that must agree to call two references one relationship."""
DEEPEST = 2
"""Steps from where a reference lies to its copies: `item_name`, or `item.name`."""
_KEPT = ("", *(str(level) for level in Level))
"""What may follow a parent's name in that of a document of its copies, such as `product` and `product_async`."""
_SCALARS = frozenset({"string", "int", "long", "double", "decimal", "bool", "date"})


@dataclass(frozen=True, slots=True)
class _Pair:
    """A field, and the target's field it may repeat; `named`: its name says so."""

    path: PathFacts
    field: str
    named: bool = True


def copies(
    database: Database[FoundDocument],
    collections: Sequence[CollectionFacts],
    found: Sequence[ReferenceFacts],
    repeats: Sequence[RepeatedColumn],
    asking: Asking,
) -> Iterator[Copied]:
    """Fields that repeat a field of the referenced document: by their names, or according to `repeats`."""
    by_name = {each.name: each for each in collections}
    for reference in found:
        if reference.target not in by_name or not reference.resolved or asking.late:
            continue
        holder, target = by_name[reference.collection], by_name[reference.target]
        pairs = [_Pair(path, field) for path, field in _pairs(reference, holder, target)]
        named = {each.path.steps for each in pairs}
        pairs += [each for each in _told(reference, holder, repeats) if each.path.steps not in named]
        if pairs:
            yield from _compare_fields(database, reference, holder, target, pairs, asking)


def _told(reference: ReferenceFacts, holder: CollectionFacts, repeats: Sequence[RepeatedColumn]) -> Iterator[_Pair]:
    """Fields that by their values repeat a field of the target, though no name says so.

    Not dates: two things are done at the same time for many reasons.
    """
    for each in repeats:
        along = (each.collection, each.link, each.target, each.target_node)
        path = holder.path(*each.column)
        is_here = along == (reference.collection, (reference.steps,), reference.target, ())
        is_source = is_plain(each.target_column) and each.target_column[0] != "_id"
        if path is not None and is_here and is_source and each.by_values and _may_be_told(path):
            yield _Pair(path, field_path(each.target_column), named=False)


def _may_be_told(path: PathFacts) -> bool:
    return _is_scalar(path) and not path.count("date", "bool") and is_plain(path.steps)


def _pairs(
    reference: ReferenceFacts, holder: CollectionFacts, target: CollectionFacts
) -> Iterator[tuple[PathFacts, str]]:
    """Fields next to a reference, or in a document next to it, with the target's fields that they may repeat, by name.

    Fields next to a part of a compound `_id` are next to the `_id`. Those in a document called as the target need not say so;
    elsewhere an equal name alone means nothing: a `status` beside a `post_id` need not be the post's.
    """
    key = holder.path(*reference.steps)
    if key is None or reference.steps[-1] == ELEMENT:
        return
    fields = {each.field: each for each in target.top_level() if _is_scalar(each) and is_plain(each.steps)}
    for above in (reference.steps[:-1], *([()] if reference.steps[0] == "_id" else [])):
        prefixes = [_folded(stem(key)), folded(target.name)]
        around = next((step for step in reversed(above) if step != ELEMENT), "")
        prefixes += [""] if {_folded(around), folded(around)} & set(prefixes) else []
        wanted = {_folded(prefix + kept + field): field for prefix in prefixes for kept in _KEPT for field in fields}
        for path in holder.paths:
            own = path.steps[len(above) :]
            beside = path.steps[: len(above)] == above and path.steps != reference.steps and len(own) <= DEEPEST
            may_repeat = beside and ELEMENT not in own and _is_scalar(path) and is_plain(path.steps)
            field = wanted.get(_folded("".join(own))) if may_repeat else None
            if field is not None and field not in ("_id", reference.target_field):
                yield path, field


def _compare_fields(
    database: Database[FoundDocument],
    reference: ReferenceFacts,
    holder: CollectionFacts,
    target: CollectionFacts,
    pairs: list[_Pair],
    asking: Asking,
) -> Iterator[Copied]:
    fields = [(each.path.field, each.field) for each in pairs]
    found = comparison(database, reference, holder, target, fields, asking)
    for n, each in enumerate(pairs if found is not None else ()):
        assert found is not None
        checked, equal = found.checked[n], found.equal[n]
        if checked and equal >= LEAST_EQUAL * checked:
            where = (reference.database, reference.collection, each.path.steps, reference.steps, reference.target)
            key = reference.target_field
            yield Copied(*where, each.field, checked, equal, key, found.whole, named=each.named)


def two_ways(database: Database[FoundDocument], found: Sequence[ReferenceFacts], asking: Asking) -> Iterator[TwoWay]:
    """The references that link the same documents from both sides."""
    for n, one in enumerate(found):
        for other in found[n + 1 :]:
            opposite = (one.target, other.target) == (other.collection, one.collection)
            if not opposite or (one.target_field, other.target_field) != ("_id", "_id") or asking.late:
                continue
            checked, one_sided = map(
                sum, zip(_links(database, one, other, asking), _links(database, other, one, asking), strict=True)
            )
            if checked and checked - one_sided >= LEAST_EQUAL * checked:
                steps = (one.steps, one.target, other.steps)
                yield TwoWay(one.database, one.collection, *steps, checked, one_sided)


def _links(
    database: Database[FoundDocument], there: ReferenceFacts, back: ReferenceFacts, asking: Asking
) -> tuple[int, int]:
    """Links of one reference, and how many of them its other side does not hold.

    Links to nothing are not counted, nor those from a document to itself: it is both sides, so nobody has to keep them equal.
    """
    what = f"the two sides of {there.collection}.{field_path(there.steps)}"
    pipeline: list[FoundDocument] = [
        *unwound(there.steps),
        {"$limit": COMPARED_LINKS},
        {"$project": {"_id": 1, "r": f"${field_path(there.steps)}"}},
    ]
    found = [row for row in asking.aggregate(database, there.collection, what, pipeline) if row.get("r") is not None]
    is_own = there.collection == back.collection
    rows = [row for row in found if not (is_own and comparable(row["r"]) == comparable(row["_id"]))]
    held = f"${field_path(back.steps)}"
    as_array = {"$cond": [{"$isArray": held}, held, [held]]}
    common = {"$setIntersection": [as_array, [row["_id"] for row in rows]]}
    others = asking.aggregate(
        database,
        back.collection,
        what,
        [{"$match": {"_id": {"$in": [row["r"] for row in rows]}}}, {"$project": {"held": common}}],
    )
    holds = {comparable(row["_id"]): {comparable(each) for each in row["held"] or ()} for row in others}
    linked = [row for row in rows if comparable(row["r"]) in holds]
    return len(linked), sum(comparable(row["_id"]) not in holds[comparable(row["r"])] for row in linked)


def _is_scalar(path: PathFacts) -> bool:
    return path.count(*_SCALARS) > 0 and path.count("object", "array") == 0


def _folded(name: str) -> str:
    return re.sub(r"[^0-9a-z]", "", name.casefold())
