"""The HTML report: one file that needs nothing else, with findings that open."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor import explanation, rule
from nestling.doctor.report import Report
from nestling.doctor.reports.wording import cost, late, measure, subject, verdict
from nestling.ir.facts import CollectionFacts
from nestling.ir.facts.skipped import together
from nestling.ir.finding import Finding
from nestling.ir.quantity_words import count, size
from nestling.ir.words.notebook import inline, plain

STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #8881; --error: #c62828; --warning: #b26a00; --info: #3a6ea5 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { line-height: 1.2 } code { font-size: .92em; overflow-wrap: anywhere }
.finding { border: 1px solid var(--line); border-left: 6px solid var(--kind); border-radius: 4px }
.finding { margin: .5rem 0; padding: .4rem .8rem }
.error { --kind: var(--error) } .warning { --kind: var(--warning) } .info { --kind: var(--info) }
summary { cursor: pointer } .finding > summary > div { padding-left: 1.1rem }
.severity { color: var(--kind); font-size: .85em; margin-left: .4rem }
.about { margin: .6rem 0 .3rem } .about p { margin: .5rem 0 .5rem 1.1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .6rem; border-radius: 4px; background: var(--quiet) }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .8rem 0 }
dt { font-weight: 600 } dd { margin: 0 } .scroll { overflow-x: auto }
@media (max-width: 40rem) { dl { display: block } dd { margin-bottom: .5rem } }
"""


def html(report: Report) -> str:
    """The report as a page."""
    body = "\n".join(_body(report))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    title = plain(", ".join(report.facts.databases))
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<title>nestling doctor: {title}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _body(report: Report) -> Iterator[str]:
    facts = report.facts
    yield f"<h1>What the doctor found</h1><p>{plain(subject(facts))}, {plain(_moment(facts.taken))}.</p>"
    yield f"<p><strong>{plain(verdict(report))}</strong></p>"
    if late(report):
        yield f"<p>{plain(late(report))}</p>"
    yield from map(_finding, report.findings)
    if report.ignored:
        items = "".join(
            f"<li><code>{plain(each.finding.rule)} {plain(each.finding.place)}</code>: {plain(each.reason)}</li>"
            for each in report.ignored
        )
        yield f"<h2>Set aside</h2><ul>{items}</ul>"
    if facts.skipped:
        items = "".join(
            f"<li><code>{plain(each.what)}</code>: {plain(each.why)}</li>" for each in together(facts.skipped)
        )
        yield f"<h2>Not looked at</h2><ul>{items}</ul>"
    yield _collections(facts.collections)


def _finding(finding: Finding) -> str:
    measured = measure(finding)
    parts = [("Measured", measured)] if measured else []
    parts += [("Cost", cost(finding)), ("Remedy", finding.remedy), ("Confidence", str(finding.confidence))]
    told = "".join(f"<dt>{name}</dt><dd>{inline(text)}</dd>" for name, text in parts)
    commands = f"<pre><code>{plain(chr(10).join(finding.commands))}</code></pre>" if finding.commands else ""
    why = "".join(f"<p>{inline(part)}</p>" for part in explanation(finding.rule).split("\n\n"))
    return (
        f'<details class="finding {finding.severity}"><summary><strong>{plain(rule(finding.rule).title)}</strong>'
        f'<span class="severity">{finding.severity}</span>'
        f"<div><code>{plain(finding.place)}</code></div><div>{inline(finding.message)}</div></summary>"
        f'<dl>{told}</dl>{commands}<details class="about"><summary>About <code>{plain(finding.rule)}</code></summary>'
        f"{why}</details></details>"
    )


def _collections(collections: tuple[CollectionFacts, ...]) -> str:
    names = ("collection", "kind", "documents", "data", "indexes", "read")
    head = "".join(f"<th{_number(place)}>{name}</th>" for place, name in enumerate(names))
    rows = "".join(f"<tr>{_cells(each)}</tr>" for each in collections)
    return f'<h2>What was looked at</h2><div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'


def _cells(collection: CollectionFacts) -> str:
    storage, sample = collection.storage, collection.sample
    read = f"{count(sample.documents)} ({sample.method})" if sample else ""
    sizes = [count(storage.documents), size(storage.data_bytes), size(storage.index_bytes)] if storage else [""] * 3
    cells = [collection.namespace, str(collection.kind), *sizes, read]
    return "".join(f"<td{_number(place)}>{plain(cell)}</td>" for place, cell in enumerate(cells))


def _number(place: int) -> str:
    return ' class="number"' if place > 1 else ""


def _moment(taken: str) -> str:
    """A moment as people read it, to the minute: 2026-04-11 09:30 UTC."""
    return f"{taken[:16].replace('T', ' ')} UTC"
