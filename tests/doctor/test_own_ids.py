"""The `_id` a driver gives to each element and sub-document is its own: it refers to nothing, and is not to be indexed."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling.executors.facts import Amount, Budget, gather
from nestling.sources.mongo import live_database
from tests.doctor.looking import found, look

Db = Database[dict[str, Any]]
POSTS = 1_200
ABOUT_REFERENCES = {"dangling-reference", "unindexed-reference"}


def _plant(database: Db, shared: int, name: str) -> None:
    """Posts with an element each, `shared` of which have the `_id` of a document in the collection of this name."""
    ids = [ObjectId() for _ in range(POSTS)]
    author = {"name": "Ada"}
    posts = [
        {"title": f"t{n}", "author": author | {"_id": ObjectId()}, "comments": [{"_id": ids[n]}]} for n in range(POSTS)
    ]
    database.posts.insert_many(posts)
    database[name].insert_many({"_id": each, "text": "x"} for each in [*ids[:shared], *(ObjectId() for _ in range(50))])


def _said(database: Db) -> set[tuple[str, str]]:
    return {(each.rule, each.path) for each in found(look(database)) if each.rule in ABOUT_REFERENCES}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["comments", "others"])
@pytest.mark.parametrize("shared", [0, 3])
def test_own_ids_are_no_references(database: Db, shared: int, name: str) -> None:
    """None or hardly any of them is found elsewhere, be it in a collection called alike; `inspect` has no gap for them."""
    _plant(database, shared, name)
    assert _said(database) == set()
    facts = gather(database.client, [database.name], Budget(60.0, Amount(), structure=True))
    assert [each for each in live_database(facts).reading.gaps if "refers" in each.what] == []


def test_ids_that_are_found_elsewhere_are_references(database: Db) -> None:
    """Elements that repeat documents of a collection refer to them by their `_id`."""
    _plant(database, 900, "comments")
    assert _said(database) == {(rule, "comments[]._id") for rule in ABOUT_REFERENCES}


def test_a_key_that_begins_with_the_own_id_is_no_reference(database: Db) -> None:
    """Messages with a key to sort by, of their own `_id` and that of the message above, refer to nothing by it."""
    ids = [ObjectId() for _ in range(POSTS)]
    database.messages.insert_many(
        {"_id": each, "order": str(each) if n % 3 else f"{ids[n - 1]}-{each}"} for n, each in enumerate(ids)
    )
    assert _said(database) == set()


def test_a_text_of_the_own_id_is_no_reference_but_another_id_is(database: Db) -> None:
    """A copy of the `_id` as a text is converted by nobody; the text of a parent's `_id` is still found."""
    ids = [ObjectId() for _ in range(POSTS)]
    database.pages.insert_many({"_id": each, "id": str(each), "above": str(ids[n // 2])} for n, each in enumerate(ids))
    assert {path for _, path in _said(database)} == {"above"}


def test_links_to_itself_are_no_other_side(database: Db) -> None:
    """Versions that name themselves and the one before or themselves are two references, not two sides of one."""
    ids = [ObjectId() for _ in range(40)]
    database.versions.insert_many(
        {"_id": each, "base_id": ids[n - n % 2], "blocks": [{"made_in": each, "text": f"t{n}"}]}
        for n, each in enumerate(ids)
    )
    assert [each.rule for each in found(look(database)) if each.rule == "two-way-disagreement"] == []
