"""Many collections: what was asked is read first, and what there was no time for is told in a line."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.server import Server
from nestling.executors import facts
from nestling.executors.facts.permitted import Asking
from nestling.ir.facts import ReferenceFacts, Skipped
from nestling.ir.facts.skipped import together


def endless(_: object, __: object, asking: Asking) -> Iterator[ReferenceFacts]:
    """A search for references that takes all the time it is given."""
    while not asking.late:
        time.sleep(0.05)
    yield from ()


@pytest.mark.thorough
def test_what_was_asked_is_read_though_time_is_up(
    mongod: Server, database: Database[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The profiler does not wait until all references are looked for, and these leave time for what comes after them."""
    monkeypatch.setattr(facts, "references", endless)
    database.things.insert_many({"at": n} for n in range(50))
    database.command("profile", 2)
    with MongoClient[dict[str, Any]](mongod.uri) as application:
        for _ in range(5):
            list(application[database.name].things.find({"at": 3}))
    database.command("profile", 0)
    found = facts.gather(database.client, [database.name], facts.Budget(3.0, facts.Amount(1_000), rest=0))
    assert [each.namespace for each in found.statements] == [f"{database.name}.things"]
    assert not [each for each in found.skipped if "references" not in each.what]


def test_what_was_left_out_for_one_reason_is_one_line() -> None:
    """The first names and how many more; another reason or another question is another line."""
    rows = [Skipped(f"the rows of bad.log_{n}", "the time is up") for n in range(1200)]
    others = [
        Skipped("the rows of bad.a", "refused"),
        Skipped("references", "the time is up"),
        Skipped("the size of b.c", "refused"),
    ]
    assert [(each.what, each.why) for each in together([*rows, *others])] == [
        ("the rows of bad.log_0, bad.log_1, bad.log_2 and 1,197 more", "the time is up"),
        ("the rows of bad.a", "refused"),
        ("references", "the time is up"),
        ("the size of b.c", "refused"),
    ]


def test_references_lead_to_the_largest_collections_first(database: Database[dict[str, Any]]) -> None:
    """A name that says nothing is looked up in so many collections; that there are more is told where it was not found."""
    ids = [ObjectId() for _ in range(60)]
    database.users.insert_many({"_id": each, "name": f"user {n}"} for n, each in enumerate(ids))
    database.posts.insert_many({"author": each} for each in ids)
    database.strays.insert_many({"by": ObjectId()} for _ in range(60))
    for n in range(20):
        database[f"log_{n:02}"].insert_one({"at": n})
    found = facts.gather(database.client, [database.name], facts.Budget(60.0, facts.Amount(1_000), rest=0))
    assert [(each.collection, each.target) for each in found.references if each.resolved] == [("posts", "users")]
    told = {each.what: each.why for each in found.skipped}
    assert told == {
        f"references by by of {database.name}.strays": "they were looked up in 12 keys, those of the largest collections, and not"
        " in 11 more"
    }
