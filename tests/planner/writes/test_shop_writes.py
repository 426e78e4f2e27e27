"""Writes on a small shop: every kind of place, each statement beside SQLite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.model import OnDelete, OnUpdate
from tests.planner.reads.shop import ROWS
from tests.planner.writes.shops import DESIGNS, model
from tests.soaking import crossed
from tests.write_traces import trace

NOTHING = OnDelete.RESTRICT, OnUpdate.RESTRICT
FOLLOW = OnDelete.CASCADE, OnUpdate.CASCADE
FREE = OnDelete.SET_NULL, OnUpdate.SET_NULL

STATEMENTS = (
    "INSERT INTO customer VALUES (6, 'New', NULL)",
    "INSERT INTO customer (id, city) VALUES (7, 'Rome'), (8, NULL)",
    "INSERT INTO customer VALUES (1, 'again', NULL)",
    "INSERT INTO orders VALUES (20, 6, 'open', 1.5), (21, 1, NULL, NULL)",
    "INSERT INTO orders VALUES (22, 99, 'open', 1.5)",
    "INSERT INTO orders VALUES (10, 1, 'same', 1.5)",
    "INSERT INTO line VALUES (20, 1, 100, 5), (20, 2, NULL, 1), (10, 5, 101, 1)",
    "INSERT INTO line VALUES (20, 1, 100, 5)",
    "INSERT INTO line VALUES (77, 1, 100, 5)",
    "INSERT INTO product VALUES (200, 'Nib', 0.5, 1), (201, 'Pad', NULL, NULL)",
    "INSERT INTO product VALUES (202, 'Pad', NULL, 55)",
    "INSERT INTO passport VALUES (2, 'SE')",
    "INSERT INTO passport VALUES (2, 'FI')",
    "INSERT INTO passport VALUES (77, 'FI')",
    "INSERT INTO employee VALUES (9, 'Zed', 4), (10, 'Yan', 9)",
    "INSERT INTO orders (id, customer_id, status) SELECT id + 100, id, city FROM customer WHERE id < 4",
    "INSERT INTO product VALUES (200, 'Nib', 0.75, 2) ON CONFLICT (id) DO UPDATE SET price = excluded.price + price",
    "INSERT INTO product VALUES (205, 'Ink', 1.0, 2), (205, 'Ash', 2.0, 1) ON CONFLICT (id) DO UPDATE SET title = excluded.title",
    "INSERT OR IGNORE INTO line VALUES (20, 1, 101, 9), (20, 3, 101, 9)",
    "INSERT OR REPLACE INTO line VALUES (20, 3, NULL, 8), (21, 1, 100, 1)",
    "UPDATE customer SET name = 'Anna' WHERE id = 1",
    "UPDATE customer SET city = name, name = city",
    "UPDATE orders SET total = total + 1, status = 'x' WHERE customer_id = 1",
    "UPDATE orders SET customer_id = 2 WHERE id IN (10, 21)",
    "UPDATE orders SET customer_id = 98 WHERE id = 10",
    "UPDATE line SET quantity = quantity + 1",
    "UPDATE line SET quantity = NULL WHERE product_id = 100",
    "UPDATE line SET product_id = NULL WHERE quantity IS NULL",
    "UPDATE line SET no = 4 WHERE order_id = 20 AND no = 1",
    "UPDATE line SET no = 2 WHERE order_id = 20 AND no = 4",
    "UPDATE line SET order_id = 11, no = 5 WHERE order_id = 10 AND no = 3",
    "UPDATE line SET order_id = 70 WHERE order_id = 10 AND no = 1",
    "UPDATE product SET maker_id = 3 WHERE maker_id = 1",
    "UPDATE product SET maker_id = NULL WHERE id = 103",
    "UPDATE product SET price = (SELECT max(total) FROM orders) WHERE title IS NULL",
    "UPDATE product SET price = (SELECT round(sum(quantity * 1.5), 1) FROM line WHERE product_id = product.id) WHERE id < 103",
    "UPDATE orders SET total = (SELECT coalesce(sum(quantity), 0) + 1 FROM line WHERE order_id = orders.id)",
    "UPDATE passport SET employee_id = 5, country = 'DK' WHERE employee_id = 4",
    "UPDATE employee SET boss_id = 3 WHERE boss_id = 1",
    "UPDATE employee SET name = NULL WHERE id > 3",
    "UPDATE maker SET name = NULL WHERE id = 1",
    "UPDATE customer SET id = 50 WHERE id = 5",
    "UPDATE customer SET id = 40 WHERE id = 4",
    "UPDATE orders SET id = 130 WHERE id = 13",
    "UPDATE maker SET id = 30 WHERE id = 3",
    "INSERT INTO customer VALUES (60, 'Six', NULL), (61, 'Seven', 'Oslo') RETURNING id, city, name || '!' AS loud",
    "INSERT INTO product VALUES (200, 'Nib', 9.0, 2), (206, 'Nib', 1.0, 2) ON CONFLICT (id) DO NOTHING RETURNING *",
    "INSERT INTO product VALUES (200, 'Nib', 9.0, 2) ON CONFLICT (id) DO UPDATE SET price = excluded.price RETURNING id, price",
    "UPDATE line SET quantity = quantity + 1 WHERE order_id < 12 RETURNING order_id, no, quantity AS now, quantity - 1 AS before",
    "DELETE FROM line WHERE order_id = 12 RETURNING *",
    "DELETE FROM line WHERE order_id = 13 AND no = 1",
    "DELETE FROM line WHERE quantity IS NULL",
    "DELETE FROM passport WHERE country IS NULL",
    "DELETE FROM orders WHERE id = 14",
    "DELETE FROM customer WHERE id = 2",
    "DELETE FROM maker WHERE id = 30",
    "DELETE FROM maker WHERE name = 'Nobody'",
    "DELETE FROM employee WHERE id = 10",
    "DELETE FROM employee WHERE id = 2",
    "DELETE FROM employee WHERE name = 'Eve'",
    "DELETE FROM orders WHERE total > 1",
    "DELETE FROM customer WHERE city = 'Oslo'",
    "DELETE FROM product",
    "DELETE FROM customer",
)


@pytest.mark.one_in(7)
@pytest.mark.parametrize(("design", "actions"), crossed(DESIGNS, ["nothing", "follow", "free"]))
def test_writes_leave_what_sqlite_leaves(
    design: str, actions: str, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """After each statement every home holds what SQLite's table holds; what one refuses the other refuses."""
    kind = {"nothing": NOTHING, "follow": FOLLOW, "free": FREE}[actions]
    optional = {"product_lines": kind, "maker_products": kind, "boss_of": kind}
    required = dict.fromkeys(
        ("customer_orders", "order_lines", "employee_passport"), FOLLOW if actions == "follow" else NOTHING
    )
    made = DESIGNS[design](model(**optional, **required))
    run = trace(made, ROWS, database, tmp_path)
    run.run_all(STATEMENTS, every=8)
    assert len(run.done) > 30
