"""Statements that cost much, whatever their operators: what the profiler saw of them becomes findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.finding import Finding
from tests.doctor.looking import found, look, watched
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _seen(database: Db, ask: Callable[[Db], object], times: int = 25) -> list[Finding]:
    """What is found after the profiler has seen an application ask so many times."""
    watched(database, ask, times)
    return found(look(database))


def _lookup(*conditions: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    match = {"$expr": {"$and": list(conditions)} if len(conditions) > 1 else conditions[0], **more}
    body = {"from": "notes", "let": {"n": "$n"}, "pipeline": [{"$match": match}], "as": "notes"}
    return [{"$match": {"_id": 4}}, {"$lookup": body}]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "pipeline",
    [
        _lookup({"$eq": ["$thing", "$$n"]}),
        _lookup({"$eq": ["$$n", "$thing"]}),
        _lookup({"$gt": ["$text", "a"]}, {"$eq": ["$thing", "$$n"]}),
        _lookup({"$eq": ["$thing", "$$n"]}, text="x"),
    ],
)
def test_a_lookup_by_its_pipeline_wants_an_index(database: Db, pipeline: list[dict[str, Any]]) -> None:
    """What is compared with a variable is the foreign field; with the index that is advised nothing is found."""
    database.things.insert_many({"_id": n, "n": n} for n in range(300))
    database.notes.insert_many({"thing": n, "text": f"text {n}"} for n in range(300))
    findings = _seen(database, lambda asked: list(asked.things.aggregate(pipeline)))
    (finding,) = [each for each in findings if each.rule == "unindexed-lookup"]
    assert (finding.namespace, finding.path) == (f"{database.name}.notes", "thing")
    run(database.client, finding.commands[0])
    assert "unindexed-lookup" not in {each.rule for each in found(look(database))}


@pytest.mark.thorough
@pytest.mark.parametrize("indexed", ["text", "n"])
def test_a_lookup_that_has_an_index_on_another_condition_is_none(database: Db, indexed: str) -> None:
    """Any of the fields compared for equality finds the documents."""
    database.things.insert_many({"_id": n, "n": n} for n in range(300))
    database.notes.insert_many({"thing": n, "n": n, "text": f"text {n}"} for n in range(300))
    database.notes.create_index(indexed)
    pipeline = _lookup({"$eq": ["$thing", "$$n"]}, {"$eq": ["$n", "$$n"]}, text="x")
    findings = _seen(database, lambda asked: list(asked.things.aggregate(pipeline)))
    assert "unindexed-lookup" not in {each.rule for each in findings}


_SIZE = {"$function": {"body": "function(t) { return t.length }", "args": ["$title"], "lang": "js"}}
_MAP_REDUCE = {
    "mapReduce": "products",
    "map": "function() { emit(this.kind, 1) }",
    "reduce": "function(k, v) { return v.length }",
    "out": {"inline": 1},
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("ask", "script", "instead"),
    [
        (lambda asked: list(asked.products.find({"$where": "this.title.length > 99"})), "$where", "`$strLenCP`"),
        (
            lambda asked: list(asked.products.find({"$expr": {"$gt": [_SIZE, 99]}})),
            "$function",
            "the server's expressions",
        ),
        (lambda asked: asked.command(_MAP_REDUCE), "mapReduce", "`$group` and `$merge`"),
    ],
    ids=["where", "function", "mapReduce"],
)
def test_javascript_is_told_with_what_to_use_instead(
    database: Db, ask: Callable[[Db], object], script: str, instead: str
) -> None:
    """Whatever index there is: the server runs it for every document."""
    database.products.insert_many({"_id": n, "title": f"title {n}", "kind": n % 7} for n in range(2_000))
    (finding,) = [each for each in _seen(database, ask) if each.rule == "costly-statement"]
    assert finding.namespace == f"{database.name}.products"
    assert f"runs JavaScript (`{script}`)" in finding.message
    assert f"Instead of `{script}` use" in finding.remedy
    assert instead in finding.remedy


@pytest.mark.thorough
def test_a_scan_is_told_whatever_its_operators(database: Db) -> None:
    """Which no index would serve: an expression of two fields. One that an index serves is left to `missing-index`."""
    database.products.insert_many({"_id": n, "a": n, "b": 2 * n, "c": n % 50} for n in range(2_000))
    findings = _seen(database, lambda asked: list(asked.products.find({"$expr": {"$gt": ["$a", "$b"]}})))
    (finding,) = [each for each in findings if each.rule in ("costly-statement", "missing-index")]
    assert (finding.rule, finding.evidence[0]) == ("costly-statement", ("examined", 25 * 2_000))
    database.drop_collection("system.profile")
    findings = _seen(database, lambda asked: list(asked.products.find({"a": 7})))
    assert [each.rule for each in findings if each.rule in ("costly-statement", "missing-index")] == ["missing-index"]


def test_what_a_lookup_reads_is_not_the_outer_collections(database: Db) -> None:
    """150 users cannot be 6,000 documents: the join is told, with the time, and no index on users; with its index it is over."""
    database.users.insert_many({"_id": n, "tenant": n % 10} for n in range(150))
    database.orders.insert_many({"_id": n, "user": n % 150} for n in range(2_000))
    lookup = {"from": "orders", "localField": "_id", "foreignField": "user", "as": "orders"}
    pipeline: list[dict[str, Any]] = [{"$match": {"tenant": 3}}, {"$limit": 3}, {"$lookup": lookup}]
    findings = _seen(database, lambda asked: list(asked.users.aggregate(pipeline)))
    told = [each for each in findings if each.rule in ("missing-index", "costly-statement", "unindexed-lookup")]
    (finding,) = told
    assert (finding.rule, finding.index) == ("unindexed-lookup", (("user", 1),))
    assert "of server time in the capture" in finding.cost
    assert finding.measured
    run(database.client, finding.commands[0])
    told = [each for each in found(look(database)) if each.rule in ("missing-index", "costly-statement")]
    assert told == []


def test_a_scan_of_a_large_collection_is_its_own_whatever_it_joins(database: Db) -> None:
    """2,000 orders scanned for a few that are joined with 150 users by a field without an index."""
    database.users.insert_many({"_id": n, "no": n} for n in range(150))
    database.orders.insert_many({"_id": n, "user": n % 150, "code": n} for n in range(2_000))
    lookup = {"from": "users", "localField": "user", "foreignField": "no", "as": "users"}
    pipeline: list[dict[str, Any]] = [{"$match": {"code": 3}}, {"$lookup": lookup}]
    findings = _seen(database, lambda asked: list(asked.orders.aggregate(pipeline)))
    (finding,) = [each for each in findings if each.rule == "missing-index"]
    assert finding.index == (("code", 1),)


def test_commands_of_findings_are_no_statements(database: Db) -> None:
    """What the doctor proposes, run in a shell while the profiler is on, is not the application's, and needs no index."""
    database.things.insert_many({"_id": n, "st": str(n) if n % 9 == 0 else n} for n in range(3_000))
    (mixed,) = (each for each in found(look(database)) if each.rule == "mixed-types")
    commands = mixed.commands
    assert any("updateMany" in each for each in commands)

    def paste(asked: Db) -> None:
        for command in commands:
            run(asked.client, command)

    watched(database, paste, 1)
    assert not look(database).statements
