"""What an index can do for conditions with `$or`, `$and` and `$nor` in each other, beside what the server does with indexes."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.capture import Capture, CaptureKind, CommandOperation, ShapeTotals, shape
from nestling.ir.capture.patterns import statements_of

Condition = dict[str, Any]
Branches = tuple[tuple[str, ...], ...]
A, B, C, D = ({name: 3} for name in "abcd")
CASES: list[tuple[Condition, tuple[str, ...], Branches]] = [
    ({"$or": [A, B]}, (), (("a",), ("b",))),
    ({"$or": [{"a": 3}, {"a": 4}]}, ("a",), ()),
    ({"$or": [{"a": 3, "c": 1}, {"b": 3}]}, (), (("a", "c"), ("b",))),
    ({**A, "$or": [B, C]}, ("a",), (("b",), ("c",))),
    ({"$and": [A, {"$or": [B, C]}]}, ("a",), (("b",), ("c",))),
    ({"$or": [A, {"$or": [B, C]}]}, (), (("a",), ("b",), ("c",))),
    ({"$or": [A, {"$and": [B, {"$or": [C, D]}]}]}, (), (("a",), ("b", "c"), ("b", "d"))),
    ({"$and": [{"$or": [A, B]}, {"$or": [C, D]}]}, (), (("c",), ("d",))),
    ({"$or": [A, {"$expr": {"$eq": ["$b", "$c"]}}]}, (), ()),
    ({**A, "$or": [B, {"$expr": {"$eq": ["$b", "$c"]}}]}, ("a",), ()),
]
"""A condition, the fields compared of every document it finds, and those of each branch."""


def told(condition: Condition) -> tuple[tuple[str, ...], Branches]:
    """What is said of a `find`, which is the same of a pipeline and a count."""
    found = []
    for operation, command in (
        (CommandOperation.FIND, {"filter": condition}),
        (CommandOperation.AGGREGATE, {"pipeline": [{"$match": condition}]}),
        (CommandOperation.COUNT, {"query": condition}),
    ):
        made = shape("shop", "things", operation, command)
        (statement,) = statements_of(Capture(CaptureKind.PROFILER, 1, (ShapeTotals(made, 1),)), {"shop"})
        found.append((statement.filters, tuple(sorted(each.filters for each in statement.branches))))
    assert found[1:] == found[:1] * 2
    return found[0]


@pytest.mark.parametrize(("condition", "common", "branches"), CASES, ids=str)
def test_every_branch_wants_an_index_of_its_own(
    condition: Condition, common: tuple[str, ...], branches: Branches, database: Database[dict[str, Any]]
) -> None:
    """With an index for each branch the server scans nothing whole; without that of one branch it does."""
    assert told(condition) == (common, branches)
    things = database.things
    things.insert_many({name: n % (11 + place) for place, name in enumerate("abcd")} for n in range(300))
    wanted = [(*each, *common) for each in branches] or [common]
    for fields in wanted if any(wanted) else ():
        things.create_index([(field, 1) for field in fields])
    assert _is_scan(things, condition) is not any(wanted)
    if branches and not common:
        things.drop_index([(field, 1) for field in wanted[0]])
        assert _is_scan(things, condition)


def _is_scan(things: Any, condition: Condition) -> bool:
    return "COLLSCAN" in str(things.find(condition).explain()["queryPlanner"]["winningPlan"])


def test_a_nor_compares_nothing_for_equality() -> None:
    """What it refuses of one field narrows little; of several fields together it refuses no value by itself."""
    made = shape("shop", "things", CommandOperation.FIND, {"filter": {"$nor": [A, {"b": 1, "c": 2}]}})
    (statement,) = statements_of(Capture(CaptureKind.PROFILER, 1, (ShapeTotals(made, 1),)), {"shop"})
    assert (statement.filters, statement.equalities, statement.branches) == (("a",), 0, ())


def test_what_the_server_refused_is_no_condition() -> None:
    """An `$or` of no list is noted all the same."""
    made = shape("shop", "things", CommandOperation.FIND, {"filter": {"$or": "x", "a": 1}})
    (statement,) = statements_of(Capture(CaptureKind.PROFILER, 1, (ShapeTotals(made, 1),)), {"shop"})
    assert (statement.filters, statement.branches) == (("a",), ())
