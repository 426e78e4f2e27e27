"""Worlds whose values any statement can write: numbers, short texts, dates and UUIDs, told apart as the drawn ones are."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, datetime, timedelta
from uuid import UUID

from nestling.ir.model import Attribute
from nestling.ir.types import Type, TypeName
from tests.generators.worlds import World

KEPT = (TypeName.INTEGER, TypeName.FLOAT, TypeName.DATE, TypeName.UUID)
SMALL = 1 << 31


def plain(world: World) -> World:
    """The same world with plain types and values; equal values stay equal, different ones different."""
    numbers: dict[str, int] = {}

    def plainly(value: object, kind: TypeName) -> object:
        if value is None:
            return None
        number = numbers.setdefault(f"{type(value).__name__} {value!r}", len(numbers))
        match kind:
            case TypeName.INTEGER:
                small = isinstance(value, int) and not isinstance(value, bool) and abs(value) < SMALL
                return value if small else SMALL + number
            case TypeName.FLOAT:
                usual = isinstance(value, float) and math.isfinite(value) and abs(value) < SMALL
                return round(value, 3) if usual and isinstance(value, float) else number + 0.5
            case TypeName.DATE:
                usual = isinstance(value, date) and not isinstance(value, datetime)
                return value if usual else date(2020, 1, 1) + timedelta(days=number)
            case TypeName.UUID:
                return value if isinstance(value, UUID) else UUID(int=number)
            case _:
                return f"t{number}"

    rows = {
        entity.name: [
            tuple(plainly(value, _kind(a)) for value, a in zip(row, entity.attributes, strict=True))
            for row in world.rows[entity.name]
        ]
        for entity in world.model.entities
    }
    entities = tuple(replace(e, attributes=tuple(map(_plain, e.attributes))) for e in world.model.entities)
    return World(replace(world.model, entities=entities), rows, world.loose)


def _kind(attribute: Attribute) -> TypeName:
    return attribute.type.name if attribute.type.name in KEPT else TypeName.TEXT


def _plain(attribute: Attribute) -> Attribute:
    return replace(attribute, type=Type(_kind(attribute)), also=())
