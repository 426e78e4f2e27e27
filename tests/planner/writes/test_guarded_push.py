"""Elements of a parent's array in as few commands as there can be: one that comes, and all that change together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.programs.program import CompiledWrite, ForEach, ProgramStep, ReadRows, WriteCommand
from tests.planner.reads.shop import ROWS
from tests.planner.writes.shops import REST, lines, model, refer, root
from tests.write_traces import Trace, trace

COMES = "INSERT INTO line VALUES ({order}, {no}, 100, 3)"
CHANGES = (
    "UPDATE line SET quantity = 4 WHERE order_id = 10",
    "UPDATE line SET quantity = 5 WHERE order_id = 10 AND quantity = 4",
    "UPDATE line SET quantity = 5 WHERE order_id = 10 AND quantity = 77",
    "UPDATE line SET quantity = 6 WHERE order_id = 12345",
)


@pytest.fixture
def run(database: Database[dict[str, Any]], tmp_path: Path) -> Trace:
    """The shop with lines inside their orders and nowhere else."""
    orders = root("orders", lines(), references=refer("customer_orders"))
    return trace(Design(model(), (root("customer"), orders, *REST)), ROWS, database, tmp_path)


def asked(steps: tuple[ProgramStep, ...]) -> list[ProgramStep]:
    """Reads and commands that run when each command meets its document."""
    inside = ((step,) if not isinstance(step, ForEach) else asked(step.steps) for step in steps)
    return [step for each in inside for step in each if isinstance(step, ReadRows | WriteCommand)]


def commands(write: CompiledWrite) -> list[str]:
    """The collections of a write's commands; no read comes before them."""
    found = asked(write.steps)
    assert all(isinstance(step, WriteCommand) for step in found)
    return [step.collection for step in found if isinstance(step, WriteCommand)]


def test_a_row_comes_by_one_command(run: Trace) -> None:
    """Its key and its parent are told by the command itself; the product it refers to is held by one more."""
    write = run.compiled(COMES.format(order=10, no=70))
    assert commands(write) == ["orderss", "products"]
    assert write.transaction


def test_rows_that_may_not_come(run: Trace) -> None:
    """One with a key that is there, one without an order, two alike in one statement: refused as SQLite does."""
    for order, no in ((10, 70), (10, 70), (10, 1), (999, 1)):
        run.run(COMES.format(order=order, no=no))
    run.run("INSERT INTO line VALUES (10, 71, 100, 1), (10, 71, 100, 1)")
    run.run("INSERT INTO line VALUES (10, 72, 100, 1), (10, 73, 999, 1)")
    run.check()
    assert (len(run.done), len(run.refused), run.gaps) == (1, 5, [])


@pytest.mark.thorough
def test_all_of_a_parent_change_by_one_command(run: Trace) -> None:
    """However many elements there are, and whatever else is asked of them; as many rows are said to change as do."""
    for sql in CHANGES:
        (counted, changed) = asked(run.compiled(sql).steps)
        assert isinstance(counted, ReadRows)
        assert isinstance(changed, WriteCommand)
        run.run(sql)
    run.check()
    assert len(run.done) == len(CHANGES)
