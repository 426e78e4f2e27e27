"""Each rule finds the fault planted for it, and only that; within its threshold it finds nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pymongo.database import Database

from nestling.doctor import explanation, rule_names
from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import found, look, looked_before, places
from tests.doctor.sarif import valid_log


def test_every_rule_has_a_fault() -> None:
    """No rule goes unplanted."""
    assert set(FAULTS) == set(rule_names())


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_planted_fault_is_found(name: str, database: Database[dict[str, Any]]) -> None:
    """Over the threshold the rule finds the fault where it is, and no other rule finds anything; its SARIF fits the schema."""
    fault = FAULTS[name]
    clean(database)
    fault.plant(database, True)
    earlier = looked_before(database) if fault.grow else None
    if fault.grow is not None:
        fault.grow(database, True)
    facts = look(database)
    findings = found(facts, earlier, fault.thresholds)
    assert (name, fault.collection, fault.path) in places(findings)
    assert {each.rule for each in findings} <= {name} | fault.also
    for each in findings:
        assert each.number > (each.threshold or 0), f"{each.rule}: its number is over the threshold it is compared with"
    finding = next(each for each in findings if each.rule == name)
    assert finding.cost
    assert finding.remedy
    assert valid_log(facts, findings)["runs"][0]["results"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_within_the_threshold_nothing_is_found(name: str, database: Database[dict[str, Any]]) -> None:
    """The same database without the fault, or with it just within its threshold, has no finding at all."""
    fault = FAULTS[name]
    clean(database)
    fault.plant(database, False)
    earlier = looked_before(database) if fault.grow else None
    thresholds = {} if name == "unused-index" else fault.thresholds
    findings = found(look(database), earlier, thresholds)
    assert not findings, [(each.rule, each.place, each.message) for each in findings]


@pytest.mark.parametrize("name", rule_names())
def test_a_rule_explains_itself(name: str) -> None:
    """The manual page says why, gives an example and a remedy, and when to ignore the rule."""
    text = explanation(name)
    assert [word for word in ("Why:", "Example:", "Remedy:", "Ignore when:") if f"\n{word}" not in text] == []


def test_unused_index_is_not_told_of_a_used_one(database: Database[dict[str, Any]]) -> None:
    """An index that a query has used is no finding, however short the time."""
    FAULTS["unused-index"].plant(database, False)
    assert not [
        each for each in found(look(database), thresholds={"unused-index.days": 0}) if each.rule == "unused-index"
    ]


def test_findings_are_json(database: Database[dict[str, Any]]) -> None:
    """Evidence and commands of all rules can be written."""
    FAULTS["mixed-types"].plant(database, True)
    findings = found(look(database))
    assert findings
    for finding in findings:
        json.dumps([dict(finding.evidence), finding.commands])
