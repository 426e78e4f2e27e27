"""Writes on any design: which rows, and what makes their homes, and all that follows from them, as the statement says.

`shortest` finds the one command that some statements are, `single_upserts` that of an INSERT that may meet a row. For the
others `effects` gathers what happens to the rows of each entity, by the statement and by foreign keys (`foreign_keys`);
`effect_steps` plans it. Rows are read first, place by place (`fetch`); then steps for each of them change its home:
`removed_rows`, `added_rows` and `changes_in_place`, by kind of place `overflow`, `buckets`, `splits`, `discriminators`,
`archive`, `listed_ids`. `returning` counts the rows, and has what RETURNING says of them. At last `unused_columns` takes out of
the reads what no step uses.
"""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.design import Design
from nestling.ir.statistics import Statistics
from nestling.ir.work import Work
from nestling.ir.write import Delete, Insert, Update, Write
from nestling.ir.write_path import WritePlan
from nestling.planner.writes.direct import direct
from nestling.planner.writes.draft import WriteDraft
from nestling.planner.writes.effect_steps import delete_with_effects, update_with_effects
from nestling.planner.writes.fetch import Prices
from nestling.planner.writes.gaps import WriteGap
from nestling.planner.writes.insert import insert_rows, written_rows
from nestling.planner.writes.selected_inserts import insert_absent
from nestling.planner.writes.single_commands import shortest
from nestling.planner.writes.single_upserts import shortest_upsert
from nestling.planner.writes.unused_columns import without_unused
from nestling.planner.writes.upsert import upsert_rows

__all__ = ["WriteGap", "plan_write"]


def plan_write(
    write: Write,
    design: Design,
    *,
    short: bool = True,
    statistics: Statistics | None = None,
    price: Callable[[Work], float] | None = None,
) -> WritePlan:
    """The steps of an INSERT, UPDATE or DELETE; raises `WriteGap` or `ReadGap` for what no steps are known for.

    `short`: one command where that is exact; without it, or to answer with them, rows are always read first. `statistics` and
    `price` tell which of several ways to read them is the cheapest, as those of `plan_read` do.
    """
    prices = Prices(statistics or Statistics(), price)
    found = _shortest(write, design, prices) if short and write.returning is None else None
    if found is not None:
        return without_unused(found)
    work = WriteDraft(design, write.returning, prices)
    match write:
        case Insert():
            if write.conflict is not None and written_rows(write.source, write.attributes) is None:
                insert_absent(work, write, write.conflict)
            elif write.conflict is not None:
                upsert_rows(work, write, write.conflict)
            else:
                entity = design.model.entity(write.entity)
                insert_rows(work, entity, write.attributes, write.source, write.generated)
        case Update():
            assignments = {item.attribute: item.expression for item in write.assignments}
            update_with_effects(work, write.target, assignments, write.predicate, counted=True)
        case Delete():
            delete_with_effects(work, write.target, write.predicate, counted=True)
    return without_unused(direct(work.plan(), design))


def _shortest(write: Write, design: Design, prices: Prices) -> WritePlan | None:
    """One command, for each row that is inserted; None where that is not exact."""
    if not isinstance(write, Insert):
        return shortest(write, design)
    return None if write.conflict is None else shortest_upsert(write, write.conflict, design, prices)
