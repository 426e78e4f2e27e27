"""Why a proposal is as it is: each decision's questions, numbers and rules, the seven factors, and what was not chosen.

`explanation` gives values a command line or a page can lay out, `explanation_text` one plain layout of them and `rules_page`
the manual page of the rules; `proposal_json` is the same for programs. All are pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.common.errors import InputError, unknown
from nestling.emitters.proposal_json import proposal_json
from nestling.ir.model import ManyToMany, Model
from nestling.ir.proposal import Alternative, Choice, Decision, Proposal, Reason
from nestling.ir.rules import RULES, rule

__all__ = [
    "Explained",
    "Explanation",
    "Factor",
    "Step",
    "explanation",
    "explanation_text",
    "proposal_json",
    "rules_page",
]


@dataclass(frozen=True, slots=True)
class Step:
    """A question that was asked: the rule, what the rule is called, what was found, and the number (None without one)."""

    rule: str
    title: str
    text: str
    number: float | None


@dataclass(frozen=True, slots=True)
class Factor:
    """One of the seven decision factors: `leans` is `embedding`, `referencing` or `neither`."""

    name: str
    leans: str
    evidence: str
    number: float | None


@dataclass(frozen=True, slots=True)
class Explained:
    """One decision: what it is about in words, what was chosen, the steps there, the factors, and what else was possible."""

    relationship: str
    subject: str
    choice: Choice
    patterns: tuple[str, ...]
    steps: tuple[Step, ...]
    factors: tuple[Factor, ...]
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The decisions of a proposal, in its order, and what it could not take into account."""

    strategy: str
    decisions: tuple[Explained, ...]
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def explanation(proposal: Proposal, relationship: str | None = None) -> Explanation:
    """Explain every decision, or that on one relationship; raises `InputError` listing those there are.

    A relationship that is part of a many-to-many is explained by the decision on the many-to-many.
    """
    if relationship is None:
        found = proposal.decisions
        gaps, notes = tuple(map(str, proposal.gaps)), proposal.notes
    else:
        found, gaps, notes = (_decision_on(proposal, relationship),), (), ()
    return Explanation(proposal.strategy, tuple(_explained(proposal.design.model, d) for d in found), gaps, notes)


def _decision_on(proposal: Proposal, name: str) -> Decision:
    model = proposal.design.model
    both = next((link.name for link in model.many_to_many if name in (link.left, link.right)), name)
    decision = proposal.decision(name) or proposal.decision(both)
    if decision is None:
        raise InputError(unknown("relationship", name, (made.relationship for made in proposal.decisions)))
    return decision


def _explained(model: Model, decision: Decision) -> Explained:
    return Explained(
        decision.relationship,
        _subject(model, decision.relationship),
        decision.choice,
        decision.patterns,
        tuple(_step(reason) for reason in decision.reasons if reason.rule != "A7"),
        tuple(_factor(reason) for reason in decision.reasons if reason.rule == "A7"),
        decision.alternatives,
    )


def _subject(model: Model, name: str) -> str:
    both: ManyToMany | None = next((link for link in model.many_to_many if link.name == name), None)
    if both is not None:
        left, right = model.relationship(both.left).parent, model.relationship(both.right).parent
        return f"{left} N:M {right} through {both.through}"
    link = model.relationship(name)
    return f"{link.parent} {link.cardinality} {link.child}"


def _step(reason: Reason) -> Step:
    cited = rule(reason.rule)
    return Step(reason.rule, cited.title if cited is not None else "", reason.text, reason.number)


def _factor(reason: Reason) -> Factor:
    """Take a factor's sentence apart: "read pattern: leans to embedding – 90% of the reads …"."""
    name, _, rest = reason.text.partition(": ")
    side, _, evidence = rest.partition(" – ")
    return Factor(name, side.removeprefix("leans to "), evidence, reason.number)


# --- plain text ------------------------------------------------------------------------------------------------------


def explanation_text(explained: Explanation) -> str:
    """The explanation in plain lines, one block per decision."""
    blocks = ["\n".join(_lines(each)) for each in explained.decisions]
    for title, lines in (("Not taken into account", explained.gaps), ("Good to know", explained.notes)):
        if lines:
            blocks.append("\n".join((f"{title}:", *(f"  - {line}" for line in lines))))
    return "\n\n".join(blocks) + "\n"


def _lines(each: Explained) -> Iterator[str]:
    yield f"{each.relationship}: {each.choice} ({each.subject})"
    for step in each.steps:
        yield f"  {step.rule:<10}{step.text}{_number(step.number, step.text)}"
    if each.factors:
        yield "  factors (A7)"
    for factor in each.factors:
        yield f"    {factor.name:<15}{factor.leans:<13}{factor.evidence}"
    for other in each.alternatives:
        yield f"  not {other.choice}: {other.text}"


def _number(number: float | None, text: str) -> str:
    """The number in brackets, unless the sentence holds it already, as a count or as a share."""
    forms = [] if number is None else [f"{number:,.0f}", f"{number:.0%}", f"{number:.1%}", f"{number:,.3g}"]
    return "" if number is None or any(form in text for form in forms) else f" [{number:,.6g}]"


# --- the manual page -------------------------------------------------------------------------------------------------


def rules_page() -> str:
    """The manual page of the rules that explanations cite, in Markdown."""
    lines = ["# Rules cited in explanations", "", "| id | rule | says | source |", "|---|---|---|---|"]
    lines += [f"| `{each.id}` | {each.title} | {each.text} | {each.source} |" for each in RULES]
    return "\n".join(lines) + "\n"
