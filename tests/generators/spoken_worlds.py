"""Worlds that statements are tried on: values SQL can write, ties and duplicates among them, extreme ones too.

SQLite's functions end a text at its first NUL and take undecodable bytes as they come: such texts are replaced here. What a store
makes of them is the round trip's business.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

from hypothesis import strategies as st

from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.rows import UndecodableText
from nestling.ir.types import Type, TypeName
from tests.generators.plain_worlds import plain
from tests.generators.worlds import PLACE, Row, World, worlds

SPOKEN = frozenset(
    {
        *(TypeName.INTEGER, TypeName.FLOAT, TypeName.TEXT, TypeName.DATE, TypeName.TIMESTAMP),
        *(TypeName.BOOLEAN, TypeName.ENUM),
    }
)
LARGEST = 1e300
"""Stands for an infinity: without one from another is NULL in SQLite and NaN in a compiled statement, which the documents say."""
RARE = (TypeName.UUID, TypeName.BYTES)
"""Much of what SQL does with them is a gap."""


@st.composite
def spoken_worlds(draw: st.DrawFn, *, entities: int = 4, rows: int = 8) -> World:
    """A world of plain values, or of every type's ordinary, extreme and odd ones; equal values are likely."""
    world = draw(worlds(entities=entities, rows=rows))
    if draw(st.integers(0, 2)) == 0:
        return _with_ties(draw, plain(world))
    rare = frozenset(name for name in RARE if draw(st.integers(0, 3)) == 3)
    world = spoken(world, SPOKEN | rare)
    return _with_ties(draw, world)


def is_small(world: World) -> bool:
    """Whether sums of its numbers lose nothing."""
    values = (value for rows in world.rows.values() for row in rows for value in row)
    return all(abs(value) < 1 << 40 for value in values if isinstance(value, int | float))


def spoken(world: World, kept: frozenset[TypeName]) -> World:
    """The same world with the types statements speak of; equal values stay equal, different ones different."""
    numbers: dict[str, int] = {}

    def said(value: object, kind: TypeName) -> object:
        if isinstance(value, Decimal):
            return float(value) if value.is_finite() else 0.5
        if isinstance(value, float) and math.isinf(value):
            return math.copysign(LARGEST, value)
        if kind is not TypeName.TEXT and not isinstance(value, UndecodableText):
            return value
        odd = isinstance(value, UndecodableText | list | dict | UUID) or (isinstance(value, str) and "\x00" in value)
        odd = odd or (isinstance(value, bytes) and TypeName.BYTES not in kept)
        return f"t{numbers.setdefault(repr(value), len(numbers))}" if odd else value

    rows = {
        entity.name: [
            tuple(said(value, _type(a, kept).name) for value, a in zip(row, entity.attributes, strict=True))
            for row in world.rows[entity.name]
        ]
        for entity in world.model.entities
    }
    entities = tuple(
        replace(e, attributes=tuple(replace(a, type=_type(a, kept)) for a in e.attributes))
        for e in world.model.entities
    )
    return World(replace(world.model, entities=entities), rows, world.loose)


def _type(attribute: Attribute, kept: frozenset[TypeName]) -> Type:
    name = attribute.type.name
    if name in kept:
        return attribute.type
    return Type(TypeName.FLOAT if name is TypeName.DECIMAL else TypeName.TEXT)


def _with_ties(draw: st.DrawFn, world: World) -> World:
    """The values of some attributes that are in no key again and again."""
    rows = {entity.name: _tied(draw, world.model, entity, world.rows[entity.name]) for entity in world.model.entities}
    return World(world.model, rows, world.loose)


def _tied(draw: st.DrawFn, model: Model, entity: Entity, rows: list[Row]) -> list[Row]:
    kept = {PLACE, *entity.key, *(name for unique in entity.uniques for name in unique)}
    kept |= {name for link in model.parents_of(entity.name) for name in link.child_attributes}
    kept |= {name for link in model.children_of(entity.name) for name in link.parent_attributes}
    found = [list(row) for row in rows]
    for place, name in enumerate(entity.attribute_names):
        if name not in kept and found and draw(st.booleans()):
            values = [row[place] for row in rows[: draw(st.integers(1, 3))]]
            for number, row in enumerate(found):
                row[place] = values[number % len(values)]
    return [tuple(row) for row in found]
