"""Copies of children in their parent (B1): a short array of their ids and of the attributes that the parent's page shows.

The children keep their own collection and the id of their parent, so that both sides know each other (A11).
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import FirstChildren, Suggestion
from nestling.ir.model import Cardinality, Relationship
from nestling.ir.situation import Situation
from nestling.ir.workload import Access, Statement
from nestling.patterns.extended_reference import freshness_of

DOCUMENT_SHARE = 0.25
"""The share of a document's bound that copies of children may take."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each set of attributes of a parent's children that statements read, unless these are only ids."""
    for part, statements in shown_children(situation):
        if not part.is_bare(situation.model):
            link = situation.model.relationship(part.relationship)
            text = f"{link.child} ({', '.join(part.attributes)}) copied into {link.parent} by {link.name}"
            yield Suggestion(text, part, statements)


def shown_children(situation: Situation) -> Iterator[tuple[FirstChildren, tuple[str, ...]]]:
    """Yield the attributes that statements read of all children of a parent, and these statements."""
    motives: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses if not statement.kind.writes and statement.is_flat else ():
            for link in situation.parents[access.entity]:
                if _joins(statement, access, link) and _fits(situation, link) and _is_met_elsewhere(situation, link):
                    attributes = _shown(situation, access, link)
                    motives.setdefault((link.name, attributes), []).append(statement.name)
    for (name, attributes), statements in motives.items():
        freshness = freshness_of(situation, situation.model.relationship(name).child, "", name)
        yield FirstChildren(name, attributes, (), None, freshness), tuple(dict.fromkeys(statements))


def _joins(statement: Statement, access: Access, link: Relationship) -> bool:
    """Whether a parent is joined with all of its children, row by row."""
    if link.is_self or link.cardinality is Cardinality.ONE_TO_ONE or access.filters or access.aggregates:
        return False
    parent = any(each.entity == link.parent and each.via in (None, link.name) for each in statement.accesses)
    return parent and (access.via == link.name or any(a.via == link.name for a in statement.accesses))


def _is_met_elsewhere(situation: Situation, link: Relationship) -> bool:
    """Whether statements reach the children in another way than through their parent; otherwise embedding them is better."""
    return any(
        access.entity == link.child and access.via != link.name and not _joined(statement, link)
        for statement in situation.statements_of[link.child]
        for access in statement.accesses
    )


def _joined(statement: Statement, link: Relationship) -> bool:
    return any(access.via == link.name for access in statement.accesses)


def _fits(situation: Situation, link: Relationship) -> bool:
    """Whether every parent has few children, now and later, and a document has room for them."""
    fan_out, requirements = situation.fan_outs[link.name], situation.requirements
    most = fan_out.projected
    if most is None or fan_out.grows or situation.blobs[link.child] or not situation.model.entity(link.child).key:
        return False
    bound = requirements.array_bound if requirements.array_bound is not None else situation.thresholds.array_embed
    size = most * situation.row_bytes[link.child]
    return most <= bound and size <= requirements.document_bound_bytes * DOCUMENT_SHARE


def _shown(situation: Situation, access: Access, link: Relationship) -> tuple[str, ...]:
    """Return the child's key and the attributes that the statement reads, without the parent's id, in the model's order."""
    child = situation.model.entity(link.child)
    wanted = {*child.key, *access.attributes} - set(link.child_attributes)
    return tuple(name for name in child.attribute_names if name in wanted)
