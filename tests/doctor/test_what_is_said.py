"""What the doctor leaves unsaid because it does not matter, and what it says of mistakes in what it was given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.errors import InputError
from nestling.doctor import rule_names
from nestling.doctor.growth import growth_notes
from nestling.doctor.report import read_accepted, report, without_finding
from nestling.ir.finding import Finding
from nestling.ir.time_units import SECONDS_PER_DAY
from tests.doctor.looking import found, look, looked_before

Db = Database[dict[str, Any]]


def _asked(database: Db, name: str, pattern: str) -> list[Finding]:
    """What is found after the profiler has seen an application ask with a pattern that ignores case."""
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
    with client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(5):
            list(application[name].find({"_id": {"$regex": pattern, "$options": "i"}}))
        application.command("profile", 0)
    return [each for each in found(look(database)) if each.rule == "case-insensitive-regex"]


def test_a_small_collection_may_be_searched(database: Db) -> None:
    """Few keys are looked at: no finding."""
    database.small.insert_many({"_id": f"opt{n}"} for n in range(6))
    assert not _asked(database, "small", "opt")


@pytest.mark.parametrize(("pattern", "equality"), [("opt", False), ("^opt7$", True)])
def test_equality_is_no_advice_for_parts(database: Db, pattern: str, *, equality: bool) -> None:
    """A pattern that may match anywhere looks for a part of the text."""
    database.large.insert_many({"_id": f"opt{n}"} for n in range(500))
    (finding,) = _asked(database, "large", pattern)
    assert ("uery for equality" in finding.remedy) is equality
    assert bool(finding.commands) is equality


def test_unknown_rules_to_ignore_are_a_mistake() -> None:
    """The nearest name is told; a pattern of names that fits some is none."""
    with pytest.raises(InputError, match=r"no rule `dangling-refrence`; there is `dangling-reference`"):
        read_accepted('- {rule: dangling-refrence, where: "*", reason: r}', "i.yaml", rule_names())
    assert read_accepted('- {rule: "*-index", where: "*", reason: r}', "i.yaml", rule_names())


def test_what_is_ignored_in_vain_is_noted(database: Db) -> None:
    """An entry that fits no finding, of a rule that was asked."""
    database.things.insert_one({"a": 1})
    facts = look(database)
    text = '- {rule: no-validator, where: "*", reason: r}\n- {rule: no-validator, where: "mes.*", reason: r}'
    accepted = read_accepted(text, "i.yaml", rule_names())
    (note,) = without_finding(accepted, report(facts, found(facts), accepted))
    assert "no-validator at `mes.*`" in note


def test_minutes_say_nothing_of_growth(database: Db) -> None:
    """Facts that are half an hour older give no findings of growth, and a note; those of two hours do, in plain numbers."""
    database.things.insert_many({"log": [*range(30)]} for _ in range(5))
    before = look(database)
    database.things.update_many({}, {"$push": {"log": {"$each": [*range(10)]}}})
    facts = look(database)
    day = facts.taken[:11]
    later = replace(facts, taken=f"{day}12:00:00+00:00")
    young, old = (replace(before, taken=f"{day}{time}:00+00:00") for time in ("11:35", "10:00"))
    assert not [each for each in found(later, young) if each.rule == "growing-array"]
    (note,) = growth_notes(young, later)
    assert "25 minutes before" in note
    (finding,) = [each for each in found(later, old) if each.rule == "growing-array"]
    assert "from 30 to 40 in 2 hours" in finding.message
    assert "at 120 elements a day" in finding.cost
    assert not growth_notes(old, later)


@pytest.mark.parametrize(("then", "now", "is_told"), [(2, 8, True), (4, 5, True), (2, 4, False), (8, 8, False)])
def test_an_array_matters_by_what_it_has_become(database: Db, then: int, now: int, is_told: bool) -> None:
    """Below five elements growth does not matter; above, it does, however short the array was."""
    database.things.insert_many({"log": [*range(then)]} for _ in range(5))
    before = looked_before(database)
    database.things.update_many({}, {"$push": {"log": {"$each": [*range(now - then)]}}})
    told = [each for each in found(look(database), before) if each.rule == "growing-array"]
    assert bool(told) == is_told
    assert [each.number for each in told] == [pytest.approx(100 * (now - then) / then)] * is_told


@pytest.mark.parametrize(
    ("counted", "up", "days"),
    [(30, 30, 30), (30, 12, 12), (12, 30, 12), (30, 3, None), (3, 30, None), (30, None, 30)],
)
def test_uses_of_an_index_are_counted_since_the_server_started(
    database: Db, counted: float, up: float | None, days: float | None
) -> None:
    """An index that nobody has used for thirty days, of a server that has been up for three, is no finding yet."""
    database.things.insert_many({"a": n} for n in range(20))
    database.things.create_index("a")
    facts = look(database)
    uptime = None if up is None else up * SECONDS_PER_DAY
    facts = replace(
        facts,
        server=replace(facts.server, uptime_seconds=uptime),
        collections=tuple(
            replace(
                each, indexes=tuple(replace(index, since_seconds=counted * SECONDS_PER_DAY) for index in each.indexes)
            )
            for each in facts.collections
        ),
    )
    told = [each.number for each in found(facts) if each.rule == "unused-index"]
    assert told == ([] if days is None else [days])


@pytest.mark.thorough
def test_an_array_that_few_documents_have_is_told_of_these(database: Db) -> None:
    """How many have it, of how many; what a read carries is said of these alone."""
    long = [{"_id": n, "viewers": [*range(12_000)], "tags": []} for n in range(2)]
    database.products.insert_many([*long, *({"_id": n, "tags": []} for n in range(2, 300))])
    (finding,) = [each for each in found(look(database)) if each.rule == "unbounded-array"]
    assert (
        finding.message
        == "2 of 300 documents have up to 12,000 elements (half of these have 12,000, 99 % at most 12,000)"
    )
    assert finding.cost.startswith("each read or update of such a document carries ")


def test_documents_of_one_size_are_not_over_it(database: Db) -> None:
    """Where all are as large, a share of them is not larger."""
    database.things.insert_many({"_id": n, "a": "x" * 300_000} for n in range(4))
    (finding,) = [each for each in found(look(database)) if each.rule == "bloated-document"]
    assert "on average, the largest" in finding.message
    database.things.insert_many({"_id": n, "a": "x" * 200_000} for n in range(4, 90))
    database.things.insert_one({"_id": 99, "a": "x" * 900_000})
    (finding,) = [each for each in found(look(database)) if each.rule == "bloated-document"]
    assert "5 % have at least" in finding.message


def test_a_field_without_a_name_is_named(database: Db) -> None:
    """As an empty text in quotes."""
    database.things.insert_many({"_id": n, "": f"x{n}", "n": 1} for n in range(200))
    (finding,) = [each for each in found(look(database)) if each.rule == "no-validator"]
    assert 'First do what other findings propose for `""`:' in finding.remedy
