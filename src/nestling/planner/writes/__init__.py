"""Writes: plans the steps of an INSERT, UPDATE or DELETE on any design.

A statement that can be one command is planned in `single_command`. Any other is planned in these steps:

1. `foreign_keys` collects what happens to the rows of each entity, by the statement and by its foreign keys.
2. `insert`, `update` and `delete` plan the steps for one entity; `effect_steps` calls them entity by entity.
3. A step reads the rows, place by place (`draft/fetch.py`). The steps of `row_changes` then change their home;
   what they do depends on the kind of place (`places`).
4. `row_set_upkeep` adds what keeps copies right. `returning` counts the rows and answers RETURNING.
5. `unused_columns` removes from the reads what no step uses.
"""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.design import Design
from nestling.ir.paths.work import Work
from nestling.ir.paths.write_path import WritePlan
from nestling.ir.statements.write import Delete, Insert, Update, Write
from nestling.ir.statistics import Statistics
from nestling.planner.writes.draft.fetch import FetchPrices
from nestling.planner.writes.draft.write_draft import WriteDraft
from nestling.planner.writes.effect_steps import delete_with_effects, update_with_effects
from nestling.planner.writes.insert import insert_rows, written_rows
from nestling.planner.writes.rows_seen import refuse_rows_changed_before
from nestling.planner.writes.selected_inserts import insert_selected
from nestling.planner.writes.single_command.direct import direct
from nestling.planner.writes.single_command.single_commands import shortest
from nestling.planner.writes.single_command.single_upserts import shortest_upsert
from nestling.planner.writes.unused_columns import without_unused
from nestling.planner.writes.upsert import upsert_rows

__all__ = ["plan_write"]


def plan_write(
    write: Write,
    design: Design,
    *,
    short: bool = True,
    statistics: Statistics | None = None,
    price: Callable[[Work], float] | None = None,
) -> WritePlan:
    """Return the steps of an INSERT, UPDATE or DELETE. Raises `WriteGap` or `ReadGap` if there are none.

    `short`: use a single command if that is exact; otherwise, or to answer with the rows, rows are always read first.
    `statistics` and `price` choose the cheapest way to read them, as in `plan_read`.
    """
    prices = FetchPrices(statistics or Statistics(), price)
    found = _shortest(write, design, prices) if short and write.returning is None else None
    if found is not None:
        return without_unused(found)
    work = WriteDraft(design, write.returning, prices)
    match write:
        case Insert():
            if write.conflict is not None and written_rows(write.source, write.attributes) is None:
                insert_selected(work, write, write.conflict)
            elif write.conflict is not None:
                upsert_rows(work, write, write.conflict)
            else:
                entity = design.model.entity(write.entity)
                insert_rows(work, entity, write.attributes, write.source, write.generated)
        case Update():
            refuse_rows_changed_before(design, write)
            assignments = {item.attribute: item.expression for item in write.assignments}
            update_with_effects(work, write.target, assignments, write.predicate)
        case Delete():
            delete_with_effects(work, write.target, write.predicate, counted=True)
    return without_unused(direct(work.plan(), design))


def _shortest(write: Write, design: Design, prices: FetchPrices) -> WritePlan | None:
    """Return the plan with one command (for each inserted row), or None if that is not exact."""
    if not isinstance(write, Insert):
        return shortest(write, design)
    return None if write.conflict is None else shortest_upsert(write, write.conflict, design, prices)
