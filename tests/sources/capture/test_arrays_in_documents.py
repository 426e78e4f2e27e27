"""Changes of arrays that lie in sub-documents, such as `votes.up` and `services.resume.tokens`: rows with the document's key."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, ShapeTotals, shape

ADDED = "INSERT INTO up (post_id, up) VALUES (:id, :up)"
ADDED_ONCE = """INSERT INTO up (post_id, up) SELECT p._id AS post_id, :up_2 AS up
FROM posts p
LEFT JOIN votes v ON v.post_id = p._id
WHERE p._id = :id AND NOT EXISTS (SELECT 1 AS one
FROM up u
WHERE u.post_id = v.post_id AND u.up = :up)"""
TOKENS = "services.resume.tokens"
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "push": ({}, {"$push": {"votes.up": "u"}}, [ADDED]),
    "push unless there": ({"votes.up": {"$ne": "u"}}, {"$push": {"votes.up": "u"}}, [ADDED_ONCE]),
    "push of documents": (
        {},
        {"$push": {TOKENS: {"hash": "x", "at": 3}}},
        ["INSERT INTO tokens (post_id, hash, at) VALUES (:id, :hash, :at)"],
    ),
    "pull": ({}, {"$pull": {"votes.up": "u"}}, ["DELETE FROM up WHERE post_id = :id AND up = :up"]),
    "pull of documents": (
        {},
        {"$pull": {TOKENS: {"hash": "x"}}},
        ["DELETE FROM tokens WHERE post_id = :id AND hash = :hash"],
    ),
    "count beside": (
        {},
        {"$push": {"votes.up": "u"}, "$inc": {"votes.count": 1}},
        ["UPDATE votes SET count = count + :count_by WHERE post_id = :id", ADDED],
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_an_array_in_a_document_is_said(
    name: str, mongod: Server, database: Database[dict[str, Any]]
) -> None:
    """The rows of the array have the key of the document, not one of the sub-document between."""
    database.posts.insert_many(
        {
            "_id": n,
            "title": f"t{n}",
            "votes": {"count": n % 3, "down": n, "up": [f"u{k}" for k in range(n % 3)]},
            "services": {
                "kind": f"k{n}",
                "other": n,
                "resume": {"on": n, "no": 1, "tokens": [{"hash": f"h{n}.{k}", "at": k} for k in range(n % 4)]},
            },
        }
        for n in range(60)
    )
    condition, change, expected = CHANGES[name]
    asked = shape(database.name, "posts", CommandOperation.UPDATE, {"q": {"_id": 1} | condition, "u": change})
    found = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"))
    captured = Capture(CaptureKind.RECORDER, 10.0, (ShapeTotals(asked, 40, times=40),))
    said = pipeline.captured_workload(captured, found.in_place.design)
    assert not said.not_expressed
    assert [each.sql for each in said.statements] == expected
