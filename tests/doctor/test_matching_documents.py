"""An index for what counts and groups is told where few documents match, and not where most do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from nestling.ir.facts import Facts
from nestling.ir.finding import Confidence, Finding
from tests.doctor.looking import Db, found, look, watched

Ask = Callable[[Db, str], Any]


def _group(application: Db, status: str) -> Any:
    return list(application.payments.aggregate([{"$match": {"status": status}}, {"$group": {"_id": "$tenant"}}]))


def _count(application: Db, status: str) -> Any:
    return application.command("count", "payments", query={"status": status})


def _distinct(application: Db, status: str) -> Any:
    return application.payments.distinct("tenant", {"status": status})


def _paid(database: Db) -> None:
    """Payments of which nine in ten are paid."""
    rows = ({"_id": n, "status": "paid" if n % 10 else f"open {n % 3}", "tenant": n % 5} for n in range(4_000))
    database.payments.insert_many(rows)


def _missing(facts: Facts) -> list[Finding]:
    return [each for each in found(facts) if each.rule == "missing-index"]


def test_a_count_reads_its_index_alone(database: Db) -> None:
    """It gains where a third matches, though a group of another field does not."""
    database.payments.insert_many({"_id": n, "status": f"status {n % 3}", "tenant": n % 5} for n in range(4_000))
    watched(database, lambda application: _group(application, "status 1"))
    assert _missing(look(database)) == []
    database.drop_collection("system.profile")
    watched(database, lambda application: application.payments.count_documents({"status": "status 1"}))
    (finding,) = _missing(look(database))
    assert (finding.index, finding.unit, finding.number) == ((("status", 1),), "documents", 4_000)
    assert "an answer from about 3" in finding.message


@pytest.mark.parametrize("ask", [_group, _count, _distinct])
def test_the_value_asked_for_tells(database: Db, ask: Ask) -> None:
    """Of nine in ten documents no index is told; of a thirtieth it is, as likely, with the share."""
    _paid(database)
    watched(database, lambda application: ask(application, "paid"))
    assert _missing(look(database)) == []
    database.drop_collection("system.profile")
    watched(database, lambda application: ask(application, "open 1"))
    (finding,) = _missing(look(database))
    assert finding.index == (("status", 1),)
    assert finding.confidence is Confidence.LIKELY
    assert re.search(r"4,000 documents to compute an answer from about [2-5] % of payments", finding.message)


def test_where_no_value_is_known_the_number_of_values_tells(database: Db) -> None:
    """Four statuses let a quarter through in the mean, which is no reason; 200 shops are, and possible."""
    _paid(database)
    database.payments.update_many({}, [{"$set": {"shop": {"$mod": ["$_id", 200]}}}])
    pipeline: list[dict[str, Any]] = [{"$match": {"shop": 3}}, {"$group": {"_id": "$tenant"}}]
    watched(
        database, lambda application: (_group(application, "open 1"), list(application.payments.aggregate(pipeline)))
    )
    facts = look(database)
    facts = replace(facts, statements=tuple(replace(each, matched=None) for each in facts.statements))
    (finding,) = _missing(facts)
    assert (finding.index, finding.confidence) == ((("shop", 1),), Confidence.POSSIBLE)


def test_the_documents_say_no_values(database: Db) -> None:
    """What is kept of the conditions that were asked again is a share."""
    _paid(database)
    watched(database, lambda application: _group(application, "open 1"))
    (statement,) = look(database).statements
    assert statement.matched == pytest.approx(0.03, abs=0.02)
    assert "open 1" not in str(statement)
