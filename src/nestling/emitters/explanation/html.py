"""An explanation as a notebook shows it: a heading for each decision, with its reasons, factors and alternatives."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.emitters.explanation.explanation import Explained, Explanation
from nestling.emitters.explanation.flip_words import flip_text
from nestling.emitters.explanation.weighed_words import kept_text, rejected_text
from nestling.ir.words.notebook import block, inline, table
from nestling.ir.words.proposal_rows import cost_line
from nestling.ir.words.statement_costs import COLUMNS, TITLE, statement_cost_rows


def explanation_html(explained: Explanation) -> str:
    """The decisions, and what was weighed besides."""
    parts = (
        [f"<p>{inline(cost_line(explained.costs, explained.about, explained.lacking))}</p>"]
        if explained.costs is not None
        else []
    )
    if not explained.about:
        parts.append(table(TITLE, COLUMNS, statement_cost_rows(explained.costs)))
    parts += [part for each in explained.decisions for part in _decision(each)]
    stored = [
        (each.entity, each.collection, each.kind, "; ".join(index.fields for index in each.indexes))
        for each in explained.stored
    ]
    parts.append(
        table("Collections no relationship is about", ("entity", "collection", "stored as", "indexes"), stored)
    )
    for title, chosen in (("Kept besides", True), ("Considered, not kept", False)):
        rows = [
            (each.structure, each.pattern, kept_text(each) if chosen else each.because)
            for each in explained.weighed
            if each.chosen is chosen
        ]
        parts.append(table(title, ("structure", "pattern", "without it" if chosen else "with it"), rows))
    built = [(each.collection, each.fields, "; ".join(each.reasons)) for each in explained.built_besides]
    parts.append(table("Indexes also built", ("collection", "on", "what for"), built))
    for title, lines in (("Not taken into account", explained.gaps), ("Good to know", explained.notes)):
        items = "".join(f"<li>{inline(line)}</li>" for line in lines)
        parts.append(f"<p>{title}</p><ul>{items}</ul>" if items else "")
    return block(*parts)


def _decision(each: Explained) -> Iterator[str]:
    yield f"<h4>{inline(each.relationship)}: {each.choice} ({inline(each.subject)})</h4>"
    steps = [(step.rule, step.text) for step in each.steps]
    turns = [("turns", flip_text(flip)) for flip in each.flips]
    others = [("rejected", rejected_text(other, each.choice)) for other in each.alternatives]
    yield table("Why", ("by", "found"), (*steps, *turns, *others))
    factors = ((factor.name, factor.leans, factor.evidence) for factor in each.factors)
    yield table("The seven factors", ("factor", "leans to", "evidence"), factors)
