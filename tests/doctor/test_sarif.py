"""The SARIF report is a log as the standard wants it, whatever was found."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from pymongo.database import Database

from nestling.doctor.report import Accepted, report
from nestling.doctor.reports import sarif
from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import found, look
from tests.doctor.sarif import LOG


@pytest.mark.parametrize("name", ["mixed-types", "unbounded-array", "dangling-reference", "redundant-index"])
def test_a_report_is_a_sarif_log(name: str, database: Database[dict[str, Any]]) -> None:
    """Every property is the standard's, of its type and from its closed sets; indexes point where they say; ids are unique."""
    clean(database)
    FAULTS[name].plant(database, True)
    facts = look(database)
    findings = found(facts, thresholds=FAULTS[name].thresholds)
    for accepted in ((), (Accepted(name, "*", "known"),)):
        log = json.loads(sarif(report(facts, findings, accepted), "1.0"))
        jsonschema.Draft202012Validator(LOG).validate(log)
        (run,) = log["runs"]
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
    from nestling.ir.facts import Facts, Server

    log = json.loads(sarif(report(Facts("2026-04-11T00:00:00+00:00", Server("8.0"), ("shop",)), ()), "1.0"))
    jsonschema.Draft202012Validator(LOG).validate(log)
    assert log["runs"][0]["results"] == []
