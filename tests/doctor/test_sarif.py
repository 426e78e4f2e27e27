"""The SARIF report fits the standard's own schema, whatever was found. Reports of every rule: tests/doctor/test_rules.py."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling.doctor.report import Accepted
from nestling.ir.facts import Facts, ServerFacts
from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import found, look
from tests.doctor.sarif import SARIF, valid_log


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["mixed-types", "unbounded-array", "dangling-reference", "redundant-index"])
def test_a_report_is_a_sarif_log(name: str, database: Database[dict[str, Any]]) -> None:
    """It fits the schema; indexes point where they say; ids are unique; what is set aside says so."""
    clean(database)
    FAULTS[name].plant(database, True)
    facts = look(database)
    findings = found(facts, thresholds=FAULTS[name].thresholds)
    assert name in {each.rule for each in findings}
    for accepted in ((), (Accepted(name, "*", "known"),)):
        (run,) = valid_log(facts, findings, accepted)["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert len(rules) == len(set(rules))
        assert [rules[result["ruleIndex"]] for result in run["results"]] == [
            result["ruleId"] for result in run["results"]
        ]
        assert all(
            ("suppressions" in result) == bool(accepted) for result in run["results"] if result["ruleId"] == name
        )


def test_a_log_without_findings_is_one() -> None:
    """No finding, no rule, and still a log."""
    facts = Facts("2026-04-11T00:00:00+00:00", ServerFacts("8.0"), ("shop",))
    assert valid_log(facts, ())["runs"][0]["results"] == []


def test_the_schema_refuses_what_is_no_log() -> None:
    """A level the standard does not have, a property it does not know and a run without its tool are told."""
    run = {"tool": {"driver": {"name": "doctor"}}, "results": [{"message": {"text": "it hurts"}, "level": "warning"}]}
    assert SARIF.is_valid({"version": "2.1.0", "runs": [run]})
    odd_level = run | {"results": [{"message": {"text": "it hurts"}, "level": "bad"}]}
    wrong = [odd_level, run | {"severity": 1}, {"results": []}]
    assert [SARIF.is_valid({"version": "2.1.0", "runs": [each]}) for each in wrong] == [False] * 3
