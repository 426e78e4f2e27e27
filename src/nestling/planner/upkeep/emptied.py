"""Copies of a parent that a row loses: where its foreign key becomes NULL they go with it, in the same command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.primitives import Copy, Form
from nestling.ir.statements.expression import NULL, Expression
from nestling.ir.storage.layout import Place
from nestling.planner.upkeep.all_upkeeps import upkeeps_of
from nestling.planner.upkeep.change import RowChange
from nestling.planner.upkeep.triggers import fired_triggers


@dataclass(frozen=True, slots=True)
class EmptiedCopy:
    """A copy of which nothing is left, and its fields, relative to the row that holds it."""

    copy: Copy
    fields: tuple[str, ...]


def emptied(
    design: Design, place: Place, change: RowChange, values: Mapping[str, Expression]
) -> tuple[EmptiedCopy, ...]:
    """The copies at a place that are kept right and follow a foreign key of which a part becomes NULL. `values`: the new ones."""
    return tuple(_emptied(design, place, change, frozenset(name for name, value in values.items() if value == NULL)))


def _emptied(design: Design, place: Place, change: RowChange, nulls: frozenset[str]) -> Iterator[EmptiedCopy]:
    if not nulls or place.node.form is Form.INLINE:
        return
    for upkeep in upkeeps_of(design):
        copy = upkeep.what
        if upkeep.place != place or not isinstance(copy, Copy) or copy.closure or not copy.is_to_one(design.model):
            continue
        if copy.form.to_many:  # an array stays, with nothing in it
            continue
        due = fired_triggers(design.model, upkeep.freshness, upkeep.triggers, change)
        if nulls & set(copy.path[0].near(design.model)) and any(not trigger.back for trigger in due):
            is_inline = copy.form is Form.INLINE
            yield EmptiedCopy(copy, tuple(each.path for each in copy.attributes) if is_inline else (copy.name,))
