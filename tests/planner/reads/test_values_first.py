"""A subquery that gives all rows one value begins, and the rows are read beside it."""

from __future__ import annotations

import pytest

from nestling.planner.reads import ALL_REWRITES, NO_REWRITES, Rewrite
from tests.planner.reads.beside_sqlite import Beside

ABOVE = "SELECT id FROM orders WHERE total >= (SELECT AVG(total) FROM orders)"
BELOW = "SELECT * FROM orders WHERE total < (SELECT MAX(total) FROM orders)"
STATEMENTS = (
    ABOVE,
    ABOVE + " AND status = 'open'",
    ABOVE + " AND EXISTS (SELECT 1 FROM line WHERE order_id = orders.id)",
    ABOVE + " AND id > (SELECT 2 * MIN(no) FROM line)",
    ABOVE + " ORDER BY id DESC LIMIT 1 -- total order",
    ABOVE.replace("FROM orders)", "FROM orders WHERE id < 0)"),
    ABOVE.replace("AVG(total) FROM orders)", "total FROM orders ORDER BY id LIMIT 1)"),
    ABOVE.replace("AVG(total) FROM orders)", "COUNT(*) FROM orders WHERE id < 0)"),
    "SELECT c.name, o.id FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.total < (SELECT MAX(total) FROM orders)",
    "SELECT status, SUM(total) FROM orders GROUP BY status HAVING SUM(total) > (SELECT AVG(total) FROM orders)",
    f"SELECT id FROM customer c WHERE EXISTS ({BELOW} AND customer_id = c.id)",
    f"SELECT c.name, d.id FROM customer c LEFT JOIN ({BELOW}) d ON d.customer_id = c.id",
    "SELECT id FROM orders WHERE (total > (SELECT AVG(total) FROM orders)) IS NULL",
    "SELECT id FROM orders WHERE status IS NOT (SELECT MAX(status) FROM orders WHERE id < 0)",
    "SELECT id FROM orders WHERE (SELECT MIN(total) FROM orders WHERE id < 0) IS total",
    "SELECT id FROM orders WHERE NOT total > (SELECT AVG(total) FROM orders WHERE id < 0) OR id = 10",
)  # fmt: skip


@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_equal(normalized_shop: Beside, sql: str) -> None:
    """Of nothing, too, and beside other subqueries."""
    normalized_shop.assert_equal(sql)
    normalized_shop.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.VALUES_FIRST})
    normalized_shop.assert_equal(sql, rewrites=NO_REWRITES)


def test_the_average_is_made_once(normalized_shop: Beside) -> None:
    """The orders are looked up beside it; without the rewrite it is looked up beside each of them."""
    kinds = [next(iter(stage)) for stage in normalized_shop.compiled(ABOVE).pipeline]
    assert kinds == ["$group", "$lookup", "$unwind", "$match", "$project"]
    without = normalized_shop.compiled(ABOVE, ALL_REWRITES - {Rewrite.VALUES_FIRST})
    assert "$lookup" in without.pipeline[0]


@pytest.mark.thorough
def test_a_lookup_keeps_its_equality(normalized_shop: Beside) -> None:
    """Rows that are looked up themselves are found by their index first."""
    read = normalized_shop.compiled(STATEMENTS[11])
    assert "'localField': '_id', 'foreignField': 'customer_id'" in repr(read.pipeline)
