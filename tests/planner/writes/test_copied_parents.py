"""A row whose parent is missing is refused for that, also where its document copies what the parent has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import ConstraintError
from nestling.executors.write import run_write
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.rows import Hop
from tests.planner.reads.shop import ROWS
from tests.planner.writes.shops import LINES, ORDERS, REST, model, root
from tests.write_traces import trace

FIELDS = (Field("id", "number"), Field("city", "city"))
COPY = Copy("buyer", (Hop("customer_orders", up=True),), FIELDS, Form.OBJECT, TRANSACTION)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO orders VALUES (50, 99, 'open', 1.5)",
        "INSERT INTO orders VALUES (50, 5, 'open', 1.5), (51, 99, 'open', 1.5)",
        "INSERT INTO orders SELECT id + 50, customer_id + 90, status, total FROM orders WHERE id = 10",
        "UPDATE orders SET customer_id = 99 WHERE id = 10",
    ],
)
def test_a_missing_parent_is_said(sql: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Before the validator misses what would be copied from it."""
    orders = replace(ORDERS, body=replace(ORDERS.body, copies=(COPY,)))
    design = Design(model(), (root("customer"), orders, LINES, *REST))
    run = trace(design, ROWS, database, tmp_path)
    with pytest.raises(ConstraintError, match="to no `customer`") as refused:
        run_write(database, run.compiled(sql))
    assert refused.value.violation == "parent"
    run.run("INSERT INTO orders VALUES (50, 5, 'open', 1.5)")
    run.check()
