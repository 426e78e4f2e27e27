"""Two writes at once: no parent goes while a child of it comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.executors.write import run_write
from nestling.ir.model import OnDelete, OnUpdate
from tests.planner.reads.shop import ROWS
from tests.planner.writes.shops import DESIGNS, model
from tests.write_traces import trace

COMES = "INSERT INTO orders VALUES (50, 5, 'open', 1.5)"
GOES = "DELETE FROM customer WHERE id = 5"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("comes_first", [True, False], ids=["child first", "parent first"])
@pytest.mark.parametrize("design", ["normalized", "nested", "listed"])
def test_no_parent_goes_while_a_child_comes(
    design: str, comes_first: bool, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """Of two transactions that do not see each other the later one has to try again."""
    made = DESIGNS[design](model(customer_orders=(OnDelete.RESTRICT, OnUpdate.RESTRICT)))
    run = trace(made, ROWS, database, tmp_path)
    client: MongoClient[dict[str, Any]] = database.client
    first, second = (COMES, GOES) if comes_first else (GOES, COMES)
    before = list(database["customers"].find())
    with client.start_session() as one, client.start_session() as other:
        with one.start_transaction():
            other.start_transaction()
            database["customers"].find_one({}, session=other)
            run_write(database, run.compiled(first), session=one)
            with pytest.raises(OperationFailure) as refused:
                run_write(database, run.compiled(second), session=other)
            assert refused.value.has_error_label("TransientTransactionError")
            one.abort_transaction()
        if other.in_transaction:
            other.abort_transaction()
    assert list(database["customers"].find()) == before
    run.check()
    run.run(COMES)
    run.run(GOES)
    run.check()
