"""What a captured read takes of a document: no more is said to be left aside than makes no difference to its answer."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.capture import CommandOperation, operation_of, shape
from nestling.ir.capture.used_fields import taken_by
from nestling.ir.facts import Projection

DOCUMENT = {"_id": 1, "a": 3, "b": {"c": 4, "d": "x"}, "e": [{"f": 1}, {"f": 2}], "g": "text", "h": 9}
ALL = Projection((), but=True)
FINDS: list[tuple[dict[str, Any], Projection]] = [
    ({}, ALL),
    ({"projection": {"a": 1}}, Projection(("a",))),
    ({"projection": {"_id": 0, "b.c": True}, "filter": {"h": 9}, "sort": {"g": 1}}, Projection(("b", "g", "h"))),
    ({"projection": {"g": 0, "b.d": 0}}, Projection(("g",), but=True)),
    ({"projection": {"g": 0, "h": 0}, "filter": {"$or": [{"h": 9}, {"a": 1}]}}, Projection(("g",), but=True)),
    ({"projection": {"_id": 0}}, ALL),
    ({"projection": {"e": {"$slice": 1}}}, ALL),
    (
        {"projection": {"n": {"$add": ["$a", "$b.c"]}}, "filter": {"$expr": {"$gt": ["$h", 1]}}},
        Projection(("a", "b", "h")),
    ),
    ({"projection": {"n": "$$ROOT"}}, ALL),
    ({"projection": {"n": {"$literal": "$g"}, "a": 1}}, Projection(("a",))),
]
PIPELINES: list[tuple[list[dict[str, Any]], Projection | None]] = [
    ([{"$match": {"h": 9}}], ALL),
    ([{"$match": {"h": 9}}, {"$project": {"a": 1}}], Projection(("a", "h"))),
    ([{"$unset": ["g", "h"]}, {"$sort": {"a": 1}}], Projection(("g", "h"), but=True)),
    ([{"$project": {"g": 0, "h": 0}}, {"$match": {"a": 3}}], Projection(("g", "h"), but=True)),
    ([{"$unwind": "$e"}, {"$group": {"_id": "$e.f", "n": {"$sum": "$a"}}}], Projection(("a", "e"))),
    ([{"$group": {"_id": "$a", "all": {"$push": "$$ROOT"}}}], ALL),
    ([{"$group": {"_id": "$a", "all": {"$push": "$$ROOT.b"}}}], Projection(("a", "b"))),
    ([{"$addFields": {"n": {"$size": "$e"}}}, {"$project": {"n": 1}}], Projection(("e", "n"))),
    ([{"$match": {"a": 3}}, {"$count": "n"}], Projection(("a",))),
    ([{"$sortByCount": "$g"}], Projection(("g",))),
    ([{"$replaceRoot": {"newRoot": "$b"}}], Projection(("b",))),
    (
        [{"$lookup": {"from": "other", "localField": "h", "foreignField": "x", "as": "o"}}, {"$project": {"o": 1}}],
        Projection(("h", "o")),
    ),
    ([{"$facet": {"one": [{"$project": {"a": 1}}]}}], None),
]


def took(command: dict[str, Any]) -> Projection | None:
    """What is told of a command."""
    operation = operation_of(command)
    assert operation is not None
    return taken_by(shape("shop", "things", operation, command))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        *(({"find": "things", **more}, taken) for more, taken in FINDS),
        *(({"aggregate": "things", "pipeline": stages, "cursor": {}}, taken) for stages, taken in PIPELINES),
        ({"count": "things", "query": {"a": 3}}, Projection(("a",))),
        ({"distinct": "things", "key": "b.c", "query": {"h": 9}}, Projection(("b", "h"))),
    ],
    ids=str,
)
def test_what_is_left_aside_makes_no_difference(
    command: dict[str, Any], expected: Projection | None, database: Database[dict[str, Any]]
) -> None:
    """The server answers the same from a document that has only what is taken."""
    assert took(command) == expected
    if expected is None:
        return

    def answer(document: dict[str, Any]) -> object:
        database.drop_collection("things")
        database["things"].insert_one(dict(document))
        found = database.command(command)
        rows = found["cursor"]["firstBatch"] if "cursor" in found else [found.get("n", found.get("values"))]
        return sorted(map(str, rows))  # groups come in any order

    taken = {name: value for name, value in DOCUMENT.items() if name == "_id" or expected.takes(name)}
    assert answer(taken) == answer(DOCUMENT)


def test_writes_take_nothing_that_is_told() -> None:
    """An update rewrites its document whole, whatever it changes."""
    assert taken_by(shape("shop", "things", CommandOperation.UPDATE, {"q": {"a": 1}, "u": {"$set": {"b": 2}}})) is None
