"""What an index does for an access: how many rows it walks over, in which order, whether it holds all that is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from math import prod

from nestling.ir.candidate import AcrossKey, Indexed, IndexedAcross
from nestling.ir.indexes.indexable import is_array, leads
from nestling.ir.indexes.kept_uniques import may_have_index, with_values
from nestling.ir.model import Entity
from nestling.ir.statements.clause import Clause, ClauseOperator, imply
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import attributes_sought, begins_collated, by_expression
from nestling.ir.types import COMPARED_BY_PARTS
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement
from nestling.planner.options.sizes.sizes import Sizes


def compared_equal(access: Access) -> set[str]:
    """Attributes compared for equality."""
    return access.compared(Operator.EQUALITY)


def covers(statement: Statement, access: Access, index: Indexed, entity: Entity) -> bool:
    """Whether the index contains everything a statement uses of the only entity it reads."""
    held = {name: None for name, _ in index.keys}
    if access.asks_for_null:
        return False
    if begins_collated(map(entity.attribute, held)) or any(is_array(entity, name) for name in held):
        return False
    if any(by_expression(entity.attribute(each.attribute)) for each in access.filters):
        return False
    asked = {*access.attributes, *(each.attribute for each in access.filters)}
    return len(statement.accesses) == 1 and bool(asked) and not statement.kind.writes and asked <= held.keys()


def matched_rows(sizes: Sizes, access: Access, index: Indexed, *, alone: bool) -> tuple[float, bool] | None:
    """Rows the index walks over for an access, and whether they come in its order; None when it does not help.

    `alone`: the access's order is the statement's.
    """
    rows, position = sizes.rows_of(access.entity, index.rows), 0
    entity = sizes.situation.model.entity(access.entity)
    found = attributes_sought(entity, (each.attribute for each in access.filters))
    conditions = {each.attribute: each for each in access.filters if each.attribute in found}
    conditions |= {each.attribute: each for each in access.filters if each.operator is Operator.CONTAINS}
    for name, _ in index.keys:
        condition = conditions.get(name)
        if condition is None or not leads(entity, condition):
            break
        rows, position = rows * _share(sizes, access, condition, index), position + 1
    before = [name for name, _ in index.keys[:position]]
    if entity.is_superkey(set(before) & compared_equal(access)):
        rows = 1.0
    rest = index.keys[position:]
    ordered = alone and _in_order(entity, access, index, before, conditions)
    condition = conditions.get(rest[0][0]) if rest else None
    if condition is not None and condition.operator is Operator.RANGE:
        return max(rows * _share(sizes, access, condition, index), 1.0), ordered
    if position == 0 and not ordered:
        return None
    return max(rows, 1.0), ordered


def front_across(index: IndexedAcross, accesses: Mapping[str, Access]) -> tuple[AcrossKey, ...]:
    """What an index over rows and their parents begins with that the accesses to these compare for equality.

    The accesses are given by relationship, that to the rows themselves by "".
    """
    equal = {along: compared_equal(access) for along, access in accesses.items()}
    return tuple(takewhile(lambda key: key.attribute in equal[key.along], index.keys))


def rows_across(sizes: Sizes, accesses: Mapping[str, Access], fixed: Collection[tuple[str, str]]) -> float:
    """How many rows meet the conditions on these attributes, of theirs and of their parents'; at least one."""
    rows = sizes.rows(accesses[""].entity)
    for along, access in accesses.items():
        said = [each for each in access.filters if (each.attribute, along) in fixed]
        rows *= prod(sizes.share(access, each) for each in sizes.apart(access, said))
    return max(rows, 1.0)


def _share(sizes: Sizes, access: Access, condition: AttributeFilter, index: Indexed) -> float:
    """Of the rows in the index, the share a condition lets through."""
    known = [each for each in index.rows if each.name == condition.attribute]
    there = sizes.share_of(access.entity, known)
    return min(sizes.share(access, condition) / there, 1.0) if there > 0 else 1.0


def is_superseded(index: Indexed, entity: Entity) -> bool:
    """Whether it begins with the key of rows that have documents of their own: `_id` finds as much, and it is not built."""
    return entity.key == (index.keys[0][0],)


def serves(access: Access, index: Indexed) -> bool:
    """Whether all rows an access asks for are in an index: what is compared with a value is not NULL."""
    there = (Clause(each.attribute, ClauseOperator.PRESENT) for each in access.filters if each.operator.seeks)
    return imply((*access.constants, *there), index.rows)


def _in_order(
    entity: Entity, access: Access, index: Indexed, before: Sequence[str], conditions: Mapping[str, AttributeFilter]
) -> bool:
    """Whether the entries found come in the access's order, or the other way round; `before`: the keys that conditions name.

    One of which a list names several values has an order of its own, which the server leaves aside only where none is asked.
    """
    named = {name for name, _ in access.order}
    several = {name for name in before if conditions[name].operator is Operator.IN}
    fixed = {*before} - several if several & named else {*before}
    order = [(name, -1 if down else 1) for name, down in access.order if name not in fixed]
    found = [key for key in index.keys if key[0] not in fixed][: len(order)]
    if any(by_expression(entity.attribute(name)) or is_array(entity, name) for name, _ in order):
        return False
    return bool(order) and (order == found or order == [(name, -way) for name, way in found])


def unique_indexes(entity: Entity) -> Iterator[Indexed]:
    """The indexes a collection of the entity's own has to keep groups unique, over the rows that have all of a group."""
    for group in entity.other_uniques:
        yield Indexed(entity.name, tuple((name, 1) for name in group), with_values(entity, group))
    for unique in entity.partial_uniques:
        if may_have_index(entity, unique):
            rows = (*with_values(entity, unique.attributes), *(unique.clauses or ()))
            yield Indexed(entity.name, tuple((name, 1) for name in unique.attributes), rows)


def key_order(sizes: Sizes, access: Access) -> Indexed | None:
    """The index a collection has on `_id`, as one over the key's attributes; None where the entity has no key."""
    key = sizes.situation.model.entity(access.entity).key
    return Indexed(access.entity, tuple((name, 1) for name in key)) if key else None


def has_plain_order(entity: Entity, key: Indexed) -> bool:
    """Whether the order of a compound `_id` is that of its parts one after the other: of one that is not, it is its only part."""
    parts = [entity.attribute(name) for name, _ in key.keys]
    return len(parts) == 1 or all(
        each.collation is Collation.BINARY and each.type.name not in COMPARED_BY_PARTS for each in parts
    )
