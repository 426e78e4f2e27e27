"""Keys for rows that are inserted: values no row has yet, or combinations of parents no row joins yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

from nestling.ir.bindings import Fresh
from nestling.ir.model import Cardinality, Entity, Model, Relationship
from nestling.ir.rows import RowColumn, RowQuery, RowSource
from nestling.ir.types import TypeName
from nestling.sources.draws.reservoir import reservoir

KEYS_APART = 10_000_000
"""Executions that several statements which insert rows of one entity may each have before their keys meet."""
_COUNTABLE = (
    TypeName.INTEGER,
    TypeName.TEXT,
    TypeName.UUID,
    TypeName.TIMESTAMP,
    TypeName.TIMESTAMPTZ,
    TypeName.ANY,
)
NO_ROWS = datetime(2030, 1, 1)  # noqa: DTZ001 - as timestamps are
"""The moment from which instants count if there are no rows."""
TRIES = 4
"""Combinations made for each one that is wanted: some exist already."""


def unique_groups(entity: Entity, given: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """The groups of attributes no two rows may share, of those that are given wholly."""
    for group in filter(None, (entity.key, *entity.uniques)):
        if given.issuperset(group):
            yield group


def counted(entity: Entity, model: Model, given: frozenset[str]) -> Iterator[str]:
    """The attributes that get new values, one for each unique group that has one that refers to nothing."""
    referring = {name for link in model.parents_of(entity.name) for name in link.child_attributes}
    found: set[str] = set()
    for group in unique_groups(entity, given):
        own = [n for n in group if n not in referring and entity.attribute(n).type.name in _COUNTABLE]
        if own and found.isdisjoint(group):
            found.add(own[-1])
            yield own[-1]


def fresh(parameter: str, entity: Entity, attribute: str, source: RowSource, place: int) -> Fresh:
    """Values of an attribute that no row has; `place`: of the statement, among those that need some."""
    match entity.attribute(attribute).type.name:
        case TypeName.TEXT | TypeName.ANY:
            return Fresh(parameter, f"n{place}-")
        case TypeName.UUID:
            return Fresh(parameter, UUID(int=(place + 1) << 64))
        case _:
            pass
    values = (row[0] for row in source.rows(RowQuery(entity.name, (RowColumn(attribute),))))
    if entity.attribute(attribute).type.name is TypeName.INTEGER:
        numbers = (value for value in values if isinstance(value, int))
        return Fresh(parameter, max(numbers, default=0) + 1 + place * KEYS_APART)
    last = max((value for value in values if isinstance(value, datetime)), default=NO_ROWS)
    return Fresh(parameter, last + timedelta(seconds=1 + place * KEYS_APART))


def combinations(
    entity: Entity, model: Model, group: tuple[str, ...], source: RowSource, *, count: int, chance: Random
) -> list[Mapping[str, object]]:
    """Values of a unique group that all refer to rows and that no row has, as many as are found, at most `count`."""
    links = [link for link in model.parents_of(entity.name) if set(link.child_attributes) & set(group)]
    parents = [_parents(link, group, source, count * TRIES, chance) for link in links]
    if not parents or not all(parents):
        return []
    made: dict[tuple[object, ...], Mapping[str, object]] = {}
    for _ in range(count * TRIES):
        row: dict[str, object] = {}
        for link, keys in zip(links, parents, strict=True):
            row |= dict(zip(link.child_attributes, chance.choice(keys), strict=True))
        if row.keys() >= set(group):
            made.setdefault(tuple(row[name] for name in group), row)
    for existing in source.rows(RowQuery(entity.name, tuple(map(RowColumn, group)))):
        made.pop(existing, None)
    return list(made.values())[:count]


def _parents(
    link: Relationship, group: tuple[str, ...], source: RowSource, count: int, chance: Random
) -> list[tuple[object, ...]]:
    """Keys of rows to refer to; of a 1:1, of those nothing refers to yet."""
    alone = (
        link.name if link.cardinality is Cardinality.ONE_TO_ONE and set(link.child_attributes) == set(group) else None
    )
    query = RowQuery(link.parent, tuple(map(RowColumn, link.parent_attributes)), without_children=alone)
    return reservoir(source.rows(query), count, chance)
