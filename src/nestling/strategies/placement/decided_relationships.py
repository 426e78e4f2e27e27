"""What is decided: every 1:1 and 1:N relationship that is not part of a many-to-many, and every many-to-many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.ir.model import ManyToMany, Relationship
from nestling.ir.proposal import Decision
from nestling.ir.situation.situation import Situation


def plain_links(situation: Situation) -> Iterator[Relationship]:
    """Relationships decided on by themselves, in model order."""
    return (link for link in situation.model.relationships if link.name not in situation.linked)


def sides(situation: Situation, link: ManyToMany) -> tuple[Relationship, ...]:
    """The relationships a many-to-many is made of: two, or one when both sides are the same."""
    names = dict.fromkeys((link.left, link.right))
    return tuple(situation.model.relationship(name) for name in names)


def subject_of(situation: Situation, link: Relationship) -> str:
    """The name a relationship is decided under."""
    both = situation.linked.get(link.name)
    return both.name if both is not None else link.name


def in_model_order(situation: Situation, decisions: Mapping[str, Decision]) -> tuple[Decision, ...]:
    """Decisions by name, relationships first and many-to-many after them, as the model lists them."""
    names = [link.name for link in plain_links(situation)] + [link.name for link in situation.model.many_to_many]
    return tuple(decisions[name] for name in names)


def has_payload(situation: Situation, link: ManyToMany) -> bool:
    """Whether a junction has attributes other than its key and its two foreign keys."""
    junction = situation.model.entity(link.through)
    joined = {attribute for side in sides(situation, link) for attribute in side.child_attributes}
    return bool(set(junction.attribute_names) - joined - set(junction.key))
