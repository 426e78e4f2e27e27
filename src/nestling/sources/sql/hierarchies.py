"""Supertypes and their subtypes: tables that share a table's primary key.

Two or more such tables form a hierarchy, unless they have rows of the same supertype's row: details such as an address
and a card, which are no kinds. A single one that is left is a plain 1:1, unless the supertype has a discriminator: an
attribute called type, kind or the like whose values in rows with a subtype row never occur in the others.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.model import Hierarchy
from nestling.sources.sql.row_sql import matching

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nestling.ir.model import Entity, Relationship
    from nestling.sources.sql.measure import Connected
    from nestling.sources.sql.row_sql import Tables

_TELLING = re.compile(r"(^|_|\b)(type|kind|class|category|discriminator|dtype)$|(Type|Kind|Class)$", re.IGNORECASE)
SUBTYPES = 2
"""How many tables must share a table's key before that is called a hierarchy; one alone is a plain 1:1."""
MOST_DISCRIMINATOR_VALUES = 50
"""Distinct values above which an attribute is not a discriminator."""
COMPARED_ROWS = 1_000
"""Rows of a table that are sought in another one to see whether both tell of the same rows."""


def find_hierarchies(tables: Tables, database: Connected) -> tuple[Hierarchy, ...]:
    """All hierarchies of the model."""
    model = tables.model
    by_name = {entity.name: entity for entity in model.entities}
    found = []
    for entity in model.entities:
        links = [link for link in model.children_of(entity.name) if is_subtype(link, by_name)]
        kinds = _disjoint(tables, database, links)
        if len(kinds) >= SUBTYPES or (kinds and _has_discriminator(tables, database, kinds[0])):
            found.append(Hierarchy(entity.name, entity.name, tuple(link.name for link in kinds)))
    return tuple(found)


def _disjoint(tables: Tables, database: Connected, links: Sequence[Relationship]) -> list[Relationship]:
    """The links of children no two of which have rows of the same parent; what meets most others is left out first."""
    kinds = list(links)
    meeting = [pair for pair in combinations(links, 2) if _meet(tables, database, *pair)]
    while meeting:
        ((details, _),) = Counter(link for pair in meeting for link in pair).most_common(1)
        kinds.remove(details)
        meeting = [pair for pair in meeting if details not in pair]
    return kinds


def _meet(tables: Tables, database: Connected, one: Relationship, other: Relationship) -> bool:
    """Whether a parent has rows of both children, as far as the first rows of one say."""
    keys = dict(zip(other.parent_attributes, other.child_attributes, strict=True))
    right = tables.table(other.child).alias("o")
    left = (
        sa.select(*(tables.table(one.child).c[name] for name in one.child_attributes)).limit(COMPARED_ROWS).alias("c")
    )
    on = matching(left, one.child_attributes, right, [keys[name] for name in one.parent_attributes])
    return bool(database.all(sa.select(sa.literal(1)).select_from(left).join(right, on).limit(1)))


def is_subtype(link: Relationship, entities: Mapping[str, Entity]) -> bool:
    """Whether the child's primary key is a foreign key to its parent's primary key."""
    parent, child = entities[link.parent], entities[link.child]
    same = set(link.parent_attributes) == set(parent.key) and set(link.child_attributes) == set(child.key)
    return same and not link.is_self and bool(child.key)


def _has_discriminator(tables: Tables, database: Connected, link: Relationship) -> bool:
    for attribute in filter(_TELLING.search, tables.model.entity(link.parent).attribute_names):
        here, elsewhere = (_values(tables, database, attribute, link, without=without) for without in (False, True))
        both = here | elsewhere
        if (
            here
            and elsewhere
            and here.isdisjoint(elsewhere)
            and None not in both
            and len(both) <= MOST_DISCRIMINATOR_VALUES
        ):
            return True
    return False


def _values(tables: Tables, database: Connected, attribute: str, link: Relationship, *, without: bool) -> set[Any]:
    """Values of the attribute in rows with a row in the subtype, or in those without one."""
    parent, child = tables.table(link.parent).alias("p"), tables.table(link.child).alias("c")
    on = matching(parent, link.parent_attributes, child, link.child_attributes)
    exists = sa.exists().select_from(child).where(on).correlate(parent)
    select = sa.select(parent.c[attribute]).distinct().select_from(parent).limit(MOST_DISCRIMINATOR_VALUES + 1)
    return {row[0] for row in database.all(select.where(~exists if without else exists))}
