"""A parameter that is NULL finds nothing: that is asked of a field that may be missing, and not of one that is always there."""

from __future__ import annotations

import pytest

from tests.planner.reads.beside_sqlite import Beside

STATEMENTS = (
    "SELECT name FROM customer WHERE id = :p",
    "SELECT id FROM orders WHERE customer_id = :p",
    "SELECT id FROM orders WHERE customer_id <= :p",
    "SELECT id FROM orders WHERE id IN (:p, 10)",
    "SELECT quantity FROM line WHERE order_id = :p AND no = 1",
    "SELECT id FROM product WHERE maker_id = :p",
    "SELECT id FROM product WHERE maker_id >= :p",
    "SELECT o.id FROM orders o LEFT JOIN line l ON l.order_id = o.id WHERE l.no = :p",
    "SELECT o.id, l.no FROM orders o LEFT JOIN line l ON l.order_id = o.id AND l.no = :p",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.customer_id = :p",
    "SELECT e.id FROM employee e LEFT JOIN passport p ON p.employee_id = e.id WHERE p.employee_id = :p",
    "SELECT e.id FROM employee e JOIN passport p ON p.employee_id = e.id WHERE p.employee_id = :p",
    "SELECT c.id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.id = :p)",
    "SELECT c.id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.id = :p)",
)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("sql", STATEMENTS)
def test_null_finds_what_it_finds_in_sqlite(shop: Beside, sql: str) -> None:
    """Beside a key, a foreign key, a row that is not there and a column that may be NULL; a value finds its rows."""
    for value in (None, 1, 10):
        shop.assert_equal(sql, {"p": value})


def test_only_a_field_that_may_be_missing_is_asked_not_to_be_null(shop: Beside) -> None:
    """A key and a column that is NOT NULL are asked for their value alone."""
    by_key = shop.compiled("SELECT name FROM customer WHERE id = :p").filter or {}
    by_name = shop.compiled("SELECT id FROM customer WHERE name = :p").filter or {}
    assert "$eq" in repr(by_key["_id"])
    assert "$ne" not in repr(by_key["_id"])
    assert "$ne" in repr(by_name["name"])
