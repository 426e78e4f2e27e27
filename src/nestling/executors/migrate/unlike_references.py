"""References that equal their parent's key but have another BSON type, such as 5 and 5.0.

A row inside its parent's document has its parent's key, so such a row would either change or be stored with orphans, where no
join finds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nestling.common.errors import MigrationError, Problem
from nestling.executors.migrate.homes import Homes
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.refused_row import INSPECT
from nestling.ir.literals import shell
from nestling.ir.model import Model, Relationship
from nestling.ir.paths.access_path import column_field
from nestling.ir.quantity_words import counted, cut
from nestling.ir.storage.layout import every_document
from nestling.ir.types import NUMBERS, TypeName


def unlike_references(job: Job) -> Iterator[Problem]:
    """A problem for each relationship whose children move into their parents' documents and have such references."""
    model = job.homes.model
    bodies = every_document([target.store.collection for target in job.targets])
    embedded = dict.fromkeys(each.relationship for body in bodies for each in body.embeddings)
    for link in map(model.relationship, embedded):
        if _may_differ(model, link) and (problem := _problem(job.homes, link)):
            yield problem


def require_like_references(job: Job) -> None:
    """Raise `MigrationError` if there are any."""
    if problems := [*unlike_references(job)]:
        raise MigrationError(*problems)


def _may_differ(model: Model, link: Relationship) -> bool:
    """Whether values of both sides may be equal and not the same: numbers of several types, or decimals of several digits."""
    parent, child = model.entity(link.parent), model.entity(link.child)
    for theirs, ours in zip(link.parent_attributes, link.child_attributes, strict=True):
        pair = parent.attribute(theirs), child.attribute(ours)
        numbers = {kind.name for each in pair for kind in (each.type, *each.also)} & NUMBERS
        if len(numbers) > 1 or TypeName.DECIMAL in numbers:
            return True
    return False


def _problem(homes: Homes, link: Relationship) -> Problem | None:
    """Find such references of one relationship: the server groups equal values, whatever their types."""
    parent, child = homes.homes[link.parent], homes.homes[link.child]
    of_child = [*child.stages, *_of_side(child.columns, link.child_attributes, "child")]
    stages = [
        *parent.stages,
        *_of_side(parent.columns, link.parent_attributes, "parent"),
        {"$unionWith": {"coll": child.collection, "pipeline": of_child}},
        {"$group": {"_id": "$value", "found": {"$push": "$$ROOT"}}},
        {"$set": {side: _having(side) for side in ("parent", "child")}},
        {
            "$set": {
                "child": {"$filter": {"input": "$child", "cond": {"$not": {"$in": ["$$this.form", "$parent.form"]}}}}
            }
        },
        {"$match": {"parent.0": {"$exists": True}, "child.0": {"$exists": True}}},
        {"$sort": {"_id": 1}},
        {"$group": {"_id": None, "rows": {"$sum": {"$sum": "$child.rows"}}, "first": {"$first": "$$ROOT"}}},
    ]
    found = next(homes.database[parent.collection].aggregate(stages, allowDiskUse=True), None)
    if found is None:
        return None
    theirs, ours = found["first"]["parent"][0], found["first"]["child"][0]
    return Problem(_what(link, found["rows"], ours, theirs), where=child.collection, next_move=_MOVE)


def _of_side(columns: Sequence[str], attributes: Sequence[str], side: str) -> list[dict[str, Any]]:
    """Stages for each value and its form with the number of rows, after a home view; NULL refers to nothing."""
    fields = [column_field(columns.index(name)) for name in attributes]
    value = {f"v{number}": f"${field}" for number, field in enumerate(fields)}
    return [
        {"$match": {field: {"$ne": None} for field in fields}},
        {"$group": {"_id": {"value": value, "form": [_form(f"${field}") for field in fields]}, "rows": {"$sum": 1}}},
        {"$replaceWith": {"side": side, "value": "$_id.value", "form": "$_id.form", "rows": "$rows"}},
    ]


def _form(value: str) -> dict[str, Any]:
    """What distinguishes a value from equal ones; whole numbers of both sizes are the same in rows."""
    kind = {"$type": value}
    return {
        "$switch": {
            "branches": [
                {"case": {"$in": [kind, ["int", "long"]]}, "then": "int"},
                {"case": {"$eq": [kind, "decimal"]}, "then": {"$concat": ["decimal ", {"$toString": value}]}},
            ],
            "default": kind,
        }
    }


def _having(side: str) -> dict[str, Any]:
    return {"$filter": {"input": "$found", "cond": {"$eq": ["$$this.side", side]}}}


def _what(link: Relationship, rows: int, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    names = ", ".join(f"`{name}`" for name in link.child_attributes)
    values = [*ours["value"].values()]
    example = cut(shell(values[0] if len(values) == 1 else values))
    kinds = f"{', '.join(ours['form'])} beside {', '.join(theirs['form'])}"
    return (
        f"{names} of {counted(rows, 'row')} of `{link.child}` equals a key of `{link.parent}` but has another type "
        f"({kinds}), such as {example}: inside `{link.parent}` a row has only the key's type"
    )


_MOVE = f"give references the type of the key they equal, in all documents, and {INSPECT}"
