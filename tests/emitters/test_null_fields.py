"""Null where a design says NULL by a missing field: found in documents of any form, and unset by the command that is told."""

from __future__ import annotations

import copy
from typing import Any

from pymongo.database import Database

from nestling.emitters.field_searches.null_fields import null_fields
from nestling.emitters.jsonschema import validator
from nestling.executors.found_fields import find_fields
from nestling.ir.design import Design
from nestling.ir.field_removal import null_removal
from nestling.ir.text import read_proposal
from tests.doctor.shell import run_in

DESIGN = """
nestling: 1
strategy: today
model:
  name: blog
  entities:
    post:
      key: [id]
      attributes: {id: text!, title: text, editor: integer, city: text, facts: json}
    comment: {key: [post, id], attributes: {post: text!, id: integer!, body: text}}
    vote: {key: [post, comment, id], attributes: {post: text!, comment: integer!, id: integer!, way: text}}
    tag: {key: [post, tag], attributes: {post: text!, tag: text!}}
  relationships:
    comments: {parent: post, child: comment, attributes: [post], required: true}
    votes: {parent: comment, child: vote, attributes: [post, comment], required: true}
    tags: {parent: post, child: tag, attributes: [post], required: true}
design:
  collections:
    post:
      root: post
      id: [id]
      fields: {city: at.city}
      embeddings:
        comments: {of: comments, as: array, embeddings: {votes: {of: votes, as: array}}}
        tags: {of: tags, as: scalars}
"""
WHOLE: dict[str, Any] = {
    "_id": "whole",
    "title": "t",
    "at": {"city": "c"},
    "facts": {"deep": [None, {"er": None}]},
    "comments": [
        {"id": 1, "body": "b", "votes": [{"id": 1, "way": "up"}, {"id": 2, "way": "down"}]},
        {"id": 2, "body": "b"},
    ],
    "tags": ["a", "b"],
}


def _design() -> Design:
    return read_proposal(DESIGN, "design.yaml").design


def _with(*path: str | int) -> dict[str, Any]:
    """The document with null at a place; a list's element comes before the others."""
    document: Any = copy.deepcopy(WHOLE) | {"_id": "/".join(map(str, path))}
    inside = document
    for part in path[:-1]:
        inside = inside[part]
    if isinstance(inside, list):
        inside.insert(0, None)
    else:
        inside[path[-1]] = None
    return dict(document)


def test_nulls_are_found_and_unset(database: Database[dict[str, Any]]) -> None:
    """At the top, in a sub-document, for one and for an array, in elements and in elements of elements, and as an element."""
    nulls = {
        "title": ("title",),
        "at.city": ("at", "city"),
        "at": ("at",),
        "comments": ("comments",),
        "comments[].body": ("comments", 1, "body"),
        "comments[].votes": ("comments", 1, "votes"),
        "comments[].votes[].way": ("comments", 0, "votes", 1, "way"),
        "comments[].votes[]": ("comments", 0, "votes", 0),
        "tags[]": ("tags", 0),
    }
    database["post"].insert_many([WHOLE, *(_with(*path) for path in nulls.values())])
    design = _design()
    database["post"].update_many({}, {"$set": {"facts": None}})  # json null is a value
    taken = validator(design, design.stores[0], foreign=True)
    assert database["post"].count_documents({"$nor": [taken]}) == 2  # nulls among elements
    found = find_fields(database, null_fields(design))
    assert {each.path: each.example for each in found} == {
        name: "/".join(map(str, path)) for name, path in nulls.items()
    }
    for each in found:
        done = run_in(database, null_removal(each.steps).command("post"))
        assert done.modified_count == 1
    assert database["post"].count_documents({"$nor": [taken]}) == 0
    assert find_fields(database, null_fields(design)) == ()


def test_the_command_is_the_shells() -> None:
    """What a person pastes."""
    assert null_removal(("a", "b")).command("posts") == (
        'db.getCollection("posts").updateMany({"a.b": {$type: "null", $not: {$type: "array"}}}, {$unset: {"a.b": ""}})'
    )
    assert null_removal(("a", None, "b", None, "c")).command("posts") == (
        'db.getCollection("posts").updateMany({"a.b.c": {$type: "null"}, a: {$type: "array"}}, '
        '{$unset: {"a.$[e1].b.$[e2].c": ""}}, '
        '{arrayFilters: [{"e1.b": {$type: "array"}}, {"e2.c": {$type: "null", $not: {$type: "array"}}}]})'
    )
