"""The HTML report: one file that needs nothing else, with findings that open."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from nestling.doctor import explanation, rule
from nestling.doctor.report import Report
from nestling.doctor.reports.wording import cost, measure, subject, verdict
from nestling.ir.facts import Collection
from nestling.ir.finding import Finding
from nestling.ir.quantity_words import count, size

STYLE = """
:root { color-scheme: light dark; --line: #8884; --error: #c62828; --warning: #b26a00; --info: #3a6ea5 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
details { border: 1px solid var(--line); border-left: 6px solid var(--info); border-radius: 4px }
details { margin: .5rem 0; padding: .4rem .8rem }
details.error { border-left-color: var(--error) } details.warning { border-left-color: var(--warning) }
summary { cursor: pointer } summary code { overflow-wrap: anywhere }
pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--line); border-radius: 4px }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
dt { font-weight: 600 } dd { margin: 0 0 .5rem 0 } .scroll { overflow-x: auto }
"""


def html(report: Report) -> str:
    """The report as a page."""
    body = "\n".join(_body(report))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    title = escape(", ".join(report.facts.databases))
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<title>nestling doctor: {title}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _body(report: Report) -> Iterator[str]:
    facts = report.facts
    yield f"<h1>What the doctor found</h1><p>{escape(subject(facts))}, {escape(facts.taken)}.</p>"
    yield f"<p><strong>{escape(verdict(report))}</strong></p>"
    yield from map(_finding, report.findings)
    if report.ignored:
        items = "".join(
            f"<li><code>{_text(each.finding.rule)} {_text(each.finding.place)}</code>: {_text(each.reason)}</li>"
            for each in report.ignored
        )
        yield f"<h2>Set aside</h2><ul>{items}</ul>"
    if facts.skipped:
        items = "".join(f"<li><code>{_text(each.what)}</code>: {_text(each.why)}</li>" for each in facts.skipped)
        yield f"<h2>Not looked at</h2><ul>{items}</ul>"
    yield _collections(facts.collections)


def _finding(finding: Finding) -> str:
    measured = measure(finding)
    parts = [("Measured", measured)] if measured else []
    parts += [("Cost", cost(finding)), ("Remedy", finding.remedy), ("Confidence", str(finding.confidence))]
    told = "".join(f"<dt>{name}</dt><dd>{_text(text)}</dd>" for name, text in parts)
    commands = f"<pre><code>{_text(chr(10).join(finding.commands))}</code></pre>" if finding.commands else ""
    why = "".join(f"<p>{_text(part)}</p>" for part in explanation(finding.rule).split("\n\n"))
    return (
        f'<details class="{finding.severity}"><summary><strong>{_text(rule(finding.rule).title)}</strong> '
        f"<code>{_text(finding.place)}</code> {_text(finding.message)}</summary><dl>{told}</dl>{commands}"
        f"<details><summary>About <code>{_text(finding.rule)}</code></summary>{why}</details></details>"
    )


def _collections(collections: tuple[Collection, ...]) -> str:
    names = ("collection", "kind", "documents", "data", "indexes", "read")
    head = "".join(f"<th{_number(place)}>{name}</th>" for place, name in enumerate(names))
    rows = "".join(f"<tr>{_cells(each)}</tr>" for each in collections)
    return f'<h2>What was looked at</h2><div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'


def _cells(collection: Collection) -> str:
    storage, sample = collection.storage, collection.sample
    read = f"{count(sample.documents)} ({sample.method})" if sample else ""
    sizes = [count(storage.documents), size(storage.data_bytes), size(storage.index_bytes)] if storage else [""] * 3
    cells = [collection.namespace, str(collection.kind), *sizes, read]
    return "".join(f"<td{_number(place)}>{_text(cell)}</td>" for place, cell in enumerate(cells))


def _number(place: int) -> str:
    return ' class="number"' if place > 1 else ""


def _text(text: str) -> str:
    """Text as HTML, with what cannot be seen escaped."""
    return escape("".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text))
