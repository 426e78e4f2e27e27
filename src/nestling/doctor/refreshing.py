"""Commands for stale copies in the MongoDB shell: a query for documents that differ, and a merge that corrects them."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.doctor.commands import aggregate, in_database
from nestling.doctor.guards import NO_ARRAY, above_of, single
from nestling.doctor.setting import DIFFERING, merging
from nestling.ir.facts import ELEMENT, Copied, field_path
from nestling.ir.facts.structure import Steps
from nestling.ir.programs.compiled import Mql


def can_refresh(copied: Copied) -> bool:
    """Whether the commands are correct: reference and copy are in the same array, and no array is directly in another."""
    around = _around(copied.steps)
    pairs = zip(copied.steps, copied.steps[1:], strict=False)
    return _around(copied.reference) == around and copied.steps[-1] != ELEMENT and (ELEMENT, ELEMENT) not in pairs


def showing(copied: Copied) -> str:
    """The query for documents whose copies differ, with the copy and its source."""
    return aggregate(in_database(copied.database, copied.collection), _differing(copied))


def refreshing(copied: Copied) -> str:
    """The merge that updates copies. It writes only over what it read, so others' writes are kept."""
    field = field_path(_written(copied))
    kept = {"$cond": [{"$eq": [f"${field}", "$$new.was"]}, "$$new.now", f"${field}"]}
    stages = (*_differing(copied), merging(copied.collection, field, kept))
    return aggregate(in_database(copied.database, copied.collection), stages)


def _written(copied: Copied) -> Steps:
    """The field to write: the copy, or the outermost array around it."""
    return copied.steps[: copied.steps.index(ELEMENT)] if ELEMENT in copied.steps else copied.steps


def _differing(copied: Copied) -> tuple[Mql, ...]:
    """The stages that give the documents whose copies differ."""
    around, written = _around(copied.steps), _written(copied)
    field = field_path(written)
    now = _array(copied, f"${field}", written, 0) if around else {"$first": "$nestling_found.value"}
    one: Mql = {"$match": {"nestling_found": {"$size": 1}, "nestling_found.value": {"$exists": True}}}
    return (
        {"$match": _arrays(field) if around else single(field, {"$exists": True})},
        *_lookup(copied),
        *(() if around else (one,)),
        {"$project": {"was": f"${field}", "now": now}},
        DIFFERING,
    )


def _around(steps: Steps) -> Steps:
    """The steps up to the innermost array."""
    return steps[: len(steps) - steps[::-1].index(ELEMENT)] if ELEMENT in steps else ()


def _arrays(field: str) -> Mql:
    """A filter for documents that have the array, not in another one."""
    return {field: {"$type": "array"}} | dict.fromkeys(above_of(field), NO_ARRAY)


def _lookup(copied: Copied) -> tuple[Mql, Mql]:
    """The lookup of the documents that the references lead to."""
    fields = {"localField": field_path(copied.reference), "foreignField": copied.target_key}
    known = {"key": f"$$this.{copied.target_key}", "value": f"$$this.{copied.target_field}"}
    return (
        {"$lookup": {"from": copied.target, **fields, "as": "nestling_found"}},
        {"$set": {"nestling_found": {"$map": {"input": "$nestling_found", "in": known}}}},
    )


def _array(copied: Copied, value: str, at: Steps, depth: int) -> Mql:
    """The array at these steps with updated copies in its elements."""
    element = f"each{depth}"
    inside = copied.steps[len(at) + 1 :]
    made = _element(copied, f"$${element}", inside, (*at, ELEMENT), depth)
    return {"$map": {"input": value, "as": element, "in": made}}


def _element(copied: Copied, document: str, inside: Steps, at: Steps, depth: int) -> Mql:
    """An element, or a document in it, with the updated copy at `inside`; unchanged if there is nothing to copy."""
    if ELEMENT in inside:
        way = inside[: inside.index(ELEMENT)]
        value = ".".join((document, *way))
        again = _array(copied, value, (*at, *way), depth + 1)
        return {"$cond": [{"$isArray": value}, _with(document, way, again), document]}
    mine = ".".join((document, *inside))
    reference = ".".join((document, *copied.reference[len(at) :]))
    sources = {"$filter": {"input": "$nestling_found", "cond": {"$eq": ["$$this.key", reference]}}}
    now: Mql = {"$first": "$$own.value"}
    differs = (
        {"$eq": [{"$size": "$$own"}, 1]},
        {"$ne": [{"$type": now}, "missing"]},
        {"$ne": [{"$type": mine}, "missing"]},
        {"$not": {"$isArray": mine}},
    )
    made = {"$cond": [{"$and": [*differs]}, _with(document, inside, now), document]}
    return {"$let": {"vars": {"own": sources}, "in": made}}


def _with(document: str, way: Sequence[str], value: Mql) -> Mql:
    """A document, given as a variable, with another value at the end of the way."""
    if not way:
        return value
    inner = _with(f"{document}.{way[0]}", way[1:], value)
    return {"$mergeObjects": [document, {way[0]: inner}]}
