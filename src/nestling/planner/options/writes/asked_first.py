"""What an INSERT asks of the server before it adds its rows, whatever the design."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design_problem import Charge
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK
from nestling.ir.workload import Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.writes.inserted_rows import InsertedRows
from nestling.planner.writes.insert import given_numbers, is_computed, taken_numbers

NUMBER_BYTES = 16.0
"""Of a counter's document."""
MADE_STAGES = work_of.light(4)
"""Of a pipeline that gives a statement's own rows."""


def asked_first(modes: Modes, statement: Statement, new: InsertedRows, *, together: bool) -> Iterator[Charge]:
    """The next numbers of its keys, the values the server works out, and, where it takes several commands `together`, the rows
    that are there already.
    """
    if new.write is None:
        return
    entity = modes.situation.model.entity(new.write.entity)
    counter = work_of.request() + work_of.fetch_by_index(1, NUMBER_BYTES)
    counter += work_of.update(1, NUMBER_BYTES, index_entries_changed=0.0, grows=False)
    if numbers := len(taken_numbers(entity, new.write)):
        highest = work_of.request(work_of.light(1)) + work_of.fetch_by_index(1, modes.sizes.row_bytes(entity.name))
        rows = work_of.request(2 * MADE_STAGES) if new.selected else NO_WORK  # they are counted, and given their places
        yield Charge(statement.name, "the next numbers", (), modes.price(numbers * (highest + counter) + rows))
    if given := len(given_numbers(entity, new.write)):
        yield Charge(statement.name, "numbers that are given", (), modes.price(given * new.count * counter))
    is_met = new.write.conflict is not None
    if is_met and (together or new.selected):
        work = (1 if new.selected else 2) * work_of.request(MADE_STAGES)  # a SELECT's rows are read anyway
        yield Charge(statement.name, "the rows that are there already", (), modes.price(work))
    elif not is_met and not new.selected and is_computed(entity, new.write):
        yield Charge(statement.name, "values are worked out", (), modes.price(work_of.request(MADE_STAGES)))
