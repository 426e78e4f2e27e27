"""Worlds whose attributes say what is allowed of their values: some of what their rows have, and never less."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from hypothesis import strategies as st

from nestling.common.errors import InputError
from nestling.ir.constraints.allowed import Allowed, Scalar, number
from nestling.ir.model import Attribute
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.types import TypeName
from nestling.sources.row_checks import compares_alike
from tests.generators.conditions import checks
from tests.generators.worlds import World

_CLASSES = {TypeName.INTEGER: int, TypeName.FLOAT: float, TypeName.DECIMAL: Decimal, TypeName.TEXT: str}
_FEW = 5


@st.composite
def allowed_of(draw: st.DrawFn, amounts: st.SearchStrategy[int | Decimal], words: st.SearchStrategy[str]) -> Allowed:
    """Values, a range, or lengths; anything but a contradiction."""
    match draw(st.sampled_from(("values", "range", "lengths"))):
        case "values":
            scalars: st.SearchStrategy[Scalar] = draw(st.sampled_from((amounts.map(number), words)))
            return Allowed(tuple(draw(st.lists(scalars, min_size=1, max_size=3, unique=True))))
        case "range":
            low, high = sorted(map(number, draw(st.tuples(amounts, amounts))))
            least, most = draw(st.sampled_from(((low, None), (None, high), (low, high))))
            exclusive = low < high and draw(st.booleans())
            return Allowed((), least, most, exclusive and least is not None, exclusive and most is not None)
        case _:
            shortest, longest = sorted(draw(st.tuples(st.integers(0, 5), st.integers(0, 5))))
            least, most = draw(st.sampled_from(((shortest, None), (None, longest), (shortest, longest))))
            return Allowed(minimum_length=least, maximum_length=most)


@st.composite
def allowing(draw: st.DrawFn, world: World) -> World:
    """The world, with something said of about half of the attributes that have nothing but values of their types.

    Foreign keys are left alone: where the parent holds its children, or their ids, there is no field a validator could look at.
    """
    entities = []
    for entity in world.model.entities:
        columns = (
            zip(*world.rows[entity.name], strict=True) if world.rows[entity.name] else [()] * len(entity.attributes)
        )
        pairs = zip(entity.attributes, columns, strict=True)
        referring = {name for link in world.model.parents_of(entity.name) for name in link.child_attributes}
        attributes = tuple(
            a if a.name in referring else replace(a, allowed=_allowed(draw, a, column)) for a, column in pairs
        )
        entities.append(replace(entity, attributes=attributes))
    return replace(world, model=replace(world.model, entities=tuple(entities)))


@st.composite
def checking(draw: st.DrawFn, world: World) -> World:
    """The world, with checks that its rows keep, over attributes that have nothing but values of their types."""
    entities = []
    for entity in world.model.entities:
        rows = [dict(zip(entity.attribute_names, row, strict=True)) for row in world.rows[entity.name]]
        plain = tuple(a for a in entity.attributes if _is_plain(a, [row[a.name] for row in rows]))
        found = draw(checks(replace(entity, attributes=plain))) if plain else ()
        kept = (each for each in found if compares_alike(each.condition, entity, SQLITE))
        entities.append(replace(entity, checks=tuple(each for each in kept if all(map(each.lets_in, rows)))))
    return replace(world, model=replace(world.model, entities=tuple(entities)))


def _is_plain(attribute: Attribute, values: Sequence[object]) -> bool:
    kind = _CLASSES.get(attribute.type.name)
    return kind is not None and all(value is None or type(value) is kind for value in values)


def _allowed(draw: st.DrawFn, attribute: Attribute, column: Sequence[object]) -> Allowed | None:
    kind = _CLASSES.get(attribute.type.name)
    values = [value for value in column if value is not None]
    if kind is None or draw(st.booleans()) or any(type(value) is not kind or "\0" in str(value) for value in values):
        return None
    if kind is str:
        return draw(_of_texts([str(value) for value in values]))
    return draw(_of_numbers([Decimal(value) for value in values if isinstance(value, int | float | Decimal)]))


@st.composite
def _of_texts(draw: st.DrawFn, values: list[str]) -> Allowed:
    if draw(st.booleans()):
        return Allowed(tuple(dict.fromkeys((*values, "more"))))
    shortest, longest = (end(map(len, values), default=3) for end in (min, max))
    return Allowed(minimum_length=draw(st.integers(0, shortest)), maximum_length=draw(st.none() | st.just(longest)))


@st.composite
def _of_numbers(draw: st.DrawFn, values: list[Decimal]) -> Allowed | None:
    """Values as they are, or bounds on them or about them; None where a Decimal128 cannot hold what that takes."""
    finite = [value for value in values if value.is_finite()]
    try:
        exact: tuple[Scalar, ...] = tuple(dict.fromkeys(map(number, finite)))
        if len(finite) == len(values) <= _FEW and draw(st.booleans()):
            return Allowed(exact or (0,))
        low, high = min(finite, default=Decimal(0)), max(finite, default=Decimal(0))
        ends = (
            (number(low), number(high))
            if draw(st.booleans())
            else (number(math.floor(low) - 1), number(math.ceil(high) + 1))
        )
    except InputError:
        return None
    outside = ends[0] < low
    least = None if Decimal("-Infinity") in values else ends[0]
    most = None if len(finite) < len(values) or draw(st.booleans()) else ends[1]
    if least is None and most is None:
        return None
    return Allowed((), least, most, outside and least is not None, ends[1] > high and most is not None)
