"""Whether a change is one that a command says by itself: plain comparisons, values that are given, added or the row's own.

Whatever the design is: what else it takes depends on where the rows live (`changes`).
"""

from __future__ import annotations

from nestling.ir.situation import Situation
from nestling.ir.workload import Statement
from nestling.ir.write import Delete, Update
from nestling.planner.options.translated import translated
from nestling.planner.writes.plain_conditions import amount, asked, by_its_row, is_given


def is_plain(statement: Statement, situation: Situation, *, in_array: bool) -> bool:
    """Whether an UPDATE or DELETE asks and sets nothing but what a command can say of documents, or of elements of an array in
    them; so it is taken where it cannot be read.
    """
    write = translated(statement, situation)
    if not isinstance(write, Update | Delete):
        return True
    if asked(write.target, write.predicate) is None:
        return False
    if isinstance(write, Delete):
        return True
    columns = {each.name: each for each in write.target.columns}
    return all(
        is_given(each.expression) or amount(columns[each.attribute], each.expression) is not None
        for each in write.assignments
    ) or (not in_array and all(by_its_row(write.target, each.expression) for each in write.assignments))
