"""A statement that has its index and scans all the same is told, with the reason; what was before the index is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from nestling.ir.facts import Facts
from nestling.ir.finding import Finding, Severity
from tests.doctor.looking import Db, found, look, watched


def _after(facts: Facts, hours: float) -> Facts:
    """The facts as if their statements had last been seen so many hours later than they were."""
    statements = []
    for each in facts.statements:
        assert each.last is not None
        time = datetime.fromisoformat(each.last.time) + timedelta(hours=hours)
        statements.append(replace(each, last=replace(each.last, time=time.isoformat())))
    return replace(facts, statements=tuple(statements))


def _told(facts: Facts) -> list[Finding]:
    return [each for each in found(facts) if each.rule in ("missing-index", "costly-statement")]


_PARTIAL = {"partialFilterExpression": {"name": {"$gt": "zz"}}}
_COLLATED = {"collation": {"locale": "en", "strength": 2}}


@pytest.mark.parametrize(
    ("ask", "options", "why"),
    [
        (lambda application: list(application.people.find({"name": "name 7"})), _PARTIAL, "`name_1` is partial"),
        (lambda application: list(application.people.find({"name": "name 7"})), _COLLATED, "exactly"),
        (lambda application: list(application.people.find({"name": None})), {"sparse": True}, "`name_1` is sparse"),
    ],
    ids=["partial", "collated", "sparse"],
)
def test_an_index_the_server_does_not_use_is_told(
    database: Db, ask: Callable[[Db], object], options: dict[str, Any], why: str
) -> None:
    """A partial index, one of another collation and a sparse one are there, and every document is read."""
    database.people.insert_many({"_id": n, "name": f"name {n}"} for n in range(2_000))
    database.people.create_index("name", **options)
    watched(database, ask)
    (finding,) = _told(_after(look(database), 1))
    assert (finding.rule, finding.severity) == ("costly-statement", Severity.WARNING)
    assert "last examined 2,000 documents in a collection scan to return" in finding.message
    assert "although `name_1` existed" in finding.message
    assert why in finding.remedy


def test_an_index_that_narrows_too_little_is_told(database: Db) -> None:
    """The server uses it, and filters nearly all away by what is in no index."""
    database.people.insert_many({"_id": n, "kind": n % 2, "a": n, "b": n + n % 700} for n in range(4_000))
    database.people.create_index("kind")
    asked = {"kind": 0, "$expr": {"$gt": [{"$subtract": ["$b", "$a"]}, 697]}}
    watched(database, lambda application: list(application.people.find(asked)))
    (finding,) = _told(_after(look(database), 1))
    assert "last examined 2,000 documents to return 5, although `kind_1` existed" in finding.message
    assert finding.remedy.startswith("The server used an index")


def test_what_was_seen_before_the_index_is_over(database: Db) -> None:
    """The scans of a statement end when its index is created, though the profiler still has them."""
    database.people.insert_many({"_id": n, "name": f"name {n}"} for n in range(2_000))
    watched(database, lambda application: list(application.people.find({"name": "name 7"})))
    assert [each.rule for each in _told(look(database))] == ["missing-index"]
    database.people.create_index("name")
    assert _told(look(database)) == []
