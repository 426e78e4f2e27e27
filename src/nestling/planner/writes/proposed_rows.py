"""New rows in whose place one is there: what the source asks of them, and this does not.

Every SQL database refuses a row that breaks a CHECK before it looks whether there is one with its key. Here a CHECK is the
validator's, which sees what is stored. A note says so wherever the values may break one.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.model import Entity, Model
from nestling.ir.statements.expression import IsNull, Not
from nestling.ir.statements.write import ConflictAction, Insert, Write
from nestling.planner.writes.fitting_rows import conditions
from nestling.planner.writes.insert import written_rows


def notes_on_proposed(statement: Write, model: Model) -> Iterator[str]:
    """The note, where the statement needs it."""
    conflict = statement.conflict if isinstance(statement, Insert) else None
    if not isinstance(statement, Insert) or conflict is None or conflict.action is ConflictAction.REPLACE:
        return
    entity = model.entity(statement.entity)
    if not conflict.ignores and _may_break_a_check(statement, entity):
        yield (
            f"the CHECKs of `{entity.name}` are asked of what is stored, not of a new row in whose place there is one already,"
            " which the source refuses, too"
        )


def _may_break_a_check(insert: Insert, entity: Entity) -> bool:
    rows = written_rows(insert.source, insert.attributes)
    if rows is None:
        return bool(entity.checks) or any(each.allowed is not None for each in entity.attributes)
    made = [item.attribute for item in insert.generated]
    asked = (each for row in rows for each in conditions(entity, row, made))
    return any(not (isinstance(each, Not) and isinstance(each.operand, IsNull)) for each in asked)
