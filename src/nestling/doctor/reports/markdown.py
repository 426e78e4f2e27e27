"""The Markdown report."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor import rule
from nestling.doctor.report import Report
from nestling.doctor.reports.wording import cost, late, measure, subject, verdict
from nestling.ir.facts.skipped import together
from nestling.ir.finding import Finding
from nestling.ir.printable import markdown_code, printable


def markdown(report: Report) -> str:
    """The report as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield from ("# What the doctor found", "", f"{subject(report.facts)}, {report.facts.taken}.", "")
    yield from (f"**{verdict(report)}**", "")
    if late(report):
        yield from (late(report), "")
    for finding in report.findings:
        yield from _section(finding)
    if report.ignored:
        yield from ("## Set aside", "")
        yield from (f"- `{each.finding.rule}` {_code(each.finding.place)}: {each.reason}" for each in report.ignored)
        yield ""
    if report.facts.skipped:
        yield from ("## Not looked at", "")
        yield from (f"- {_code(each.what)}: {each.why}" for each in together(report.facts.skipped))


def _section(finding: Finding) -> Iterator[str]:
    yield from (f"## {rule(finding.rule).title}: {_code(finding.place)}", "")
    yield from (f"{finding.severity}, {finding.confidence} (`{finding.rule}`): {finding.message}.", "")
    measured = measure(finding)
    yield from (f"- **Measured:** {measured}",) if measured else ()
    yield from (f"- **Cost:** {cost(finding)}", f"- **Remedy:** {finding.remedy}", "")
    if finding.commands:
        yield from ("```js", *finding.commands, "```", "")


def _code(text: str) -> str:
    """A text as code, whatever backticks it holds."""
    return markdown_code(printable(text))
