"""Indexes of a live database that no design can say: scripts that create make them as they are, or name the command."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import InputError
from nestling.common.server import Server
from nestling.emitters import emit
from nestling.ir.indexes.index_text import read_index
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal, write_proposal

Documents = Database[dict[str, Any]]
RECENT = {"at": {"$gt": datetime(2026, 1, 5, tzinfo=UTC)}, "by": {"$lt": ObjectId(b"f" * 12)}}


@pytest.fixture
def uri(mongod: Server, database: Documents) -> str:
    """Tickets with indexes of every kind that a design cannot say."""
    tickets = database["tickets"]
    tickets.insert_many(
        {
            "_id": n,
            "title": f"t {n}",
            "body": f"b {n}",
            "status": ("open", "done")[n % 2],
            "at": datetime(2026, 1, 1 + n % 20, tzinfo=UTC),
            "by": ObjectId(f"{n:012}".encode()),
            "place": {"type": "Point", "coordinates": [n * 1.5, 1.0]},
            "settings": {f"p{n % 7}": n},
        }
        for n in range(100)
    )
    tickets.create_index([("title", "text"), ("body", "text")], weights={"title": 5}, default_language="german")
    tickets.create_index([("place", "2dsphere")])
    tickets.create_index([("status", "hashed")])
    tickets.create_index([("settings.$**", 1)])
    tickets.create_index([("status", 1)], partialFilterExpression=RECENT)
    tickets.create_index([("title", 1)], collation={"locale": "de", "strength": 2})
    return mongod.uri.replace("/?", f"/{database.name}?")


def _indexes(database: Documents) -> dict[str, Mapping[str, Any]]:
    return {str(each["name"]): dict(each) for each in database["tickets"].list_indexes()}


def _created(proposal: Proposal, database: Documents) -> dict[str, Mapping[str, Any]]:
    """The indexes that the emitted module makes in an empty database."""
    twin = database.client[f"{database.name}_twin"]
    scope: dict[str, Any] = {}
    exec(compile(emit(proposal, "python")["create.py"], "create.py", "exec"), scope)
    try:
        for _ in range(2):
            scope["create"](twin)
        return _indexes(twin)
    finally:
        database.client.drop_database(twin.name)


def test_a_copy_of_a_live_database_has_all_its_indexes(uri: str, database: Documents) -> None:
    """Also after the design was a file, and with the values that conditions of partial indexes hold."""
    today = pipeline.in_place(uri).in_place
    again = read_proposal(write_proposal(today), "today.yaml")
    assert _created(again, database) == _indexes(database)


def test_other_designs_make_those_whose_fields_stay(uri: str, database: Documents) -> None:
    """Of one whose field has gone elsewhere, the command stands in a comment."""
    proposal = pipeline.design(pipeline.inspect(uri), "normalized")
    assert "settings" in {store.name for store in proposal.design.stores}
    missing = _indexes(database).keys() - _created(proposal, database).keys()
    assert missing == {"settings.$**_1"}
    script, module = (emit(proposal, form)[name] for form, name in (("mongosh", "create.js"), ("python", "create.py")))
    assert '// db.getCollection("tickets").createIndex({"settings.$**": 1}, {name: "settings.$**_1"});' in script
    assert "# ('tickets', [('settings.$**', 1)], {'name': 'settings.$**_1'})," in module
    assert (
        'ensureIndex("tickets", [["place", "2dsphere"]], {name: "place_2dsphere", "2dsphereIndexVersion": 3});'
        in script
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"key": {}, "name": "a"}', '{"key": {"a": 1}}', '{"key": {"a": []}, "name": "a"}']
)
def test_a_text_that_tells_of_no_index(text: str) -> None:
    """It is refused, with what to write."""
    with pytest.raises(InputError, match=r"is no index.*\n.*2dsphere"):
        read_index(text, "tickets")
