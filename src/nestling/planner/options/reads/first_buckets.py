"""The first rows of a series of buckets in an order, which are taken out of its first buckets alone."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.candidate import Bucketed
from nestling.ir.model import Entity
from nestling.ir.rows import AggregateKind
from nestling.ir.workload import Access, Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.sizes.matching import compared_equal
from nestling.planner.options.structures.buckets import indexed
from nestling.planner.reads.first_documents import MOST_FIRST_ROWS, is_ordered_alike


@dataclass(frozen=True, slots=True)
class FirstInOrder:
    """How many rows are asked for, which is how many buckets are read, and whether the index that finds events gives these."""

    rows: float
    by_index: bool


def first_in_order(modes: Modes, statement: Statement, access: Access, bucket: Bucketed) -> FirstInOrder | None:
    """The rows of one series with the greatest or least values, asked for alone; None where it is something else."""
    alone = len(statement.accesses) == 1 and compared_equal(access) == set(bucket.by)
    if bucket.native or not alone or {each.attribute for each in access.filters} != set(bucket.by):
        return None
    asked = _extreme(access) if access.aggregates else _limited(modes, statement, access)
    if asked is None or not _is_in_order(modes.situation.model.entity(access.entity), asked[0]):
        return None
    key = indexed(modes.situation, bucket)
    return FirstInOrder(asked[1], key[: len(bucket.by) + 1] == (*bucket.by, asked[0]))


def _limited(modes: Modes, statement: Statement, access: Access) -> tuple[str, float] | None:
    """The attribute rows are ordered by, and how many are asked for."""
    limit = statement.limit or 0
    plain = modes.sizes.facts_of(statement).as_found and access.grouping is None
    return (access.order[0][0], limit) if plain and 0 < limit <= MOST_FIRST_ROWS and len(access.sort) == 1 else None


def _extreme(access: Access) -> tuple[str, float] | None:
    """The attribute whose greatest or least value alone is asked for, which one row has."""
    ((function, attribute), *others) = access.aggregates
    is_extreme = function in (AggregateKind.MIN, AggregateKind.MAX) and not others and access.grouping is None
    return (attribute, 1.0) if is_extreme and attribute is not None else None


def _is_in_order(entity: Entity, name: str) -> bool:
    """Whether the server has all rows' values of an attribute in their order."""
    attribute = entity.attribute(name)
    return entity.always_has(name) and is_ordered_alike(attribute.type) and not attribute.is_of_several_types
