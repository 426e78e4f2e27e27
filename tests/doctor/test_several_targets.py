"""A reference that leads to any of several collections dangles where none of them has the value."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _dangling(database: Db) -> list[tuple[str, str]]:
    return [(each.path, each.message) for each in found(look(database)) if each.rule == "dangling-reference"]


@pytest.mark.parametrize("gone", [0, 30])
def test_what_one_collection_lacks_another_has(database: Db, gone: int) -> None:
    """Events are about posts or photos; only what is neither is missing, and nobody is told to delete the rest."""
    posts, photos = [ObjectId() for _ in range(100)], [ObjectId() for _ in range(60)]
    database.posts.insert_many({"_id": each} for each in posts)
    database.photos.insert_many({"_id": each} for each in photos)
    about = [*posts, *photos, *(ObjectId() for _ in range(gone))]
    database.events.insert_many({"_id": n, "about": {"id": each}} for n, each in enumerate(about * 3))
    said = _dangling(database)
    assert [path for path, _ in said] == (["about.id"] if gone else [])
    assert all(message.startswith("30 of 190 values looked up are not in any collection") for _, message in said)


def test_a_collection_that_shares_keys_is_no_other_target(database: Db) -> None:
    """Some users have a profile, also such as were deleted: what refers to these users dangles all the same."""
    users = [ObjectId() for _ in range(120)]
    database.users.insert_many({"_id": each} for each in users[:80])
    database.profiles.insert_many({"_id": each, "text": "x"} for each in users[50:110])
    database.posts.insert_many({"_id": n, "user_id": users[n % 120]} for n in range(600))
    assert [path for path, _ in _dangling(database)] == ["user_id"]


def test_an_archive_is_no_other_target(database: Db) -> None:
    """A few users were moved away: what refers to them and to users that are gone is told apart, and the command that is to find
    what is lost leaves out what was moved.
    """
    users, old, gone = ([ObjectId() for _ in range(many)] for many in (400, 12, 20))
    database.users.insert_many({"_id": each} for each in users)
    database.users_archive.insert_many({"_id": each} for each in old)
    database.posts.insert_many({"_id": n, "user_id": each} for n, each in enumerate([*users, *old, *gone] * 3))
    (finding,) = (each for each in found(look(database)) if each.rule == "dangling-reference")
    assert finding.number == 3 * (len(old) + len(gone))
    assert "12 missing values are in `users_archive`" in finding.message
    assert "moved to `users_archive`" in finding.remedy
    lost = run(database.client, finding.commands[-1])
    assert {each["user_id"] for each in lost} == {*gone}
    assert len(lost) == 3 * len(gone)


def test_names_are_believed_before_a_collection_that_has_more(mongod: Server, database: Db) -> None:
    """Statistics of rooms and profiles of users, also of such as were deleted, are not what ids of rooms and users refer to."""
    rooms, users = [ObjectId() for _ in range(200)], [ObjectId() for _ in range(300)]
    entered = [{"by": users[n % 300]} for n in range(400)]
    database.rooms.insert_many(
        {"_id": each, "history": entered[n * 2 : n * 2 + 2]} for n, each in enumerate(rooms[20:])
    )
    database.room_stats.insert_many({"_id": each, "posts": 1} for each in rooms)
    database.users.insert_many({"_id": each, "name": f"n{n}"} for n, each in enumerate(users[:290]))
    database.profiles.insert_many({"_id": each, "text": "x"} for each in users)
    kept = ({"_id": n, "roomId": rooms[n % 200], "userId": users[n % 290]} for n in range(1_000))
    database.messages.insert_many(kept)
    led = {(each.collection, each.steps[-1]): each.target for each in look(database).references}
    assert led == {("messages", "roomId"): "rooms", ("messages", "userId"): "users", ("rooms", "by"): "users"}
    model = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place.design.model
    assert [link.parent for link in model.parents_of("history")] == ["rooms", "users"]
    assert [link.parent for link in model.parents_of("profiles")] == ["users"]
