"""Rows are summed up by their foreign key before they meet the parents that only name the groups."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.ir.statistics import Statistics
from nestling.planner.reads import ALL_REWRITES, Rewrite
from tests.planner.reads.beside_sqlite import Beside
from tests.planner.reads.shop import known

MANY = known(customer=10, orders=100, line=90_000, product=10, maker=10)
BY_TITLE = "SELECT p.title, SUM(l.quantity) FROM line l JOIN product p ON p.id = l.product_id GROUP BY p.title"
STATEMENTS = (
    BY_TITLE,
    BY_TITLE.replace("SUM(l.quantity)", "COUNT(*), COUNT(l.quantity), MIN(l.no), MAX(l.quantity)"),
    BY_TITLE.replace("SUM(l.quantity)", "SUM(l.quantity) FILTER (WHERE l.no > 1), COUNT(*) FILTER (WHERE l.quantity = 2)"),
    BY_TITLE.replace(" GROUP", " WHERE 1 > 1 GROUP"),
    BY_TITLE + " HAVING SUM(l.quantity) > 1 ORDER BY p.title LIMIT 2 -- total order",
    "SELECT m.name, COUNT(*) FROM line l JOIN product p ON p.id = l.product_id JOIN maker m ON m.id = p.maker_id GROUP BY m.name",
    "SELECT p.title, l.no, MAX(l.quantity) FROM line l JOIN product p ON p.id = l.product_id GROUP BY p.title, l.no",
    (
        "SELECT t, y, SUM(n) FROM (SELECT p.title AS t, l.no % 2 AS y, l.quantity + 1 AS n FROM line l "
        "JOIN product p ON p.id = l.product_id WHERE l.no < 3) s GROUP BY t, y"
    ),
)  # fmt: skip
OTHERS = (
    BY_TITLE.replace("SUM(", "AVG("),
    BY_TITLE.replace("SUM(", "COUNT(DISTINCT "),
    BY_TITLE.replace("SUM(l.quantity)", "SUM(l.quantity * p.price)"),
    BY_TITLE.replace(" GROUP", " WHERE p.price > 1 GROUP"),
    BY_TITLE.replace("JOIN", "LEFT JOIN"),
)


def groups(shop: Beside, sql: str) -> int:
    """How often the statement groups."""
    return sum("$group" in stage for stage in shop.compiled(sql).pipeline)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_equal(normalized_shop: Beside, sql: str) -> None:
    """Grouped twice, of rows without a parent, too."""
    shop = replace(normalized_shop, statistics=MANY)
    assert groups(shop, sql) == 2
    shop.assert_equal(sql)
    shop.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.EARLY_SUMS})


@pytest.mark.parametrize("sql", OTHERS)
def test_what_is_not_made_of_parts_is_grouped_once(normalized_shop: Beside, sql: str) -> None:
    """Averages, distinct values, what asks about the parent, parents that are restricted or may be missing."""
    shop = replace(normalized_shop, statistics=MANY)
    assert groups(shop, sql) == 1
    shop.assert_equal(sql)


def test_where_it_spares_nothing_rows_are_grouped_once(normalized_shop: Beside) -> None:
    """Without statistics, of values nobody has counted, and where a parent has few rows."""
    uncounted = tuple((name, replace(each, attributes=())) for name, each in MANY.entities)
    assert groups(replace(normalized_shop, statistics=Statistics(uncounted)), BY_TITLE) == 1
    assert groups(normalized_shop, BY_TITLE) == 1
    assert groups(replace(normalized_shop, statistics=known(line=15, product=10)), BY_TITLE) == 1
