"""Commands for the MongoDB shell about counters that differ from the rows they count: one shows them, a merge corrects them."""

from __future__ import annotations

from nestling.doctor.commands import aggregate, in_database, update_many
from nestling.doctor.guards import single
from nestling.doctor.setting import DIFFERING, merging
from nestling.ir.facts import field_path
from nestling.ir.facts.steps import is_plain
from nestling.ir.facts.structure import Counted
from nestling.ir.programs.compiled import Mql


def can_recount(counter: Counted) -> bool:
    """Whether the commands are correct: documents count documents, by one field each, or the elements of one of their arrays."""
    if counter.is_inside:
        return not counter.node and all(is_plain(each) for each in (counter.column, counter.child_node[:-1]))
    columns = (*counter.child_columns, *counter.key, counter.column)
    is_flat = not counter.node and not counter.child_node and all(is_plain(each) for each in columns)
    return is_flat and len(counter.child_columns) == len(counter.key) == 1


def showing(counter: Counted, *, indexed: bool) -> str:
    """The query for documents whose counters differ, with the counter and the number of rows.

    `indexed`: an index finds the rows of each document; without one they are counted in one pass over all of them.
    """
    return _aggregation(counter, _differing(counter, indexed=indexed), indexed=indexed)


def recounting(counter: Counted, *, indexed: bool) -> str:
    """The merge that corrects counters. It writes only if the counter has not changed since the rows were counted.

    Elements are counted by the update itself. `indexed` is as in `showing`.
    """
    field = field_path(counter.column)
    if counter.is_inside:
        size = _size(counter)
        which: Mql = {"$and": [single(field, {"$exists": True}), {"$expr": {"$ne": [f"${field}", size]}}]}
        return update_many(in_database(counter.database, counter.collection), which, [{"$set": {field: size}}])
    kept = {"$cond": [{"$eq": [f"${field}", "$$new.was"]}, "$$new.now", f"${field}"]}
    stages = (*_differing(counter, indexed=indexed), merging(counter.collection, field, kept))
    return _aggregation(counter, stages, indexed=indexed)


def _aggregation(counter: Counted, stages: tuple[Mql, ...], *, indexed: bool) -> str:
    """The command; a pass over all rows may need more memory than the server allows a stage."""
    options = {} if indexed or counter.is_inside else {"allowDiskUse": True}
    return aggregate(in_database(counter.database, counter.collection), stages, **options)


def _differing(counter: Counted, *, indexed: bool) -> tuple[Mql, ...]:
    """The stages that give the documents whose counters differ. A document without the field counts nothing wrong."""
    field = field_path(counter.column)
    there: Mql = {"$match": single(field, {"$exists": True})}
    if counter.is_inside:
        return there, {"$project": {"was": f"${field}", "now": _size(counter)}}, DIFFERING
    if not indexed:
        return there, *_in_one_pass(counter, field), DIFFERING
    fields = {"localField": field_path(counter.key[0]), "foreignField": field_path(counter.child_columns[0])}
    return (
        there,
        {"$lookup": {"from": counter.child, **fields, "as": "nestling_found"}},
        {"$project": {"was": f"${field}", "now": {"$size": "$nestling_found"}}},
        DIFFERING,
    )


def _in_one_pass(counter: Counted, field: str) -> tuple[Mql, ...]:
    """The stages without a lookup: the rows are counted by their reference, and meet the counters by the key."""
    key, reference = (f"${field_path(each)}" for each in (counter.key[0], counter.child_columns[0]))
    rows = [{"$group": {"_id": reference, "now": {"$sum": 1}}}, {"$project": {"_id": 0, "key": "$_id", "now": 1}}]
    return (
        {"$project": {"_id": 0, "key": key, "holder": {"_id": "$_id", "was": f"${field}"}}},
        {"$unionWith": {"coll": counter.child, "pipeline": rows}},
        {"$group": {"_id": "$key", "holders": {"$push": "$holder"}, "now": {"$sum": "$now"}}},
        {"$unwind": "$holders"},
        {"$project": {"_id": "$holders._id", "was": "$holders.was", "now": 1}},
    )


def _size(counter: Counted) -> Mql:
    """The number of elements of an array; 0 without an array."""
    array = f"${field_path(counter.child_node[:-1])}"
    return {"$cond": [{"$isArray": array}, {"$size": array}, 0]}
