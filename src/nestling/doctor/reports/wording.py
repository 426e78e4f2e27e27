"""Findings in the words all reports use."""

from __future__ import annotations

from nestling.doctor.report import Report
from nestling.ir.facts import OUT_OF_TIME, Facts, NamespaceKind
from nestling.ir.facts.skipped import together
from nestling.ir.finding import Finding
from nestling.ir.quantity_words import count, counted, first_of, server_time, size

MILLISECONDS = 1_000
LEAST_MILLISECONDS = 0.001
SINGULAR = {"copies": "copy", "indexes": "index"}
"""The singular of units of thresholds that do not just lose their `s`."""


def measure(finding: Finding) -> str:
    """The number, the threshold and its source: `4,907 elements (threshold 200 elements: the sources’ …)`."""
    return f"{amount(finding.number, finding.unit)}{threshold(finding)}"


def threshold(finding: Finding) -> str:
    """The threshold that the number was compared with, and its source; empty if there is none."""
    if finding.threshold is None:
        return ""
    return f" (threshold {amount(finding.threshold, finding.unit.partition(' for ')[0])}: {finding.threshold_source})"


def cost(finding: Finding) -> str:
    """The cost and the time of one execution: the measured mean, else the estimate for the wasted work."""
    if finding.cost_seconds and finding.measured:
        return f"{finding.cost}, {server_time(finding.cost_seconds)} each time"
    if finding.cost_seconds is None or finding.cost_seconds * MILLISECONDS < LEAST_MILLISECONDS:
        return finding.cost
    return f"{finding.cost}: an estimated {finding.cost_seconds * MILLISECONDS:.2g} ms each time"


def verdict(report: Report) -> str:
    """The report in one sentence."""
    said = [counted(number, severity) for severity, number in report.counts().items() if number]
    found = ", ".join(said) or "nothing found"
    ignored = f"; {len(report.ignored)} set aside" if report.ignored else ""
    left = report.cut_short
    incomplete = f"; incomplete: {counted(left, 'question')} not answered for lack of time" if left else ""
    return f"{found}{ignored}{incomplete}"


def late(report: Report) -> str:
    """What there was no time for, in one line; empty if there was time for all."""
    names = [each.what for each in together(report.facts.skipped) if OUT_OF_TIME in each.why]
    return f"Not looked at for lack of time (--budget-seconds gives more): {first_of(names, 3)}." if names else ""


def subject(facts: Facts) -> str:
    """What the report examined."""
    looked_at = [each for each in facts.collections if each.kind is not NamespaceKind.SYSTEM]
    documents = sum(each.storage.documents for each in facts.collections if each.storage)
    bytes_ = sum(each.storage.data_bytes for each in facts.collections if each.storage)
    names = ", ".join(facts.databases)
    spaces = "1 collection" if len(looked_at) == 1 else f"{count(len(looked_at))} collections and views"
    return f"{names} on MongoDB {facts.server.version}: {spaces}, {counted(documents, 'document')}, {size(bytes_)}"


def amount(number: float, unit: str) -> str:
    """A number with its unit: `1 index`, `4,907 elements`, `16.8 MB`."""
    if unit == "bytes":
        return size(number)
    if unit in ("", "%"):
        return f"{count(number)} {unit}".strip()
    return f"{count(number)} {SINGULAR.get(unit, unit.removesuffix('s')) if number == 1 else unit}"
