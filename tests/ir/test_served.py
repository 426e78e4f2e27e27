"""What an index is said to serve of a pipeline, it serves; what stages make of documents is never said to be theirs."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.capture import Capture, CaptureKind, CommandOperation, ShapeTotals, shape
from nestling.ir.capture.patterns import statements_of

Stages = list[dict[str, Any]]
LOOKUP: dict[str, Any] = {"$lookup": {"from": "others", "localField": "a", "foreignField": "x", "as": "o"}}
GRAPH: dict[str, Any] = {
    "$graphLookup": {"from": "others", "startWith": "$a", "connectFromField": "x", "connectToField": "y", "as": "o"}
}
WINDOW: dict[str, Any] = {"$setWindowFields": {"sortBy": {"b": 1}, "output": {"n": {"$sum": "$a"}}}}
NEW: list[Stages] = [
    [{"$unwind": "$tags"}, {"$group": {"_id": "$tags", "n": {"$sum": 1}}}],
    [{"$addFields": {"n": {"$add": ["$a", "$b"]}}}],
    [{"$set": {"n": {"$add": ["$a", "$b"]}}}],
    [{"$set": {"n.m": 1}}],
    [{"$project": {"n": {"$add": ["$a", "$b"]}}}],
    [{"$project": {"a": 1}}],
    [{"$project": {"n": 0}}],
    [{"$unset": "n"}],
    [{"$unwind": "$n"}],
    [{"$unwind": {"path": "$tags", "includeArrayIndex": "n"}}],
    [{"$lookup": LOOKUP["$lookup"] | {"as": "n"}}],
    [{"$graphLookup": GRAPH["$graphLookup"] | {"as": "n"}}],
    [{"$replaceRoot": {"newRoot": "$sub"}}],
    [{"$replaceWith": "$sub"}],
    [{"$bucket": {"groupBy": "$a", "boundaries": [0, 9], "default": 10, "output": {"n": {"$sum": 1}}}}],
    [{"$bucketAuto": {"groupBy": "$a", "buckets": 3, "output": {"n": {"$sum": 1}}}}],
    [{"$sortByCount": "$a"}],
    [{"$count": "n"}],
    [{"$facet": {"n": [{"$match": {"a": 1}}]}}],
    [{"$unionWith": "others"}],
    [WINDOW],
    [{"$limit": 300}],
]
"""Stages behind which `n` is nothing an index of the collection has, or no index is asked."""
SERVED: list[tuple[Stages, tuple[str, ...], tuple[tuple[str, int], ...]]] = [
    ([{"$match": {"a": 3}}, {"$sort": {"b": -1}}], ("a",), (("b", -1),)),
    ([{"$sort": {"b": 1}}, {"$match": {"a": 3}}, {"$limit": 9}, {"$sort": {"n": 1}}], ("a",), (("b", 1),)),
    ([{"$match": {"a": 3}}, {"$group": {"_id": "$b", "n": {"$sum": 1}}}, {"$sort": {"n": -1}}], ("a",), ()),
    ([{"$unwind": "$tags"}, {"$match": {"a": 3}}, {"$sort": {"b": 1}}], ("a",), (("b", 1),)),
    ([{"$unwind": "$tags"}, {"$match": {"a": 3, "tags": 1}}, {"$sort": {"b": 1}}], ("a",), ()),
    ([{"$unwind": "$tags"}, {"$sort": {"b": 1}}, {"$match": {"a": 3, "tags": 1}}], ("a",), (("b", 1),)),
    ([LOOKUP, {"$match": {"a": 3}}, {"$sort": {"b": 1}}], ("a",), (("b", 1),)),
    ([LOOKUP, {"$unwind": "$o"}, {"$match": {"a": 3}}, {"$sort": {"b": 1}}], ("a",), ()),
    ([LOOKUP, {"$match": {"a": 3, "o.x": 1}}, {"$sort": {"b": 1}}], ("a",), ()),
    ([LOOKUP, {"$match": {"a": 3, "$or": [{"b": 1}, {"o.x": 1}]}}], ("a",), ()),
    ([{"$addFields": {"n": {"$add": ["$a", 1]}}}, {"$match": {"a": 3, "n": 4}}, {"$sort": {"n": 1}}], ("a",), ()),
    ([{"$project": {"a": 1, "b": 1, "n": {"$add": ["$a", 1]}}}, {"$match": {"a": 3, "n": 4}}], ("a",), ()),
    ([{"$unset": "tags"}, {"$match": {"a": 3}}], ("a",), ()),
    ([{"$set": {"sub.x": 1}}, {"$match": {"sub.y": 2}}], ("sub.y",), ()),
    ([GRAPH, {"$match": {"a": 3}}], ("a",), ()),
]


def asked(pipeline: Stages) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
    """The fields a statement with this pipeline is said to filter and to sort by."""
    made = shape("shop", "things", CommandOperation.AGGREGATE, {"pipeline": pipeline})
    (statement,) = statements_of(Capture(CaptureKind.PROFILER, 1, (ShapeTotals(made, 1),)), {"shop"})
    return statement.filters, statement.sort


@pytest.mark.parametrize("stages", NEW, ids=str)
@pytest.mark.parametrize("last", [{"$sort": {"n": -1}}, {"$match": {"n": 3}}, {"$match": {"n.m": 3}}], ids=str)
def test_what_stages_make_is_no_field_of_the_collection(stages: Stages, last: dict[str, Any]) -> None:
    """Neither sorts nor filters behind a stage that makes a field ask for that field of the collection."""
    assert asked([*stages, last, {"$limit": 10}]) == ((), ())


@pytest.mark.parametrize(("pipeline", "filters", "sort"), SERVED, ids=str)
def test_an_index_serves_what_it_is_said_to(
    pipeline: Stages, filters: tuple[str, ...], sort: tuple[tuple[str, int], ...], database: Database[dict[str, Any]]
) -> None:
    """The server uses an index of the fields filtered and sorted by, and sorts nothing itself but what is made."""
    assert asked(pipeline) == (filters, sort)
    things = database.things
    things.insert_many({"a": n % 50, "b": n, "tags": [1, 2], "sub": {"x": n, "y": n % 9}} for n in range(300))
    things.create_index([*((path, 1) for path in filters), *sort])
    command = {"explain": {"aggregate": "things", "pipeline": pipeline, "cursor": {}}, "verbosity": "queryPlanner"}
    plan = {name: each for name, each in database.command(command).items() if name != "command"}
    assert "IXSCAN" in str(plan)
    if sort:
        assert "'SORT'" not in str(plan)
        assert [each for each in plan.get("stages", ()) if "b" in each.get("$sort", {}).get("sortKey", {})] == []


def test_the_order_of_the_disk_is_no_field() -> None:
    """`$natural` is a hint."""
    made = shape("shop", "things", CommandOperation.FIND, {"filter": {"a": 3}, "sort": {"$natural": -1}})
    (statement,) = statements_of(Capture(CaptureKind.PROFILER, 1, (ShapeTotals(made, 1),)), {"shop"})
    assert (statement.filters, statement.sort) == (("a",), ())
