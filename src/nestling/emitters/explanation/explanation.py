"""Explains a proposal: each decision's costs, questions and rules, the seven factors, the alternatives, the flip points.

`explanation` returns values for a command line or a page, `explanation_text` lays them out for a terminal, `rules_page` is the
manual page of the rules, and `proposal_json` is the form for programs. All are pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.emitters.explanation.scope import about_entities, scope, undecided
from nestling.emitters.proposal_json import proposal_json
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import planned_indexes, unweighed
from nestling.ir.indexes.unchecked_keys import unchecked
from nestling.ir.model import ManyToMany, Model
from nestling.ir.primitives import CollectionKind
from nestling.ir.proposal import (
    CACHE_ASSUMED,
    Alternative,
    Choice,
    Costs,
    Decision,
    Flip,
    Proposal,
    Reason,
    Weighed,
)
from nestling.ir.rules import RULES, rule
from nestling.ir.statements.unconverted_gaps import in_short, is_about
from nestling.ir.storage.layout import Role, StoredCollection
from nestling.ir.words.proposal_rows import CHANGED_BY_HAND, lacking_line
from nestling.ir.words.purposes import purpose

__all__ = [
    "BuiltIndex",
    "Explained",
    "Explanation",
    "FactorLean",
    "Question",
    "StoredEntity",
    "explanation",
    "proposal_json",
    "rules_page",
]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its rule, the rule's title, the finding, and the number (None without one)."""

    rule: str
    title: str
    text: str
    number: float | None


@dataclass(frozen=True, slots=True)
class FactorLean:
    """One of the seven decision factors: `leans` is `embedding`, `referencing` or `neither`."""

    name: str
    leans: str
    evidence: str
    number: float | None


@dataclass(frozen=True, slots=True)
class Explained:
    """One decision.

    It says what the decision is about, the choice, the steps that led there, the factors, the alternatives and the flip points.
    """

    relationship: str
    subject: str
    choice: Choice
    patterns: tuple[str, ...]
    steps: tuple[Question, ...]
    factors: tuple[FactorLean, ...]
    alternatives: tuple[Alternative, ...]
    flips: tuple[Flip, ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """An index that is built although the design does not name it: `keys` as (path, 1 or -1), and its purposes."""

    collection: str
    keys: tuple[tuple[str, int], ...]
    unique: bool
    fields: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """How an entity without a decision is stored: its collection, the kind of that, and its indexes."""

    entity: str
    collection: str
    kind: str
    indexes: tuple[BuiltIndex, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The decisions of a proposal in order, the other structures considered, its cost, and what could not be taken into account.

    `about`: the requested name, empty for everything; `weighed` (chosen ones first) and `built_besides` (indexes that were not
    considered) are then restricted to it. `lacking`: the statements that the decision ignores. `stored`: the entities without a
    decision.
    """

    strategy: str
    decisions: tuple[Explained, ...]
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    weighed: tuple[Weighed, ...] = ()
    costs: Costs | None = None
    built_besides: tuple[BuiltIndex, ...] = ()
    about: str = ""
    lacking: str = ""
    stored: tuple[StoredEntity, ...] = ()

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        from nestling.emitters.explanation.html import explanation_html

        return explanation_html(self)


def explanation(proposal: Proposal, about: str | None = None) -> Explanation:
    """Explain every decision, or those about a relationship, an entity or a statement.

    Raises `InputError` that lists the possible names.
    """
    model, costs = proposal.design.model, proposal.costs
    if about is None:
        every = tuple(_explained(model, decision) for decision in proposal.decisions)
        gaps = tuple(str(in_short(gap)) for gap in proposal.gaps)
        built = _built(unweighed(proposal.design))
        lacks = lacking_line(proposal)
        stored = tuple(_stored(proposal, about))
        return Explanation(
            proposal.strategy,
            every,
            gaps,
            proposal.notes,
            proposal.weighed,
            costs,
            built,
            lacking=lacks,
            stored=stored,
        )
    decisions, weighed, indexes = scope(proposal, about)
    explained = tuple(_explained(model, decision) for decision in decisions)
    lacking = tuple(str(replace(gap, where=f"statement `{about}`")) for gap in proposal.gaps if is_about(gap, about))
    entities = tuple(about_entities(model, about))
    noted = (note for note in proposal.notes if _speaks_of(note, entities))
    notes = tuple(dict.fromkeys((*unchecked(proposal.design, entities), *noted)))
    stored, built = tuple(_stored(proposal, about)), _built(indexes)
    lacks = CHANGED_BY_HAND if proposal.is_changed else ""
    return Explanation(
        proposal.strategy, explained, lacking, notes, weighed, costs, built, about, lacking=lacks, stored=stored
    )


def _stored(proposal: Proposal, about: str | None) -> Iterator[StoredEntity]:
    """The homes of entities that no decision is about; the index on `_id` is the server's own."""
    design, planned = proposal.design, planned_indexes(proposal.design)
    for name in undecided(proposal, about):
        store = next(place.store for place in design.places[name] if place.store.role is Role.HOME)
        indexes = _built(each for each in planned if each.collection == store.name)
        yield StoredEntity(name, store.name, _kind(store), indexes)


def _kind(store: StoredCollection) -> str:
    """The kind of a collection, with the options that affect how the server stores it."""
    options = store.options
    if options.kind is not CollectionKind.TIME_SERIES:
        return purpose(store)
    told = [f"time: {options.time}"]
    told += [f"series by: {options.meta}"] if options.meta else []
    told += [f"granularity: {options.granularity}"] if options.granularity else []
    return f"{purpose(store)}, {', '.join(told)}"


def _built(indexes: Iterable[PlannedIndex]) -> tuple[BuiltIndex, ...]:
    return tuple(BuiltIndex(each.collection, each.keys, each.unique, each.fields, each.reasons) for each in indexes)


def _speaks_of(note: str, entities: Sequence[str]) -> bool:
    """Whether a note is about one of the entities, or about a cache too small for its rows."""
    begins = note.startswith(tuple(f"`{name}`: " for name in entities))
    return begins or (note.startswith(CACHE_ASSUMED) and any(f" of `{name}`" in note for name in entities))


def _explained(model: Model, decision: Decision) -> Explained:
    return Explained(
        decision.relationship,
        _subject(model, decision.relationship),
        decision.choice,
        decision.patterns,
        tuple(_step(reason) for reason in decision.reasons if reason.rule != "A7"),
        tuple(_factor(reason) for reason in decision.reasons if reason.rule == "A7"),
        decision.alternatives,
        decision.flips,
    )


def _subject(model: Model, name: str) -> str:
    both: ManyToMany | None = next((link for link in model.many_to_many if link.name == name), None)
    if both is not None:
        left, right = model.relationship(both.left).parent, model.relationship(both.right).parent
        return f"{left} N:M {right} through {both.through}"
    link = model.relationship(name)
    return f"{link.parent} {link.cardinality} {link.child}"


def _step(reason: Reason) -> Question:
    cited = rule(reason.rule)
    return Question(reason.rule, cited.title if cited is not None else "", reason.text, reason.number)


def _factor(reason: Reason) -> FactorLean:
    """Take a factor's sentence apart: "read pattern: leans to embedding – 90% of the reads …"."""
    name, _, rest = reason.text.partition(": ")
    side, _, evidence = rest.partition(" – ")
    return FactorLean(name, side.removeprefix("leans to "), evidence, reason.number)


def rules_page() -> str:
    """The manual page of the rules that explanations cite, in Markdown."""
    lines = ["# Rules cited in explanations", "", "| id | rule | says | source |", "|---|---|---|---|"]
    lines += [f"| `{each.id}` | {each.title} | {each.text} | {each.source} |" for each in RULES]
    return "\n".join(lines) + "\n"
