"""Parents of many rows are looked up one after the other before any is taken out of its field."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.emitters.mql.read import compiled_read
from nestling.ir.statistics import Statistics
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from tests.planner.reads.beside_sqlite import Beside
from tests.planner.reads.shop import known

UP = (
    "SELECT l.no, p.title, m.name FROM line l JOIN product p ON p.id = l.product_id "
    "JOIN maker m ON m.id = p.maker_id WHERE l.quantity > 0"
)
STATEMENTS = (
    UP,
    UP.replace("JOIN", "LEFT JOIN"),
    UP.replace("JOIN maker", "LEFT JOIN maker"),
    UP + " AND m.name < 'J'",
    "SELECT c.name, o.id FROM orders o JOIN customer c ON c.id = o.customer_id AND c.city <> o.status",
    "SELECT e.id, b.id, h.id FROM employee e LEFT JOIN employee b ON b.id = e.boss_id LEFT JOIN employee h ON h.id = b.boss_id",
    "SELECT m.name, COUNT(*) FROM product p JOIN maker m ON m.id = p.maker_id GROUP BY m.name",
    "SELECT p.title, n FROM (SELECT product_id AS i, COUNT(*) AS n FROM line GROUP BY 1) g JOIN product p ON p.id = g.i",
)
MANY = known(customer=100, orders=1000, line=9000, product=1000, maker=1000, employee=1000, passport=1000)


def stages(read: Beside, sql: str) -> list[str]:
    """The stages' names."""
    return [next(iter(stage)) for stage in read.compiled(sql).pipeline]


@pytest.mark.parametrize("statistics", [Statistics(), MANY])
@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_equal(normalized_shop: Beside, sql: str, statistics: Statistics) -> None:
    """Whether a row has no parent, or the parent none."""
    shop = replace(normalized_shop, statistics=statistics)
    shop.assert_equal(sql)
    shop.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.SIDE_BY_SIDE})


def test_nothing_stands_between_the_lookups(normalized_shop: Beside) -> None:
    """What is asked of a parent is asked when both are there."""
    shop = replace(normalized_shop, statistics=MANY)
    asked = (
        "SELECT l.no, p.title FROM line l JOIN product p ON p.id = l.product_id WHERE l.quantity = 2 AND p.price > 1"
    )
    assert stages(shop, UP) == ["$match", "$lookup", "$lookup", "$set", "$match", "$project"]
    assert "pipeline" not in repr(shop.compiled(asked).pipeline)
    shop.assert_equal(asked)


def test_lookups_that_a_limit_ends_are_made_in_turn(normalized_shop: Beside) -> None:
    """Rows that are in order before their parents are looked up: side by side, all of a batch would be."""
    sql = "SELECT l.no FROM line l JOIN product p ON p.id = l.product_id WHERE p.price > 1 ORDER BY l.order_id, l.no LIMIT 3"
    prices = iter((2.0, 1.0))
    plan = plan_read(
        normalized_shop.query(sql), normalized_shop.design, statistics=MANY, price=lambda _: next(prices, 3.0)
    )
    read = compiled_read(plan, name="statement", sql=sql)
    assert [next(iter(stage)) for stage in read.pipeline][:3] == ["$sort", "$lookup", "$unwind"]


def test_few_rows_are_not_worth_it(normalized_shop: Beside) -> None:
    """One order by its id, and a parent of a row that is itself looked up."""
    one = "SELECT c.name FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.id = 10"
    for statistics in (Statistics(), MANY):
        assert stages(replace(normalized_shop, statistics=statistics), one)[:3] == ["$match", "$lookup", "$unwind"]
    assert (
        stages(replace(normalized_shop, statistics=known(orders=3, customer=2)), one.replace("WHERE o.id = 10", ""))[1]
        == "$unwind"
    )


GROUPED = (
    "SELECT m.name, SUM(l.quantity) FROM line l JOIN product p ON p.id = l.product_id JOIN maker m ON m.id = p.maker_id "
    "GROUP BY m.name"
)


def test_sums_of_groups_are_finished_after_the_lookups(normalized_shop: Beside) -> None:
    """Between the group and the lookups nothing stands, or the server's faster engine would end with the group."""
    shop = replace(normalized_shop, statistics=MANY)
    assert stages(shop, GROUPED)[:5] == ["$group", "$lookup", "$lookup", "$set", "$match"]
    shop.assert_equal(GROUPED)


def test_groups_that_are_asked_for_more_are_looked_up_for_in_turn(normalized_shop: Beside) -> None:
    """HAVING ends what the faster engine does."""
    shop = replace(normalized_shop, statistics=MANY)
    having = (
        "SELECT p.title, s FROM (SELECT product_id AS i, SUM(quantity) AS s FROM line GROUP BY 1 HAVING SUM(quantity) > 3) g "
        "JOIN product p ON p.id = g.i"
    )
    found = stages(shop, having)
    assert found[found.index("$lookup") + 1] == "$unwind"
    shop.assert_equal(having)


def test_a_sum_that_is_looked_for_is_finished_before(normalized_shop: Beside) -> None:
    """Products whose id is the sum of the lines of an order."""
    sql = (
        "SELECT o, p.title FROM (SELECT order_id AS o, SUM(quantity) AS s FROM line GROUP BY order_id) g "
        "LEFT JOIN product p ON p.id = g.s"
    )
    shop = replace(normalized_shop, statistics=MANY)
    assert stages(shop, sql) == ["$group", "$set", "$lookup", "$set", "$project"]
    shop.assert_equal(sql)
