"""Copies inside sub-documents, in a database nestling did not make: they are said as columns of the rows they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.pipeline.reversing import in_place
from nestling.sources.capture.sql.workload import CapturedStatement, CapturedWorkload
from tests.sources.capture.shops import Db, Shop, leaves

USERS, POSTS = 40, 300
Document = dict[str, Any]
Read = Callable[[Db], list[Document]]


def _user(number: int) -> Document:
    return {"id": number % USERS, "name": f"user {number % USERS}"}


def _post(number: int) -> Document:
    """A post that repeats its user's name in a sub-document, beside its own fields, two levels deep, and in an array."""
    user = _user(number * 7)
    return {
        "_id": number,
        "text": f"text {number % 90}",
        "user": user,
        "editor_id": _user(number * 3)["id"],
        "editor_name": _user(number * 3)["name"],
        "meta": {"day": number % 30, "by": _user(number * 11)},
        "likes": [{"n": each, "user": _user(number + each)} for each in range(1 + number % 3)],
    }


@pytest.fixture(scope="module")
def posts(
    mongod: Server, mongo_client: MongoClient[Document], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """The posts, the design read off them, and their rows in SQLite."""
    folder, database = tmp_path_factory.mktemp("posts"), mongo_client["captured_posts"]
    database.users.insert_many([{"_id": n, "name": f"user {n}"} for n in range(USERS)])
    database.posts.insert_many([_post(number) for number in range(POSTS)])
    proposal = in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    pipeline.unload(proposal, f"sqlite:///{folder}/shop.db", database)
    yield Shop(folder, proposal, database, mongod.uri)
    mongo_client.drop_database(database.name)


def _captured(posts: Shop, ask: Callable[[Database[Document]], object]) -> CapturedWorkload:
    with posts.recorded("asked.json") as (recorder, database):
        ask(database)
    return posts.said(recorder)


@pytest.mark.thorough
def test_they_are_taken_for_copies(posts: Shop) -> None:
    """Otherwise the other tests show nothing."""
    node = next(store.roots[0] for store in posts.proposal.design.stores if store.name == "posts")
    copied = {each.path for copy in node.body.copies for each in copy.attributes}
    assert {"user.name", "editor_name"} <= copied


READS: dict[str, Read] = {
    "projected": lambda db: list(db.posts.find({"user.id": 7}, {"text": 1, "user.name": 1})),
    "projected beside": lambda db: list(db.posts.find({"editor_id": 7}, {"text": 1, "editor_name": 1})),
    "projected as a document": lambda db: list(db.posts.find({"user.id": 7}, {"user": {"name": 1}})),
    "the sub-document": lambda db: list(db.posts.find({"text": "text 7"}, {"user": 1})),
    "all but arrays": lambda db: list(db.posts.find({"_id": 7}, {"likes": 0})),
    "all but it": lambda db: list(db.posts.find({"_id": 7}, {"likes": 0, "user.name": 0})),
    "all but the sub-document": lambda db: list(db.posts.find({"_id": 7}, {"likes": 0, "user": 0})),
    "filtered": lambda db: list(db.posts.find({"user.name": "user 7"}, {"text": 1})),
    "filtered by negation": lambda db: list(db.posts.find({"user.name": {"$ne": "user 7"}}, {"text": 1})),
    "filtered by the sub-document": lambda db: list(db.posts.find({"user": _user(7)}, {"text": 1})),
    "sorted": lambda db: list(db.posts.find({"text": "text 7"}, {"user.name": 1}).sort([("user.name", -1)])),
    "calculated": lambda db: list(db.posts.aggregate([{"$match": {"_id": 7}}, {"$project": {"by": "$user.name"}}])),
    "grouped": lambda db: list(db.posts.aggregate([{"$group": {"_id": "$user.name", "n": {"$sum": 1}}}])),
    "two deep": lambda db: list(db.posts.find({"meta.by.name": "user 7"}, {"meta.day": 1, "meta.by.name": 1})),
    "in an array": lambda db: list(
        db.posts.aggregate(
            [
                {"$match": {"_id": {"$lt": 9}}},
                {"$unwind": "$likes"},
                {"$project": {"n": "$likes.n", "name": "$likes.user.name"}},
            ]
        )
    ),
    "filtered by elements": lambda db: list(db.posts.find({"likes.user.name": "user 7"}, {"text": 1})),
}  # fmt: skip


@pytest.mark.parametrize("name", READS)
def test_reads_answer_what_the_documents_do(name: str, posts: Shop) -> None:
    """Shown, filtered or sorted by: SQLite answers the statement with the values of the documents found."""
    found: list[Document] = []
    said = _captured(posts, lambda db: found.extend(READS[name](db)))
    assert [str(gap) for gap in said.gaps] == []
    (made,) = said.statements
    assert found
    assert made.notes == ()
    assert sorted(map(_values, posts.answer(made))) == sorted(_values(leaves(each)) for each in found), made.sql


def _values(row: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(sorted(map(str, row)))


def test_an_order_by_it_is_said(posts: Shop) -> None:
    """By the column of the row it is of."""
    (made,) = _captured(posts, READS["sorted"]).statements
    assert made.sql.endswith("ORDER BY u.name DESC")


def test_a_nested_copy_is_said_as_one_beside(posts: Shop) -> None:
    """By a LEFT JOIN to the row it is of."""
    nested = _captured(posts, READS["projected"]).statements[0].sql.split()
    beside = _captured(posts, READS["projected beside"]).statements[0].sql.split()
    assert "u.name" in nested
    assert " ".join(nested[nested.index("FROM") :]) == " ".join(beside[beside.index("FROM") :]).replace(
        "editor_id", "user_id"
    )


@pytest.mark.parametrize("field", ["colour", "user.colour"])
def test_what_is_shown_and_cannot_be_said_is_noted(field: str, posts: Shop) -> None:
    """A field the model lacks is left out of a statement, and the statement says so."""
    (made,) = _captured(posts, lambda db: list(db.posts.find({"_id": 7}, {"text": 1, field: 1}))).statements
    assert made.notes == (f"left out: `{field}` is not an attribute of the model",)


def test_a_calculation_that_cannot_be_said_is_noted(posts: Shop) -> None:
    """It is left out of what is shown, and not in silence."""
    shown = {"text": 1, "first": {"$substrCP": ["$user.name", 0, 1]}}
    (made,) = _captured(posts, lambda db: list(db.posts.aggregate([{"$project": shown}]))).statements
    assert made.notes == ("left out: `$substrCP` in an expression",)


@pytest.mark.parametrize(
    ("change", "sql"),
    [
        ({"$set": {"user": _user(8)}}, "UPDATE posts SET user_id = :user_id WHERE _id = :id"),
        ({"$set": {"text": "new", "user": _user(8)}}, 'UPDATE posts SET "text" = :text, user_id = :user_id WHERE _id = :id'),
        ({"$set": {"user": None}}, "UPDATE posts SET user_id = NULL WHERE _id = :id"),
        ({"$unset": {"user": ""}}, "UPDATE posts SET user_id = NULL WHERE _id = :id"),
        ({"$set": {"meta.by": _user(8)}}, "UPDATE meta SET by_id = :by_id WHERE post_id = :id"),
        ({"$set": {"user.name": "user 8"}}, None),
    ],
    ids=str,
)  # fmt: skip
def test_what_a_sub_document_refers_to_is_changed(change: Document, sql: str | None, posts: Shop) -> None:
    """A sub-document written as a whole sets the reference in it; the copy beside that is upkeep, and no change by itself."""
    said = _captured(posts, lambda db: db.posts.update_one({"_id": POSTS + 1}, change))
    assert [_one_line(each) for each in said.statements] == ([sql] if sql else [])
    assert [str(gap) for gap in said.gaps] == []
    assert len(said.left_out) == (sql is None)


@pytest.mark.parametrize("change", [{"$set": {"user": "nobody"}}, {"$set": {"user": {}}}], ids=str)
def test_a_sub_document_that_becomes_something_else_is_a_gap(change: Document, posts: Shop) -> None:
    """What its reference is then cannot be told."""
    said = _captured(posts, lambda db: db.posts.update_one({"_id": POSTS + 1}, change))
    assert not said.statements
    assert [gap.what for gap in said.gaps] == ["`$set` of the document `user`"]


def _one_line(said: CapturedStatement) -> str:
    return " ".join(said.sql.split())
