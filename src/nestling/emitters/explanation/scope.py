"""Selects the parts of a proposal that concern a name: decisions about it, or those in which a statement counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from nestling.common.errors import InputError, Problem, suggest, unknown
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import unweighed
from nestling.ir.indexes.unchecked_keys import unchecked
from nestling.ir.model import Model
from nestling.ir.proposal import Decision, Proposal, Reason, Weighed
from nestling.ir.statements.unconverted_gaps import is_about, statements_in

COMPARISON_RULE = "rule-5"
"""The rule whose reasons compare a design with its runner-up, statement by statement."""

_Scope = tuple[tuple[Decision, ...], tuple[Weighed, ...], tuple[PlannedIndex, ...]]


def scope(proposal: Proposal, name: str) -> _Scope:
    """Return the decisions, other structures and unconsidered indexes that concern a relationship, an entity or a statement.

    A relationship that is part of a many-to-many is explained by the decision on the many-to-many. Raises `InputError` for
    another name, and for a relationship or statement about which nothing is known.
    """
    model = proposal.design.model
    links = {*(link.name for link in model.relationships), *(link.name for link in model.many_to_many)}
    entities = [entity.name for entity in model.entities]
    statements = known_statements(proposal)
    decided = [decision.relationship for decision in proposal.decisions]
    if name in links:
        kind, found = "relationship", _following(proposal, {name, *_whole(model, name)}, {name, *_halves(model, name)})
    elif name in entities:
        kind, found = "entity", _following(proposal, _links_of(model, name), {name})
    elif name in statements:
        kind, found = "statement", _weighing(proposal, name)
    elif not proposal.priced:
        problem = unknown("relationship or entity", name, (*decided, *entities))
        move = "design with `--strategy optimal` to have statements explained: a design by rules weighs none"
        raise InputError(replace(problem, next_move=move))
    else:
        raise InputError(unknown("relationship, entity or statement", name, (*decided, *entities, *statements)))
    unique = any(unchecked(proposal.design, about_entities(model, name)))
    told = unique or any(is_about(gap, name) for gap in proposal.gaps) or name in proposal.priced or name in entities
    if not any(found) and not told:
        known = suggest(name, decided).replace("it has", "there is", 1) if decided else ""
        raise InputError(Problem(f"`{name}` is {_ARTICLES[kind]} that no decision is about", known=known))
    return found


_ARTICLES = {"relationship": "a relationship", "entity": "an entity", "statement": "a statement"}


def known_statements(proposal: Proposal) -> list[str]:
    """The statements that a design by cost was made for, and those that a design does not convert."""
    return list(dict.fromkeys((*proposal.priced, *(name for gap in proposal.gaps for name in statements_in(gap)))))


def undecided(proposal: Proposal, about: str | None) -> Iterator[str]:
    """The entities whose collection is the only decision: no relationship concerns them, or none was decided."""
    model = proposal.design.model
    decided = {decision.relationship for decision in proposal.decisions}
    for entity in model.entities:
        links = _links_of(model, entity.name)
        if (about is None and not links) or (about == entity.name and not links & decided):
            yield entity.name


def about_entities(model: Model, name: str) -> Iterator[str]:
    """The entities that a name refers to: itself, the child of a relationship, the junction of a many-to-many."""
    named = (entity.name for entity in model.entities if entity.name == name)
    children = (link.child for link in model.relationships if link.name == name)
    yield from dict.fromkeys((*named, *children, *(each.through for each in model.many_to_many if each.name == name)))


def _whole(model: Model, name: str) -> Iterable[str]:
    """The many-to-many a relationship is part of."""
    return (link.name for link in model.many_to_many if name in (link.left, link.right))


def _halves(model: Model, name: str) -> Iterable[str]:
    """The relationships a many-to-many is made of."""
    return (half for link in model.many_to_many if link.name == name for half in (link.left, link.right))


def _links_of(model: Model, entity: str) -> set[str]:
    mine = {link.name for link in model.relationships if entity in (link.parent, link.child)}
    return mine | {whole for name in mine for whole in _whole(model, name)}


def _following(proposal: Proposal, links: set[str], names: set[str]) -> _Scope:
    decisions = tuple(decision for decision in proposal.decisions if decision.relationship in links)
    built = tuple(index for index in unweighed(proposal.design) if index.about & names)
    return decisions, tuple(each for each in proposal.weighed if each.about in links), built


def _weighing(proposal: Proposal, statement: str) -> _Scope:
    """The scope of a statement as a reason; for one that is not converted, without mere comparisons of total costs."""
    is_lacking = any(is_about(gap, statement) for gap in proposal.gaps)

    def is_reason(reason: Reason) -> bool:
        return statement in reason.statements and not (is_lacking and reason.rule == COMPARISON_RULE)

    decisions = (each for each in proposal.decisions if any(map(is_reason, each.reasons)))
    weighed = (
        each
        for each in proposal.weighed
        if statement in (each.motives if is_lacking else (*each.motives, *each.statements))
    )
    return tuple(decisions), tuple(weighed), ()
