"""How many different values an attribute has: counted, or derived from keys and foreign keys, or guessed.

The attributes of a key identify every row, so together they have as many values as there are rows; a foreign key has no more
than there are parents, an enum no more than it has labels, and whole numbers no more than a CHECK allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from nestling.ir.model import Attribute, AttributeName, Model
from nestling.ir.statistics import UNKNOWN_ROWS, Statistics, value_of
from nestling.ir.types import TypeName

ROWS_A_VALUE = 10.0
"""Rows with the same value, where nothing is known."""


def distinct_of(entity: str, attribute: str, model: Model, statistics: Statistics) -> float:
    """Different values of an attribute, at least one."""
    return max(_distinct((entity, attribute), model, statistics, frozenset()), 1.0)


def rows_of(entity: str, statistics: Statistics) -> float:
    """The number of rows of an entity."""
    return value_of(statistics.entity(entity).count, UNKNOWN_ROWS)


def _distinct(asked: AttributeName, model: Model, statistics: Statistics, above: frozenset[AttributeName]) -> float:
    """`above`: the attributes this is asked for, so that what refers to itself comes to an end."""
    entity, attribute = asked
    known = statistics.entity(entity).attribute(attribute).distinct
    if known is not None:
        return known.value
    above |= {asked}
    told = list(_by_parents(asked, model, statistics, above))
    told += _named_values(model.entity(entity).attribute(attribute))
    if told:
        return min([*told, rows_of(entity, statistics)])
    shares = [_of_key(asked, group, model, statistics, above) for group in _keys(asked, model)]
    guess = max(shares, default=rows_of(entity, statistics) / ROWS_A_VALUE)
    return min(guess, _in_range(model.entity(entity).attribute(attribute)))


def _named_values(attribute: Attribute) -> Iterator[float]:
    """How many values there are where all are named: of a truth, an enum, or by a CHECK."""
    if attribute.type.name is TypeName.BOOLEAN:
        yield 2.0
    if attribute.type.name is TypeName.ENUM:
        yield float(len(attribute.type.values))
    if attribute.allowed is not None and attribute.allowed.values:
        yield float(len(attribute.allowed.values))


def _in_range(attribute: Attribute) -> float:
    """The most values there can be: of whole numbers between bounds."""
    allowed = attribute.allowed
    if attribute.type.name is not TypeName.INTEGER or allowed is None:
        return inf
    if allowed.minimum is None or allowed.maximum is None:
        return inf
    return float(allowed.maximum - allowed.minimum + 1)


def _keys(asked: AttributeName, model: Model) -> Iterator[tuple[str, ...]]:
    """The groups of attributes that tell every row, this one among them."""
    entity, attribute = asked
    described = model.entity(entity)
    yield from (group for group in described.unique_groups if attribute in group)


def _by_parents(
    asked: AttributeName, model: Model, statistics: Statistics, above: frozenset[AttributeName]
) -> Iterator[float]:
    """The values there are on the other side of each foreign key the attribute is in."""
    entity, attribute = asked
    for link in model.parents_of(entity):
        if attribute in link.child_attributes:
            theirs = link.parent, link.parent_attributes[link.child_attributes.index(attribute)]
            if theirs not in above:
                yield _distinct(theirs, model, statistics, above)


def _of_key(
    asked: AttributeName, group: Sequence[str], model: Model, statistics: Statistics, above: frozenset[AttributeName]
) -> float:
    """What is left of the rows for one attribute of a key, when the others have as many values as they have."""
    entity, attribute = asked
    left, unknown = rows_of(entity, statistics), 1
    for name in group:
        if name == attribute:
            continue
        known = statistics.entity(entity).attribute(name).distinct
        others = [known.value] if known is not None else list(_by_parents((entity, name), model, statistics, above))
        if others:
            left /= max(min(others), 1.0)
        else:
            unknown += 1
    return float(max(left, 1.0) ** (1 / unknown))
