"""The JSON report: findings, what was set aside and what was not looked at, and the facts in short."""

from __future__ import annotations

from nestling.doctor.report import Report
from nestling.ir.facts import CollectionFacts, Facts
from nestling.ir.finding import Finding


def json_value(report: Report) -> dict[str, object]:
    """The documented shape, as plain values."""
    return {
        "findings": [_finding(each) for each in report.findings],
        "ignored": [_finding(each.finding) | {"reason": each.reason} for each in report.ignored],
        "skipped": [{"what": each.what, "why": each.why} for each in report.facts.skipped],
        "facts": _facts(report.facts),
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "confidence": str(finding.confidence),
        "namespace": finding.namespace,
        "path": finding.path,
        "message": finding.message,
        "number": finding.number,
        "unit": finding.unit,
        "threshold": finding.threshold,
        "threshold_source": finding.threshold_source,
        "cost": finding.cost,
        "cost_seconds": finding.cost_seconds,
        "cost_measured": finding.measured,
        "remedy": finding.remedy,
        "commands": list(finding.commands),
        "evidence": dict(finding.evidence),
    }


def _facts(facts: Facts) -> dict[str, object]:
    return {
        "taken": facts.taken,
        "server": facts.server.version,
        "databases": list(facts.databases),
        "collections": {each.namespace: _collection(each) for each in facts.collections},
    }


def _collection(collection: CollectionFacts) -> dict[str, object]:
    storage, sample = collection.storage, collection.sample
    return {
        "kind": str(collection.kind),
        "documents": storage.documents if storage else None,
        "bytes": storage.data_bytes if storage else None,
        "index_bytes": storage.index_bytes if storage else None,
        "read": sample.documents if sample else 0,
        "sample": sample.method if sample else None,
        "paths": len(collection.paths),
    }
