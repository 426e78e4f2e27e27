"""Changes of documents, each with what it should leave, and the plans around them."""

# ruff: noqa: E501 - a case reads best on one line
from __future__ import annotations

from typing import Any

from nestling.ir.paths.access_path import CollectionScan
from nestling.ir.paths.row_steps import Layout, Shape
from nestling.ir.paths.write_path import (
    AddToSet,
    Cell,
    Constant,
    DocumentChange,
    Each,
    ElementFilter,
    Extend,
    FieldMatch,
    Give,
    GivenValue,
    Increment,
    Items,
    PairList,
    Pull,
    Push,
    Set,
    SetElements,
    SubDocument,
    UpdateDocuments,
)
from nestling.ir.paths.write_path import Test as Compared
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.statements.expression import ANY, AttributeCast, Column, Literal, Parameter
from nestling.ir.statements.operators import Rules


def stored(name: str, kind: Any) -> GivenValue:
    return GivenValue(AttributeCast(Parameter(name, kind), kind, Rules.SQLITE))


def given(rows: list[dict[str, object]]) -> Give:
    return Give("rows", tuple(tuple((name, Literal(value, ANY)) for name, value in row.items()) for row in rows))


def value(found: object) -> GivenValue:
    return GivenValue(Literal(found, ANY))


ONE = (FieldMatch("_id", value(1)),)
CHANGES: dict[str, tuple[dict[str, object], tuple[DocumentChange, ...], tuple[ElementFilter, ...], dict[str, object]]] = {
    "set and unset": (
        {"a": 1, "b": 2},
        (Set("a", value(5)), Set("b", value(None)), Set("c.d", Constant("$x"))),
        (),
        {"a": 5, "c": {"d": "$x"}},
    ),
    "set what is missing in the row": ({"a": 1}, (Set("a", Cell("nothing")), Set("b", Cell("n"))), (), {"b": 3}),
    "a sub-document": (
        {},
        (Set("s", SubDocument((("x", Cell("nothing")), ("y.z", Cell("nothing")), ("y.w", Cell("n"))))),),
        (),
        {"s": {"y": {"w": 3}}},
    ),
    "an empty sub-document": ({}, (Set("s", SubDocument((("y.z", Cell("nothing")),))),), (), {"s": {}}),
    "what is carried along": (
        {},
        (Set("s", SubDocument((("a", Cell("n")), ("c.x", Cell("nothing"))), spread="old")),),
        (),
        {"s": {"a": 3, "c": {"y": 2}, "d": 4}},
    ),
    "a place in an array": (
        {"seats": [None, None, None]},
        (Set("seats", SubDocument((("seat", Cell("n")),)), place="n", first=2),),
        (),
        {"seats": [None, {"seat": 3}, None]},
    ),
    "a place is cleared": ({"seats": [1, 2, 3]}, (Set("seats", value(None), place="n", first=1),), (), {"seats": [1, 2, None]}),
    "numbers grow and fall": (
        {"a": 1, "b": 2},
        (Increment("a", Cell("n")), Increment("b", value(5), negative=True), Increment("c", Cell("n"), negative=True),
         Increment("d", Cell("nothing"))),
        (),
        {"a": 4, "b": -3, "c": -3},
    ),
    "bounds extend": (
        {"low": 5, "high": 5, "kept": 1},
        (Extend("low", Cell("n"), False), Extend("high", value(9), True), Extend("kept", Cell("nothing"), True)),
        (),
        {"low": 3, "high": 9, "kept": 1},
    ),
    "push in order, cut": (
        {"a": [{"k": 1}, {"k": 4}]},
        (Push("a", SubDocument((("k", Cell("n")),)), (("k", -1),), 2),),
        (),
        {"a": [{"k": 4}, {"k": 3}]},
    ),
    "push plainly, null for what is missing": ({"a": [1], "b": []}, (Push("a", Cell("n")), Push("b", Cell("nothing"))), (), {"a": [1, 3], "b": [None]}),
    "only put in order": ({"a": [3, 1, 2]}, (Push("a", None, (("", 1),)),), (), {"a": [1, 2, 3]}),
    "pull by a field": ({"a": [{"k": 3}, {"k": 4}, {}]}, (Pull("a", (FieldMatch("k", Cell("n")),)),), (), {"a": [{"k": 4}, {}]}),
    "pull what lacks a field": ({"a": [{"k": 3}, {}]}, (Pull("a", (FieldMatch("k", Cell("nothing")),)),), (), {"a": [{"k": 3}]}),
    "pull values": ({"a": [3, 4, None], "b": [3, None]}, (Pull("a", (FieldMatch("", Cell("n")),)), Pull("b", (FieldMatch("", Cell("nothing")),))), (), {"a": [4, None], "b": [3]}),
    "add to a set": ({"a": [3]}, (AddToSet("a", Cell("n")), AddToSet("b", value(1))), (), {"a": [3], "b": [1]}),
    "elements that match": (
        {"a": [{"k": 3, "v": 1}, {"k": 4, "v": 1}]},
        (Set("a.$[e].v", Cell("nothing")), Increment("a.$[e].w", value(2))),
        (ElementFilter("e", (FieldMatch("k", Cell("n")), FieldMatch("v", value(0), Compared.GREATER))),),
        {"a": [{"k": 3, "w": 2}, {"k": 4, "v": 1}]},
    ),
    "elements of elements": (
        {"a": [{"b": [1, 3]}, {"b": [3]}]},
        (Set("a.$[].b.$[e]", value(0)),),
        (ElementFilter("e", (FieldMatch("", Cell("n")),)),),
        {"a": [{"b": [1, 0]}, {"b": [0]}]},
    ),
    "pairs": (
        {},
        (Set("p", PairList("k", "v", (("x", Cell("n")), ("y", Cell("nothing")), ("z", Constant(1))))),),
        (),
        {"p": [{"k": "x", "v": 3}, {"k": "z", "v": 1}]},
    ),
    "items": ({}, (Set("i", Items((Cell("n"), Cell("nothing"), Constant(None)))),), (), {"i": [3, None, None]}),
    "nothing after all": ({"a": 1}, (Increment("a", Cell("nothing")),), (), {"a": 1}),
}  # fmt: skip


def read(collection: str, *fields: str) -> ReadPlan:
    """All documents' fields."""
    columns = tuple(OutputColumn(name, name, ANY) for name in fields)
    named = tuple((name, Column("r", name, ANY)) for name in fields)
    return ReadPlan(
        Shape(CollectionScan(collection), named, Layout.of({("r", name): name for name in fields})), columns
    )


GATHERED: list[dict[str, object]] = [
    {"n": 1, "p": 1, "to": 5},
    {"n": 2, "p": 1},
    {"n": 3, "p": 1, "to": 5},
    {"p": 1},
    {"n": 5, "p": 2, "to": 5},
]
"""Rows of two documents: elements of their arrays, and what each is to become."""
TAKEN = UpdateDocuments(
    "p",
    (FieldMatch("_id", Cell("p")),),
    (Set("a.$[e].to", Cell("to")),),
    (ElementFilter("e", (FieldMatch("id", Cell("n"), Compared.IN),)),),
)

OWN: list[dict[str, object]] = [{"n": 1, "p": 1, "to": 5}, {"n": 2, "p": 1}, {"n": 3, "p": 1, "to": "$x"}]
"""Rows of one document whose elements become different."""
OWN_BEFORE: dict[str, Any] = {"_id": 1, "a": [{"id": n, "to": "was", "b": n} for n in (3, 4, 2, 1)]}
OWN_AFTER: dict[str, Any] = {
    "_id": 1,
    "a": [{"id": 3, "to": "$x", "b": 3}, {"id": 4, "to": "was", "b": 4}, {"id": 2, "b": 2}, {"id": 1, "to": 5, "b": 1}],
}
GIVEN_OWN = Each(
    "rows",
    (
        UpdateDocuments(
            "p", (FieldMatch("_id", Cell("p")),), (SetElements("a", "id", Cell("n"), (("to", Cell("to")),)),)
        ),
    ),
    by=("p",),
    gathered=("n", "to"),
)
