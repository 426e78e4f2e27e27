"""Which parent a child belongs to, when several could have it.

Preference, first difference deciding: (1) *identifying* – the foreign key is part of the child's key; (2) every child has the
parent; (3) deleting the parent deletes the child; (4) larger share of the child's reads come through the parent; (5) the child
is named after the parent (`invoice_line`); (6) smaller fan-out; (7) the parent has parents itself, so it is more than a lookup;
(8) the relationship's name. A parent that is only *mentioned*
owns nothing: one that the same child refers to twice (creator and changer), or one that dozens of relationships refer to,
unless (1) or (3) says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping

from nestling.common.words_in_names import singular, singular_words, words
from nestling.ir.model import Cardinality, OnDelete, Relationship
from nestling.ir.situation.situation import Situation

Preference = tuple[bool, bool, bool, float, bool, float, bool, str]


def is_identifying(situation: Situation, link: Relationship) -> bool:
    """Whether the child is identified by its parent: the foreign key is part of (or all of) its key."""
    key = situation.model.entity(link.child).key
    return bool(key) and set(link.child_attributes) <= set(key)


def is_named_after(link: Relationship) -> bool:
    """Whether the child's name begins with its parent's, in the singular too: `Order Details` of `Orders`.

    A name of several words begins with whole ones: `blog_tagging` is not named after `blog_tag`. One of a single word may have
    its words glued together: `orderline` of `order`.
    """
    parent, child = words(link.parent), words(link.child)
    if len(child) == 1:
        glued = "".join(singular_words(parent))
        return len(child[0]) > len(glued) > 0 and child[0].startswith(glued) and child != parent
    begins = [*map(singular, child[: len(parent)])] == [*map(singular, parent)]
    return begins and len(child) > len(parent) > 0


def preference(situation: Situation, link: Relationship) -> Preference:
    """Sort key: the owner comes first."""
    footprint = situation.footprints[link.name]
    return (
        not is_identifying(situation, link),
        situation.lacking_share(link) != 0,
        link.on_delete is not OnDelete.CASCADE,
        -(footprint.with_parent / footprint.reads if footprint.reads else 0.0),
        not is_named_after(link),
        situation.fan_outs[link.name].largest or float("inf"),
        all(up.is_self or bool(mentioned_only(situation, up)) for up in situation.parents[link.parent]),
        link.name,
    )


def mentioned_only(situation: Situation, link: Relationship) -> str:
    """Why the parent does not own the child; "" if it may."""
    if link.name in situation.linked:
        return ""
    rivals = [other for other in situation.parents[link.child] if other.parent == link.parent]
    if len(rivals) > 1 and not (is_identifying(situation, link) and _lone_identifier(situation, link, rivals)):
        return f"`{link.child}` refers to `{link.parent}` {len(rivals)} times, so it only mentions it and is not owned by it"
    number = len(situation.children[link.parent])
    owns = is_identifying(situation, link) or link.on_delete is OnDelete.CASCADE
    owns = owns or link.cardinality is Cardinality.ONE_TO_ONE
    if number >= situation.thresholds.hub_relationships and not owns:
        return f"{number} relationships refer to `{link.parent}`; it owns only what its key identifies or what is deleted with it"
    return ""


def _lone_identifier(situation: Situation, link: Relationship, rivals: list[Relationship]) -> bool:
    return not any(other is not link and is_identifying(situation, other) for other in rivals)


def owners(situation: Situation) -> Mapping[str, Relationship]:
    """Map each child entity that has one to the relationship that best owns it."""
    found = {}
    for entity, links in situation.parents.items():
        able = [link for link in links if not link.is_self and not mentioned_only(situation, link)]
        if able:
            found[entity] = min(able, key=lambda link: preference(situation, link))
    return found


def references_from_elsewhere(
    situation: Situation, entity: str, owned_by: Mapping[str, Relationship]
) -> tuple[str, ...]:
    """Entities that belong elsewhere and refer to `entity`: to them it must be there on its own."""
    links = situation.children[entity]
    return tuple(sorted({link.child for link in links if not link.is_self and owned_by.get(link.child) is not link}))


def other_parents(situation: Situation, link: Relationship) -> tuple[str, ...]:
    """The entities that the child belongs to in addition to this parent; for a tree, itself."""
    return tuple(dict.fromkeys(up.parent for up in situation.parents[link.child] if up is not link))


def own_children(situation: Situation, entity: str, owned_by: Mapping[str, Relationship]) -> tuple[str, ...]:
    """The entities many of whose rows one row of `entity` owns."""
    links = (link for link in situation.children[entity] if link.cardinality is not Cardinality.ONE_TO_ONE)
    return tuple(sorted(link.child for link in links if owned_by.get(link.child) is link))
