"""How a notebook shows nouns: what their `_repr_html_` gives. Plain tables and sentences; style is the notebook's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from nestling.ir.printable import printable
from nestling.ir.quantity_words import cell, cut

if TYPE_CHECKING:
    from nestling.ir.design import Design
    from nestling.ir.facts import Facts
    from nestling.ir.finding import Finding
    from nestling.ir.proof import Proof
    from nestling.ir.proposal import Proposal
    from nestling.ir.reading import Reading

_CODE = re.compile(r"`([^`]+)`")


def table(caption: str, columns: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of text cells, a row a line; empty when there are no rows."""
    body = [f"<tr>{''.join(f'<td>{inline(text)}</td>' for text in row)}</tr>" for row in rows]
    if not body:
        return ""
    heads = "".join(f'<th scope="col">{inline(name)}</th>' for name in columns)
    return "\n".join(("<table>", f"<caption>{inline(caption)}</caption>", f"<tr>{heads}</tr>", *body, "</table>"))


def list_of(caption: str, texts: Iterable[str]) -> str:
    """Sentences below each other under a title; empty when there are none."""
    items = [f"<li>{inline(text)}</li>" for text in texts]
    return "\n".join((f"<p>{inline(caption)}:</p>", "<ul>", *items, "</ul>")) if items else ""


def paragraph(text: str) -> str:
    """A sentence of its own; empty when there is none."""
    return f"<p>{inline(text)}</p>" if text else ""


def plain(text: str) -> str:
    """Text as HTML, with what cannot be seen escaped."""
    return escape(printable(text, kept="\n"))


def inline(text: str) -> str:
    """Text as HTML; what stands in backticks as code."""
    return _CODE.sub(r"<code>\1</code>", plain(text))


def block(*parts: str) -> str:
    """Parts below each other, empty ones left out."""
    return "\n".join(("<div>", *(part for part in parts if part), "</div>"))


SHOWN_ROWS = 100
"""Rows of a result a notebook shows."""
SHOWN_CHARACTERS = 200
"""Of a value there."""


def result_html(
    columns: Sequence[str], rows: Sequence[Mapping[str, object]], affected: int | None, left: Sequence[str]
) -> str:
    """The first rows of a statement, and what a write did and left."""
    counted = f"{len(rows):,} {'row' if len(rows) == 1 else 'rows'}"
    caption = counted if len(rows) <= SHOWN_ROWS else f"{counted}, the first {SHOWN_ROWS}"
    cells = (tuple(_value(row[name]) for name in columns) for row in rows[:SHOWN_ROWS])
    said = [] if affected is None else [f"{affected:,} affected"]
    said += [caption] if affected is None and not rows else []
    said += [f"left to the sync: {', '.join(left)}"] if left else []
    return block(table(caption, columns, cells), f"<p>{inline('; '.join(said))}</p>" if said else "")


def _value(value: object) -> str:
    return "NULL" if value is None else cut(str(value), SHOWN_CHARACTERS)


def reading_html(reading: Reading) -> str:
    """The reading as HTML: entities, children per parent, statements, gaps and notes."""
    from nestling.ir.words.reading_rows import entity_rows, relationship_rows, statement_rows

    entities = ("entity", "rows", "bytes/row", "key", "attributes")
    relationships = ("relationship", "kind", "mean", "p95", "max", "without parent")
    return block(
        table(reading.model.name, entities, _cells(entity_rows(reading))),
        table("Children per parent", relationships, _cells(relationship_rows(reading))),
        table("Workload", ("statement", "rate", "kind", "entities"), _cells(statement_rows(reading))),
        table("Gaps", ("gap",), ((str(gap),) for gap in reading.gaps)),
        table("Notes", ("note",), ((note,) for note in reading.notes)),
    )


def _cells(rows: Iterable[Iterable[object]]) -> Iterator[tuple[str, ...]]:
    """The cells as a terminal shows them."""
    return (tuple(map(cell, row)) for row in rows)


def design_html(design: Design) -> str:
    """The collections with what they hold."""
    return block(_collections(design))


def _collections(design: Design) -> str:
    from nestling.ir.words.proposal_rows import besides_line, collection_rows

    columns = ("collection", "documents", "embeds", "indexes")
    shown, besides = table(f"Design of {design.model.name}", columns, collection_rows(design)), besides_line(design)
    return f"{shown}\n<p>{inline(besides)}</p>" if besides else shown


def proposal_html(proposal: Proposal) -> str:
    """The collections, the decisions, what is kept besides, and the cost."""
    from nestling.ir.words.proposal_rows import (
        KEPT_COLUMNS,
        cost_line,
        decision_rows,
        kept_rows,
        lacking_line,
        stays_line,
    )

    lacking = lacking_line(proposal)
    said = cost_line(proposal.costs, lacking=lacking) if proposal.costs is not None else lacking
    return block(
        _collections(proposal.design),
        table("Decisions", ("relationship", "choice", "because"), decision_rows(proposal)),
        table("Kept besides", KEPT_COLUMNS, kept_rows(proposal)),
        f"<p>{inline(stays)}</p>" if (stays := stays_line(proposal)) else "",
        f"<p>{inline(said)}</p>" if said else "",
    )


def findings_html(findings: Sequence[Finding]) -> str:
    """A row for each finding, or that there is none."""
    rows = [(str(each.severity), each.rule, each.place, each.message, each.remedy) for each in findings]
    found = table("Findings", ("severity", "rule", "where", "what", "remedy"), rows)
    return block(found or "<p>Nothing found.</p>")


def facts_html(facts: Facts) -> str:
    """The collections with their sizes, and what was not looked at."""
    from nestling.ir.quantity_words import size

    rows = (
        (
            each.namespace,
            f"{each.storage.documents:,}" if each.storage else "",
            size(each.storage.data_bytes) if each.storage else "",
            str(len(each.indexes)),
            f"{each.sample.documents:,}" if each.sample else "",
        )
        for each in facts.collections
    )
    columns = ("collection", "documents", "data", "indexes", "documents read")
    return block(
        table(f"MongoDB {facts.server.version}: {', '.join(facts.databases)}", columns, rows),
        list_of("Not looked at", (f"{each.what}: {each.why}" for each in facts.skipped)),
        paragraph(f"Looked at on {facts.taken}."),
    )


def proof_html(proof: Proof) -> str:
    """The designs, the fastest first, and the verdict."""
    from nestling.ir.quantity_words import size
    from nestling.ir.words.proof_words import labels, rate, ratio, spread, verdict

    names = labels(proof)
    rows = [
        (
            names[each.name] + (" (disqualified)" if each.disqualified else ""),
            rate(each.throughput) if each.throughput is not None else "",
            spread(each.interval),
            ratio(each, proof) if each.name != proof.advised else "1",
            size(each.space.disk_bytes) if each.space is not None else "",
        )
        for each in sorted(proof.designs, key=lambda each: -(each.throughput or 0.0))
    ]
    columns = ("design", "statements/s", "95 %", "times as long", "disk")
    return block(table("Rival designs, measured", columns, rows), f"<p>{inline(verdict(proof))}.</p>")
