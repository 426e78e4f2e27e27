"""SARIF 2.1.0, which code hosts show beside a change: a database has no lines, so places are logical locations."""

from __future__ import annotations

import json
from typing import Any

from nestling.doctor import explanation, rule
from nestling.doctor.report import Report
from nestling.ir.finding import Finding, Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif(report: Report, version: str) -> str:
    """The report as SARIF; `version` is nestling's."""
    found = [*report.findings, *(each.finding for each in report.ignored)]
    names = sorted({each.rule for each in found})
    reasons = {each.finding: each.reason for each in report.ignored}
    driver = {"name": "nestling doctor", "version": version, "rules": [_rule(name) for name in names]}
    results = [_result(each, names.index(each.rule), reasons.get(each)) for each in found]
    run = {"tool": {"driver": driver}, "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=True) + "\n"


def _rule(name: str) -> dict[str, Any]:
    title, _, rest = explanation(name).partition("\n\n")
    return {
        "id": name,
        "name": "".join(part.capitalize() for part in name.split("-")),
        "shortDescription": {"text": rule(name).title},
        "fullDescription": {"text": title},
        "help": {"text": rest, "markdown": rest},
        "defaultConfiguration": {"level": LEVELS[rule(name).severity]},
    }


def _result(finding: Finding, place: int, reason: str | None) -> dict[str, Any]:
    said = f"{finding.place}: {finding.message}. It costs: {finding.cost}. {finding.remedy}"
    location = {"fullyQualifiedName": finding.place, "name": finding.path or finding.namespace, "kind": "member"}
    numbers = {"number": finding.number, "unit": finding.unit, "threshold": finding.threshold}
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": place,
        "level": LEVELS[finding.severity],
        "message": {"text": said},
        "locations": [{"logicalLocations": [location]}],
        "partialFingerprints": {"place/v1": "|".join(finding.identity)},
        "properties": numbers
        | {"thresholdSource": finding.threshold_source, "confidence": str(finding.confidence)}
        | {"commands": list(finding.commands)},
    }
    if reason is not None:
        result["suppressions"] = [{"kind": "external", "justification": reason}]
    return result
