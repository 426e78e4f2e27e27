"""Supertypes and their subtypes: tables that share a table's primary key, and the attribute that tells which one a row is.

Two or more such tables make a hierarchy. One alone is a plain 1:1, unless the supertype has a discriminator: an attribute
called type, kind or the like whose values among rows with a subtype row never occur among the others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.model import Hierarchy
from nestling.sources.sql.row_sql import matching

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nestling.ir.model import Entity, Relationship
    from nestling.sources.sql.measure import Connected
    from nestling.sources.sql.row_sql import Tables

_TELLING = re.compile(r"(^|_|\b)(type|kind|class|category|discriminator|dtype)$|(Type|Kind|Class)$", re.IGNORECASE)
SUBTYPES = 2
"""How many tables must share a table's key before that is called a hierarchy; one alone is a plain 1:1."""
VALUES = 50
"""Distinct values above which an attribute is no discriminator."""


def find_hierarchies(tables: Tables, database: Connected) -> tuple[Hierarchy, ...]:
    """All hierarchies of the model, each with its discriminator where the data shows one."""
    model = tables.model
    by_name = {entity.name: entity for entity in model.entities}
    found = []
    for entity in model.entities:
        links = [link for link in model.children_of(entity.name) if is_subtype(link, by_name)]
        discriminator = next(_discriminators(tables, database, entity.name, links), None) if links else None
        if len(links) >= SUBTYPES or discriminator:
            found.append(Hierarchy(entity.name, entity.name, tuple(link.name for link in links), discriminator))
    return tuple(found)


def is_subtype(link: Relationship, entities: Mapping[str, Entity]) -> bool:
    """Whether the child's primary key is a foreign key to its parent's primary key."""
    parent, child = entities[link.parent], entities[link.child]
    same = set(link.parent_attributes) == set(parent.key) and set(link.child_attributes) == set(child.key)
    return same and not link.is_self and bool(child.key)


def _discriminators(tables: Tables, database: Connected, name: str, links: list[Relationship]) -> Iterator[str]:
    for attribute in tables.model.entity(name).attribute_names:
        if not _TELLING.search(attribute):
            continue
        groups = [_values(tables, database, attribute, [link]) for link in links]
        rest = _values(tables, database, attribute, links, without=True)
        groups = [group for group in (*groups, rest) if group]
        values = [value for group in groups for value in group]
        if len(groups) > 1 and None not in values and len(values) == len(set(values)) and len(values) <= VALUES:
            yield attribute


def _values(
    tables: Tables, database: Connected, attribute: str, links: list[Relationship], *, without: bool = False
) -> set[Any]:
    """Values of the attribute among rows with a row in the subtype, or among those in none of the subtypes."""
    parent = tables.table(links[0].parent).alias("p")
    select = sa.select(parent.c[attribute]).distinct().select_from(parent).limit(VALUES + 1)
    for link in links:
        child = tables.table(link.child).alias("c")
        on = matching(parent, link.parent_attributes, child, link.child_attributes)
        exists = sa.exists().select_from(child).where(on).correlate(parent)
        select = select.where(~exists if without else exists)
    return {row[0] for row in database.all(select)}
