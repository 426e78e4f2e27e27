"""Pre-allocated arrays: a place can be taken once, and there are only so many."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.paths.write_path import Refuse, Violation, WriteStep
from nestling.ir.primitives import Embedding
from nestling.ir.statements.algebra import filtered
from nestling.ir.statements.expression import Compare, Literal
from nestling.ir.statements.operators import Comparison
from nestling.ir.types import INTEGER
from nestling.ir.words.write_words import same_words
from nestling.planner.writes.constraints import same_rows, unique_groups
from nestling.planner.writes.draft.cells import Cells
from nestling.planner.writes.draft.fetch import fetch, plan, same_row


def refuse_taken(design: Design, row: Cells, embedding: Embedding) -> Iterator[WriteStep]:
    """Yield checks before a row gets its slot: the slot must exist in the array, and be free.

    The place itself refuses a slot below the first.
    """
    slots, entity = embedding.slots, row.entity
    assert slots is not None
    link = design.model.relationship(embedding.relationship)
    group = (*link.child_attributes, slots.attribute)
    unique = any(set(each) <= set(group) for each in unique_groups(design.model, entity))
    name = f"{entity.name} in the same place"
    yield fetch(name, same_rows(design, row, group), [row.column(each) for each in group])
    about = entity.full_names(group)
    text = f"{same_words(about)}, and a position in an array holds one row"
    yield Refuse(name, Violation.KEY if unique else Violation.PLACE, text, attributes=about)
    column = row.column(slots.attribute)
    at_hand = same_row({column: entity.attribute(slots.attribute).type})
    last = Literal(slots.first + slots.count - 1, INTEGER)
    beyond = filtered(at_hand, Compare(Comparison.GREATER, at_hand.columns[0], last))
    name = f"{entity.name} beyond the last place"
    yield fetch(name, plan(design, beyond), [column])
    text = f"the last position for a `{entity.name}` is {slots.first + slots.count - 1}"
    yield Refuse(name, Violation.PLACE, text, attributes=entity.full_names([slots.attribute]))
