"""Along references: fields that repeat a field of the document referred to, and references both sides hold.

Values are compared on this machine, counted and forgotten (`copied_values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pymongo.database import Database

from nestling.executors.facts.copied_values import comparable, comparison
from nestling.executors.facts.permitted import Asking, Document
from nestling.executors.facts.reference_names import folded, stem
from nestling.executors.facts.references import unwound
from nestling.ir.facts import ELEMENT, CollectionFacts, Copied, Path, ReferenceFacts, TwoWay, field_path
from nestling.ir.facts.steps import is_plain

ROWS = 300
"""Links compared of two references."""
LEAST_EQUAL = 0.5
"""Values that must be equal to call a field a copy, and links that must agree to call two references one relationship."""
DEEPEST = 2
"""Steps from where a reference lies to its copies: `item_name`, or `item.name`."""
_SCALARS = frozenset({"string", "int", "long", "double", "decimal", "bool", "date"})


def copies(
    database: Database[Document],
    collections: Sequence[CollectionFacts],
    found: Sequence[ReferenceFacts],
    asking: Asking,
) -> Iterator[Copied]:
    """The fields that repeat a field of the document their reference points to."""
    by_name = {each.name: each for each in collections}
    for reference in found:
        if reference.target not in by_name or not reference.resolved or asking.late:
            continue
        holder, target = by_name[reference.collection], by_name[reference.target]
        pairs = list(_pairs(reference, holder, target))
        if pairs:
            yield from _compared(database, reference, holder, target, pairs, asking)


def _pairs(reference: ReferenceFacts, holder: CollectionFacts, target: CollectionFacts) -> Iterator[tuple[Path, str]]:
    """Fields beside a reference, or in a document beside it, and the target's fields they may repeat, by their names."""
    above = reference.steps[:-1]
    key = holder.path(*reference.steps)
    if key is None or reference.steps[-1] == ELEMENT:
        return
    fields = {each.field: each for each in target.top_level() if _is_scalar(each) and is_plain(each.steps)}
    prefixes = [_folded(stem(key)), folded(target.name), *([""] if above else [])]
    wanted = {_folded(prefix + field): field for prefix in prefixes for field in fields}
    for path in holder.paths:
        own = path.steps[len(above) :]
        beside = path.steps[: len(above)] == above and path.steps != reference.steps and len(own) <= DEEPEST
        may_repeat = beside and ELEMENT not in own and _is_scalar(path) and is_plain(path.steps)
        field = wanted.get(_folded("".join(own))) if may_repeat else None
        if field is not None and field not in ("_id", reference.target_field):
            yield path, field


def _compared(
    database: Database[Document],
    reference: ReferenceFacts,
    holder: CollectionFacts,
    target: CollectionFacts,
    pairs: list[tuple[Path, str]],
    asking: Asking,
) -> Iterator[Copied]:
    fields = [(path.field, field) for path, field in pairs]
    found = comparison(database, reference, holder, target, fields, asking)
    for n, (path, field) in enumerate(pairs if found is not None else ()):
        assert found is not None
        checked, equal = found.checked[n], found.equal[n]
        if checked and equal >= LEAST_EQUAL * checked:
            where = (reference.database, reference.collection, path.steps, reference.steps)
            yield Copied(*where, reference.target, field, checked, equal, reference.target_field, found.whole)


def two_ways(database: Database[Document], found: Sequence[ReferenceFacts], asking: Asking) -> Iterator[TwoWay]:
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
    database: Database[Document], there: ReferenceFacts, back: ReferenceFacts, asking: Asking
) -> tuple[int, int]:
    """Links of one reference, and how many of them its other side does not hold; links to nothing are not counted."""
    what = f"the two sides of {there.collection}.{field_path(there.steps)}"
    pipeline: list[Document] = [
        *unwound(there.steps),
        {"$limit": ROWS},
        {"$project": {"_id": 1, "r": f"${field_path(there.steps)}"}},
    ]
    rows = [row for row in asking.aggregate(database, there.collection, what, pipeline) if row.get("r") is not None]
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


def _is_scalar(path: Path) -> bool:
    return path.count(*_SCALARS) > 0 and path.count("object", "array") == 0


def _folded(name: str) -> str:
    return re.sub(r"[^0-9a-z]", "", name.casefold())
