"""The command that brings copies up to date writes them, and nothing else an application changes meanwhile."""

from __future__ import annotations

from collections import Counter
from threading import Event, Thread
from typing import Any

import pytest
from pymongo.database import Database

from nestling.executors.facts import copied_values
from nestling.executors.facts.drawing import HASH_UP_TO
from tests.doctor.looking import found, look
from tests.doctor.shell import run

POSTS, USERS = 3_000, 200
Db = Database[dict[str, Any]]


def _repair(database: Db) -> str:
    """The command of the one stale copy there is."""
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    (command,) = finding.commands
    return command


def test_writes_beside_the_repair_are_kept(database: Db) -> None:
    """Elements pushed, and siblings of the copy changed, while the command runs, are all there afterwards."""
    database.users.insert_many({"_id": n, "name": f"user {n}"} for n in range(USERS))
    database.posts.insert_many(
        {"_id": n, "user": {"_id": n % USERS, "name": f"user {n % USERS}" if n % 3 else "old", "seen": 0}, "tags": []}
        for n in range(POSTS)
    )
    command, done, pushed = _repair(database), Event(), Counter[int]()

    def push() -> None:
        while not done.is_set():
            number = pushed.total() * 37 % POSTS
            database.posts.update_one({"_id": number}, {"$push": {"tags": "new"}, "$inc": {"user.seen": 1}})
            pushed[number] += 1

    writer = Thread(target=push)
    writer.start()
    try:
        for _ in range(5):
            database.posts.update_many({"_id": {"$mod": [3, 0]}}, {"$set": {"user.name": "old"}})
            run(database.client, command)
    finally:
        done.set()
        writer.join()
    assert pushed
    kept = {each["_id"]: (len(each["tags"]), each["user"]["seen"]) for each in database.posts.find()}
    assert kept == {number: (pushed[number], pushed[number]) for number in range(POSTS)}
    assert not database.posts.count_documents({"user.name": "old"})


def test_a_key_of_any_name_is_followed(database: Db) -> None:
    """Where the reference holds another key than `_id`, the copy is brought up to what that key's document says."""
    database.users.insert_many({"_id": n + 1, "user_id": n, "name": f"user {n}"} for n in range(USERS))
    database.posts.insert_many(
        {"_id": f"p{n}", "user_id": n % USERS, "user_name": f"user {n % USERS}" if n % 5 else "old"} for n in range(600)
    )
    database.posts.insert_one({"_id": "bare", "user_id": 3})
    run(database.client, _repair(database))
    assert not database.posts.count_documents({"user_name": "old"})
    assert all(each["user_name"] == f"user {each['user_id']}" for each in database.posts.find({"_id": {"$ne": "bare"}}))
    assert database.posts.find_one({"_id": "bare"}) == {"_id": "bare", "user_id": 3}


def test_copies_in_documents_beside_the_reference_are_found(database: Db) -> None:
    """`item.name` beside `item_id` is a copy as `item_name` is, in arrays too; its command keeps what else is in there."""
    database.items.insert_many({"_id": f"i{n}", "name": f"item {n}", "price": n} for n in range(90))
    database.sales.insert_many(
        {
            "_id": n,
            "item_id": f"i{n % 90}",
            "item": {"name": f"item {n % 90}" if n % 9 else "old", "note": n},
            "lines": [
                {"item_id": f"i{at}", "item": {"name": f"item {at}" if n % 7 else "old"}} for at in (n % 90, n % 45)
            ],
        }
        for n in range(270)
    )
    stale = {each.path: each for each in found(look(database)) if each.rule == "stale-copy"}
    assert set(stale) == {"item.name", "lines[].item.name"}
    for finding in stale.values():
        run(database.client, finding.commands[0])
    assert all(
        each["item"] == {"name": f"item {each['_id'] % 90}", "note": each["_id"]} for each in database.sales.find()
    )
    assert not [each for each in found(look(database)) if each.rule == "stale-copy"]


def test_all_copies_are_compared(database: Db) -> None:
    """One stale copy in 4,000 is found every time, and the numbers are those of all documents."""
    database.users.insert_many({"_id": n, "name": f"user {n}"} for n in range(USERS))
    database.posts.insert_many(
        {"_id": n, "user_id": n % USERS, "user_name": f"user {n % USERS}" if n != 2_345 else "old"}
        for n in range(4_000)
    )
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    assert finding.message == "1 of 4,000 copies of `users.name` differs: < 1 %"


def test_a_sample_of_copies_is_the_same_on_every_run(database: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of larger collections a sample is compared: the numbers stay while the documents do, and the finding calls it a sample."""
    monkeypatch.setattr(copied_values, "WHOLE_UP_TO_BYTES", 1_000)
    monkeypatch.setattr(copied_values, "SAMPLED", 500)
    database.users.insert_many({"_id": n, "name": f"user {n}"} for n in range(USERS))
    database.posts.insert_many(
        {"_id": n, "user_id": n % USERS, "user_name": f"user {n % USERS}" if n % 5 else "old"} for n in range(4_000)
    )
    for most in (HASH_UP_TO, 1_000):
        monkeypatch.setattr(copied_values, "HASH_UP_TO", most)
        (one, *_), (two, *_) = (look(database).copies for _ in range(2))
        assert one == two
        assert not one.whole
        assert 250 <= one.checked <= 1_000
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    assert "compared, a sample, differ" in finding.message
