"""Whether one command can make a change: plain comparisons, and values that are given, added or of the row itself.

Whatever the design is: what else it takes depends on where the rows live (`changes`).
"""

from __future__ import annotations

from nestling.ir.situation import Situation
from nestling.ir.statements.write import Delete, Insert, Update
from nestling.ir.workload import Statement
from nestling.planner.options.statements.translated import translated
from nestling.planner.writes.single_command.plain_conditions import amount, by_its_row, is_given, plain_conditions
from nestling.planner.writes.single_command.single_upserts import may_be_one_command


def is_plain(statement: Statement, situation: Situation, *, in_array: bool) -> bool:
    """Whether a write asks and sets nothing but what a command can say of documents, or of elements of an array in them; so it is
    taken where it cannot be read. An INSERT that may meet a row is one command where rows are documents.
    """
    write = translated(statement, situation.reading)
    if isinstance(write, Insert) and write.conflict is not None:
        return not in_array and may_be_one_command(write, write.conflict, situation.model)
    if not isinstance(write, Update | Delete):
        return True
    if plain_conditions(write.target, write.predicate) is None:
        return False
    if isinstance(write, Delete):
        return True
    columns = {each.name: each for each in write.target.columns}
    return all(
        is_given(each.expression) or amount(columns[each.attribute], each.expression) is not None
        for each in write.assignments
    ) or (not in_array and all(by_its_row(write.target, each.expression) for each in write.assignments))
