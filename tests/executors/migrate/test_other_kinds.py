"""A field of one kind in a document that says it is of another, and a kind that nobody knows, are not lost untold."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.emitters.field_searches.unknown_fields import unknown_fields
from nestling.executors.found_fields import find_fields
from nestling.ir.migration import Phase
from nestling.ir.proposal import Proposal
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
KINDS: list[dict[str, Any]] = [
    {"kind": "dm", "pair": "a-b"},
    {"kind": "group", "pins": [1, 2], "open": True},
    {"kind": "news", "topic": "t", "open": True},
]


@pytest.fixture
def channels(database: Documents) -> Documents:
    """Channels of three kinds."""
    database["channels"].insert_many({"_id": n, "title": f"t{n}", "at": n, **KINDS[n % 3]} for n in range(60))
    return database


def _moves(mongod: Server, channels: Documents) -> tuple[Proposal, Proposal]:
    moves = designs(mongod, channels)
    assert moves[0].design.collections[0].variant is not None
    assert find_fields(channels, unknown_fields(moves[0].design)) == ()
    return moves


WRITES: list[tuple[int, dict[str, Any], str]] = [
    (0, {"$set": {"topic": "of a dm"}}, 'topic where kind is not "news"'),
    (2, {"$set": {"kind": "dm"}}, 'topic where kind is not "news"'),
    (2, {"$unset": {"kind": ""}}, 'topic where kind is not "news"'),
    (1, {"$set": {"kind": "other"}}, "kind"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("number", "change", "path"), WRITES)
@pytest.mark.parametrize("when", ["first", "ready"])
def test_it_is_named(
    when: str, number: int, change: dict[str, Any], path: str, mongod: Server, channels: Documents
) -> None:
    """Before anything is built, and whenever it comes: the cutover does not go on without leave."""
    moves = _moves(mongod, channels)
    if when == "ready":
        assert pipeline.migrate(*moves, channels).equal
    channels["channels"].update_one({"_id": number}, change)
    found = {each.path for each in find_fields(channels, unknown_fields(moves[0].design))}
    assert path in found
    with pytest.raises(MigrationError, match=r"not valid in the old design|would be lost"):
        pipeline.migrate(*moves, channels, cutover=True)
    channels["channels"].replace_one({"_id": number}, {"title": "t", "at": number, **KINDS[number % 3]})
    assert pipeline.migrate(*moves, channels, cutover=True).phase is Phase.DONE


def test_what_several_kinds_have_is_of_all_of_them(mongod: Server, channels: Documents) -> None:
    """A field that two of three kinds have may be in the third; null is nothing to lose."""
    moves = _moves(mongod, channels)
    channels["channels"].update_one({"_id": 1}, {"$set": {"kind": "news"}, "$unset": {"pins": ""}})
    channels["channels"].update_one({"_id": 3}, {"$set": {"topic": None}})
    channels["channels"].update_one({"_id": 0}, {"$set": {"open": False}})
    assert find_fields(channels, unknown_fields(moves[0].design)) == ()
    assert pipeline.migrate(*moves, channels).equal
