"""Attribute: similar attributes that few rows have become one list of names and values, with one index for all of them.

This replaces an index for each attribute, which would have an entry for every row, with or without a value. Reads extract the
value from the list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from nestling.ir.candidate import Paired, Suggestion
from nestling.ir.model import Entity
from nestling.ir.quantity_words import first_of
from nestling.ir.situation import Situation
from nestling.ir.storage.collations import by_expression
from nestling.ir.types import COMPOSITE, Type, TypeName
from nestling.ir.workload import Access, Operator, StatementKind

LEAST_ATTRIBUTES = 3
"""With fewer attributes that statements search for individually, no list is proposed."""
LEAST_MISSING = 0.25
"""Least share of rows without a value. If fewer rows lack it, an index on the field has an entry for most rows anyway."""

_UNFIT = COMPOSITE | {TypeName.BOOLEAN}


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each entity and type with at least three attributes that statements search for and many rows lack."""
    for entity in situation.model.entities:
        if not _is_written(situation, entity):
            continue
        by_type: dict[Type, dict[str, list[str]]] = defaultdict(dict)
        for name, statements in _asked(situation, entity).items():
            by_type[entity.attribute(name).type][name] = statements
        for found in by_type.values():
            if len(found) >= LEAST_ATTRIBUTES:
                names = tuple(name for name in entity.attribute_names if name in found)
                motives = tuple(dict.fromkeys(statement for name in names for statement in found[name]))
                shown = first_of(names, len(names) if len(names) <= LEAST_ATTRIBUTES else 1)
                text = f"{shown} of {entity.name} as a list of names and values"
                yield Suggestion(text, Paired(entity.name, names), motives)


def _is_written(situation: Situation, entity: Entity) -> bool:
    """Whether smaller indexes save anything: rows are inserted or deleted, or storage has a budget."""
    if situation.requirements.storage_budget_bytes is not None:
        return True
    kinds = (StatementKind.INSERT, StatementKind.DELETE)
    return any(access.kind in kinds for access in _accesses(situation, entity))


def _asked(situation: Situation, entity: Entity) -> dict[str, list[str]]:
    """Return the attributes that statements search for one at a time and only by equality, with these statements."""
    unfit = {
        *_fixed(situation, entity),
        *(name for access in _accesses(situation, entity) for name in _otherwise(access)),
    }
    found: dict[str, list[str]] = {}
    for statement in situation.statements_of[entity.name]:
        for access in statement.accesses:
            exact = {each.attribute for each in access.filters if each.operator.is_exact} - unfit
            if access.entity == entity.name and len(exact) == 1 and not set(entity.key) <= _filtered_attributes(access):
                found.setdefault(exact.pop(), []).append(statement.name)
    return found


def _fixed(situation: Situation, entity: Entity) -> Iterator[str]:
    """Yield attributes in keys, unique groups, joins or other collections, that cannot be indexed, or that most rows have."""
    yield from (name for name in entity.attribute_names if not _is_sparse(situation, entity, name))
    yield from entity.unique_attributes
    yield from situation.model.linked_attributes(entity.name)
    yield from situation.blobs[entity.name]
    yield from (name for archived, name, _ in situation.requirements.archive if archived == entity.name)
    yield from (each.name for each in entity.attributes if each.type.name in _UNFIT or by_expression(each))


def _otherwise(access: Access) -> Iterator[str]:
    """Yield attributes that an access compares by range, sorts, groups or aggregates."""
    yield from (each.attribute for each in access.filters if each.operator is Operator.RANGE)
    yield from (name for name, _ in access.order)
    yield from (name for _, name in access.aggregates if name is not None)
    if access.grouping is not None:
        yield from (name for name, _ in access.grouping.keys)
        yield from (name for _, name in access.grouping.aggregates if name is not None)


def _filtered_attributes(access: Access) -> set[str]:
    return {each.attribute for each in access.filters}


def _is_sparse(situation: Situation, entity: Entity, name: str) -> bool:
    """Whether many rows are known to lack the attribute."""
    share = situation.statistics.entity(entity.name).attribute(name).null_share
    return share is not None and share.value >= LEAST_MISSING


def _accesses(situation: Situation, entity: Entity) -> Iterator[Access]:
    for statement in situation.statements_of[entity.name]:
        yield from (access for access in statement.accesses if access.entity == entity.name)
