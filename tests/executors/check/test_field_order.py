"""Copies whose sub-documents have their fields in another order: equal, as their values are; anything else still differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.executors.check.report import CheckReport
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Collection, Copy, Document, Field, Form, Holder, Order, Reference
from nestling.ir.rows import Hop
from tests.executors.check.library import MODEL, rows
from tests.executors.check.loaded import checked, loaded

UP, DOWN = (Hop("written", up=True),), (Hop("written", up=False),)


def design() -> Design:
    """Books with their author, part of it one level deeper; authors with their newest books."""
    author = Copy("author", UP, (Field("id", "id"), Field("name", "called.name")), Form.OBJECT, TRANSACTION)
    fields = (Field("title", "title"), Field("price", "price"))
    newest = Copy("newest", DOWN, fields, Form.ARRAY, TRANSACTION, (Order("id", descending=True),), 3)
    both = (Field("id", "id"), Field("name", "called.name"), Field("id", "called.number"))
    nested = Copy("deep", UP, both, Form.OBJECT, TRANSACTION)
    book = Document("book", references=(Reference("written", Holder.CHILD),), copies=(author, nested))
    loan = Document("loan", references=(Reference("lent", Holder.CHILD), Reference("signed", Holder.CHILD)))
    return Design(
        MODEL,
        (
            Collection("authors", Document("author", copies=(newest,)), ("id",)),
            Collection("books", book, ("id",)),
            Collection("loans", loan, ("book_id", "number")),
        ),
    )


def turned(value: object) -> object:
    """The value with the fields of every document in it the other way round."""
    match value:
        case Mapping():
            return {name: turned(value[name]) for name in reversed(value)}
        case list():
            return [turned(each) for each in value]
        case _:
            return value


def paths(report: CheckReport) -> list[tuple[object, str]]:
    """Which documents differ, and where."""
    return sorted((each.id, each.path) for each in report.findings)


def turn(database: Database[Any], name: str, *fields: str) -> None:
    """Turn these fields of every second document."""
    for number, each in enumerate(database[name].find()):
        if number % 2:
            database[name].update_one({"_id": each["_id"]}, {"$set": {field: turned(each[field]) for field in fields}})


@pytest.mark.thorough
def test_an_order_of_fields_is_no_difference(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Sub-documents, what lies in them, and those in arrays: with fields in two orders all are clean, and stay as they are."""
    with loaded(mongo_client, rows(), design()) as (proposal, database):
        turn(database, "books", "author", "deep")
        turn(database, "authors", "newest")
        before = [*database["books"].find(), *database["authors"].find()]
        report = checked(proposal, database, repair=True)
        assert (report.clean, report.findings, report.repaired) == (True, (), 0)
        after = [*database["books"].find(), *database["authors"].find()]
        assert [repr(each) for each in before] == [repr(each) for each in after]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "change",
    [
        {"$set": {"author.called.name": "stale"}},
        {"$set": {"author.more": 1}},
        {"$set": {"author.called.more": 1}},
        {"$unset": {"author.id": 1}},
        {"$set": {"author.called": "a value"}},
        {"$set": {"author": 5}},
        {"$set": {"author": []}},
        {"$unset": {"author": 1}},
    ],
)
def test_whatever_else_differs_is_found(mongo_client: MongoClient[dict[str, Any]], change: dict[str, Any]) -> None:
    """Among copies in two orders a wrong value, a field too many or too few, or no sub-document at all is found and repaired."""
    with loaded(mongo_client, rows(), design()) as (proposal, database):
        turn(database, "books", "author", "deep")
        database["books"].update_many({"_id": {"$in": [8, 9]}}, change)
        assert paths(checked(proposal, database)) == [(8, "author"), (9, "author")]
        report = checked(proposal, database, repair=True)
        assert (report.clean, report.repaired) == (True, 2)
        assert checked(proposal, database).findings == ()


def test_a_wrong_element_is_found(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Among arrays of sub-documents in two orders one with a wrong value is found."""
    with loaded(mongo_client, rows(), design()) as (proposal, database):
        turn(database, "authors", "newest")
        database["authors"].update_one({"_id": 3}, {"$set": {"newest.1.title": "stale"}})
        assert paths(checked(proposal, database)) == [(3, "newest")]
