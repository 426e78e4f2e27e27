"""Findings in the words all reports use."""

from __future__ import annotations

from nestling.doctor.report import Report
from nestling.ir.facts import Facts
from nestling.ir.finding import Finding
from nestling.ir.quantity_words import count, size

MILLISECONDS = 1_000
LEAST_MILLISECONDS = 0.001


def measure(finding: Finding) -> str:
    """The number, the threshold and whose it is: `4,907 elements (over 200: the sources' …)`."""
    if finding.number is None:
        return ""
    number = _amount(finding.number, finding.unit)
    if finding.threshold is None:
        return number
    return f"{number} (threshold {_amount(finding.threshold, finding.unit)}: {finding.threshold_source})"


def cost(finding: Finding) -> str:
    """What it costs, and the time of the work done in vain where it has a price."""
    if finding.cost_seconds is None or finding.cost_seconds * MILLISECONDS < LEAST_MILLISECONDS:
        return finding.cost
    return f"{finding.cost}: about {finding.cost_seconds * MILLISECONDS:.2g} ms each time"


def verdict(report: Report) -> str:
    """The report in one sentence."""
    counts = report.counts()
    found = ", ".join(f"{number} {severity}" for severity, number in counts.items() if number) or "nothing found"
    ignored = f"; {len(report.ignored)} set aside" if report.ignored else ""
    return f"{found}{ignored}"


def subject(facts: Facts) -> str:
    """What was looked at."""
    documents = sum(each.storage.documents for each in facts.collections if each.storage)
    bytes_ = sum(each.storage.data_bytes for each in facts.collections if each.storage)
    names = ", ".join(facts.databases)
    return (
        f"{names} on MongoDB {facts.server.version}: {count(len(facts.collections))} collections and views, "
        f"{count(documents)} documents, {size(bytes_)}"
    )


def _amount(number: float, unit: str) -> str:
    if unit == "bytes":
        return size(number)
    return f"{count(number)} {unit}".strip() if unit != "%" else f"{count(number)} %"
