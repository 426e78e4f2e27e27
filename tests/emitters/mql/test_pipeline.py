"""Access paths as MQL: every step and expression has its rendering, which running it elsewhere proves right."""

from __future__ import annotations

import pytest

from nestling.emitters.mql import aggregation
from nestling.emitters.mql.expression import expression_mql, predicate_mql
from nestling.ir.paths.access_path import (
    AccessPath,
    ClientFile,
    CollectionScan,
    Comparator,
    DocumentComparison,
    DocumentOf,
    FieldExists,
    FieldPath,
    FilterDocuments,
    FixedValue,
    GroupDocuments,
    Holds,
    IfMissing,
    Lookup,
    NullAsMissing,
    PairValue,
    PathExpression,
    Predicate,
    ProjectDocuments,
    Step,
    Union,
    Unwind,
)
from nestling.ir.programs.command import FileField

SCAN = CollectionScan("orders")


@pytest.mark.parametrize(
    ("expression", "mql"),
    [
        (FieldPath("a.b"), "$a.b"),
        (FixedValue("$x"), {"$literal": "$x"}),
        (IfMissing(FieldPath("a"), FixedValue(1)), {"$ifNull": ["$a", {"$literal": 1}]}),
        (NullAsMissing(FieldPath("a")), {"$ifNull": ["$a", "$$REMOVE"]}),
        (DocumentOf((("x", FieldPath("a")),)), {"x": "$a"}),
        (
            PairValue(FieldPath("more"), "k", "$colour", "v"),
            {
                "$getField": {
                    "field": "v",
                    "input": {
                        "$first": {
                            "$filter": {
                                "input": {"$ifNull": ["$more", []]},
                                "cond": {"$eq": ["$$this.k", {"$literal": "$colour"}]},
                            }
                        }
                    },
                }
            },
        ),
    ],
)
def test_expressions(expression: PathExpression, mql: object) -> None:
    """Literals are always marked as such: a text may begin with a dollar."""
    assert expression_mql(expression) == mql


@pytest.mark.parametrize(
    ("predicate", "mql"),
    [
        (FieldExists("a"), {"a": {"$exists": True}}),
        (Holds("kind", "car"), {"kind": {"$eq": "car"}}),
        (
            DocumentComparison(FieldPath("a"), Comparator.NOT_EQUAL, FixedValue(None)),
            {"$expr": {"$ne": ["$a", {"$literal": None}]}},
        ),
    ],
)
def test_predicates(predicate: Predicate, mql: object) -> None:
    """The match language where it can say it."""
    assert predicate_mql(predicate) == mql


@pytest.mark.parametrize(
    ("step", "stages"),
    [
        (SCAN, ()),
        (Unwind(SCAN, "lines"), ({"$unwind": "$lines"},)),
        (FilterDocuments(SCAN, FieldExists("a")), ({"$match": {"a": {"$exists": True}}},)),
        (ProjectDocuments(SCAN, (("0", FieldPath("a")),)), ({"$replaceWith": {"0": "$a"}},)),
        (GroupDocuments(SCAN, ("0", "1")), ({"$group": {"_id": {"0": "$0", "1": "$1"}}}, {"$replaceWith": "$_id"})),
        (
            Union((SCAN, Unwind(CollectionScan("pages"), "lines"))),
            ({"$unionWith": {"coll": "pages", "pipeline": [{"$unwind": "$lines"}]}},),
        ),
        (
            Lookup(SCAN, CollectionScan("parts"), FieldPath("_id"), "_id", "part"),
            (
                {"$lookup": {"from": "parts", "localField": "_id", "foreignField": "_id", "as": "part"}},
                {"$unwind": {"path": "$part", "preserveNullAndEmptyArrays": True}},
            ),
        ),
        (
            Lookup(SCAN, Unwind(CollectionScan("p"), "x"), DocumentOf((("a", FieldPath("b")),)), "ids", "parent"),
            (
                {"$set": {"parent": {"a": "$b"}}},
                {
                    "$lookup": {
                        "from": "p",
                        "localField": "parent",
                        "foreignField": "ids",
                        "pipeline": [{"$unwind": "$x"}],
                        "as": "parent",
                    }
                },
                {"$unwind": {"path": "$parent", "preserveNullAndEmptyArrays": True}},
            ),
        ),
    ],
)
def test_steps(step: Step, stages: tuple[object, ...]) -> None:
    """Each step adds its stages after those of what it builds on."""
    assert aggregation(AccessPath(step, ("a",))).stages == stages
    assert aggregation(AccessPath(step, ("a",))).collection == "orders"


def test_files_are_left_to_the_client() -> None:
    """The client's last steps become no stages, but fields to fetch."""
    step = ClientFile(ClientFile(SCAN, "0", "scans", is_text=False), "1", "texts", is_text=True)
    query = aggregation(AccessPath(step, ("scan", "body")))
    assert query.stages == ()
    assert query.files == (FileField("0", "scans", False), FileField("1", "texts", True))


def test_the_server_cannot_go_on_after_the_client() -> None:
    """A planner that puts a client's step in the middle is wrong, and is told so."""
    with pytest.raises(ValueError, match="after a step of the client"):
        aggregation(AccessPath(Unwind(ClientFile(SCAN, "0", "scans", is_text=False), "a"), ("a",)))
