"""The row that an INSERT proposes must satisfy the CHECKs of its entity even if another row exists, as in all three databases.

The collection's validator only checks what is stored; a row that is kept or changed instead of the new one proves nothing about
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import Fetch, Refuse, Violation, WriteStep
from nestling.ir.statements.algebra import Filter, Named, Project, Relation, Values
from nestling.ir.statements.expression import NULL, ONE, Column, Expression, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.write import Conflict, ConflictAction, Insert
from nestling.ir.types import INTEGER
from nestling.planner.writes.draft.fetch import FetchPrices, plan
from nestling.planner.writes.fitting_rows import ValueCondition, checks
from nestling.planner.writes.rows_there import UniqueGroup, with_new_values

WRITTEN = Values("proposed row", (Column("proposed row", "one", INTEGER, nullable=False),), ((ONE,),))
"""The single row of the statement, whose values are in the conditions."""


def proposed_checks(
    insert: Insert, conflict: Conflict, entity: Entity, row: Mapping[str, Expression], groups: Sequence[UniqueGroup]
) -> list[ValueCondition]:
    """The conditions to test on the new row, except those implied by its constants or by the stored row."""
    if conflict.ignores or conflict.action is ConflictAction.REPLACE:
        return []
    made, told = [item.attribute for item in insert.generated], _told(conflict, row, groups)
    return [each for each in checks(entity, row, made) if not each.attributes <= told]


def _told(conflict: Conflict, row: Mapping[str, Expression], groups: Sequence[UniqueGroup]) -> frozenset[str]:
    """The attributes that the row which is there has, or gets, as the new one has them."""
    (same, *others) = groups or ((),)
    shared = frozenset(same) if isinstance(same, tuple) and not others else frozenset[str]()
    changed = {
        each.attribute: with_new_values(each.expression, conflict.excluded, row) for each in conflict.assignments
    }
    kept = shared - changed.keys()
    if conflict.predicate is not None:
        return kept
    return kept | {name for name, value in changed.items() if value == row.get(name, NULL)}


def refuse_proposed(
    design: Design,
    entity: Entity,
    source: Relation,
    conditions: Sequence[ValueCondition],
    rows: str,
    prices: FetchPrices | None = None,
) -> tuple[WriteStep, ...]:
    """Refuse the source's rows of which one of the conditions is false."""
    kept = conjunction(*(each.condition for each in conditions))
    if kept is None:
        return ()
    broken = Project(Filter(source, Not(kept)), "broken", (Named("one", ONE),))
    words = "; ".join(each.words for each in conditions)
    text = f"the new `{entity.name}` has a value that is not allowed: {words}"
    about = entity.full_names(a for a in entity.attribute_names if any(a in each.attributes for each in conditions))
    return Fetch(rows, plan(design, broken, prices)), Refuse(rows, Violation.CHECK, text, attributes=about)
