"""Indexes for an `$or`: one for each branch, told as long as one is missing."""

from __future__ import annotations

from typing import Any

import pytest

from nestling.ir.finding import Finding
from tests.doctor.looking import Db, found, look, watched
from tests.doctor.shell import run


def _missing(database: Db) -> list[Finding]:
    return [each for each in found(look(database)) if each.rule == "missing-index"]


def _examined(database: Db, condition: dict[str, Any]) -> int:
    told = database.command("explain", {"find": "events", "filter": condition}, verbosity="executionStats")
    return int(told["executionStats"]["totalDocsExamined"])


def test_each_branch_of_an_or_gets_an_index(database: Db) -> None:
    """Each finding names the other index; with one of them the other is still told, with both the server reads one document."""
    database.events.insert_many({"_id": n, "no": n, "text": f"text {n}"} for n in range(2_000))
    asked = {"$or": [{"no": 7}, {"text": "text 7"}]}
    watched(database, lambda application: list(application.events.find(asked)))
    by_number, by_text = sorted(_missing(database), key=lambda each: each.index)
    assert (by_number.index, by_text.index) == ((("no", 1),), (("text", 1),))
    assert "each of its branches has one: create `{text: 1}` as well." in by_number.remedy
    run(database.client, by_number.commands[0])
    (left,) = _missing(database)
    assert (left.index, left.commands) == (by_text.index, by_text.commands)
    assert "the other branches have theirs" in left.remedy
    assert _examined(database, asked) == 2_000
    run(database.client, left.commands[0])
    assert _missing(database) == []
    assert _examined(database, asked) == 1


@pytest.mark.parametrize("indexed", [False, True])
def test_what_all_branches_have_in_common_joins_each_index(database: Db, indexed: bool) -> None:
    """A branch that has an index wants no other one."""
    database.events.insert_many({"_id": n, "kind": n % 4, "from": n % 200, "to": n % 150} for n in range(3_000))
    if indexed:
        database.events.create_index("from")
    asked = {"kind": 1, "$or": [{"from": 5}, {"to": 5}]}
    watched(database, lambda application: list(application.events.find(asked)))
    findings = _missing(database)
    wanted = [{field for field, _ in each.index} for each in findings]
    assert sorted(map(sorted, wanted)) == ([["kind", "to"]] if indexed else [["from", "kind"], ["kind", "to"]])
    for finding in findings:
        run(database.client, finding.commands[0])
    assert _missing(database) == []
    assert _examined(database, asked) <= 40


def test_an_or_that_no_index_serves_gets_none(database: Db) -> None:
    """A branch whose pattern may match anywhere reads everything, whatever index the other has."""
    database.events.insert_many({"_id": n, "no": n, "text": f"text {n}"} for n in range(2_000))
    asked = {"$or": [{"no": 7}, {"text": {"$regex": "ext 7$"}}]}
    watched(database, lambda application: list(application.events.find(asked)))
    assert _missing(database) == []
    assert "unanchored-pattern" in {each.rule for each in found(look(database))}
