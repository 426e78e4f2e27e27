"""Old rows apart are left out where later ones are asked for, and found wherever they may be among the answers."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.programs.compiled import asks_for_nothing, bind
from nestling.planner.reads import ALL_REWRITES, Rewrite
from tests.cases.pattern_case import pattern_cases
from tests.planner.reads.beside_sqlite import Beside, loaded

LATER = (
    "SELECT order_id FROM \"order\" WHERE date >= '2024-01-01'",
    "SELECT order_id FROM \"order\" WHERE date = '2024-01-01'",
    "SELECT order_id FROM \"order\" WHERE date > '2023-12-31'",
    "SELECT order_id FROM \"order\" WHERE '2024-06-01' < date AND total > 1",
    "SELECT o.total, l.sku FROM \"order\" o JOIN line l ON l.order_id = o.order_id WHERE o.date >= '2024-01-01'",
)
"""What no order of the archive fits: they are from before 2024."""
EARLIER = (
    "SELECT order_id FROM \"order\" WHERE date >= '2019-12-31'",
    "SELECT order_id FROM \"order\" WHERE date < '2024-01-01'",
    "SELECT order_id FROM \"order\" WHERE date >= '2024-01-01' OR total > 1",
    "SELECT order_id FROM \"order\" WHERE NOT date >= '2024-01-01'",
    'SELECT order_id FROM "order" WHERE date >= NULL',
    "SELECT l.sku FROM line l LEFT JOIN \"order\" o ON o.order_id = l.order_id AND o.date >= '2024-01-01'",
    "SELECT 7 UNION ALL SELECT count(*) FROM \"order\" WHERE date > '2024-01-01' AND date < '2020-01-01'",
    "SELECT 7 UNION SELECT * FROM (SELECT total FROM \"order\" WHERE date > '2024-01-01' AND date < '2020-01-01' UNION SELECT 8)",
    'SELECT a.order_id, b.order_id FROM "order" a JOIN "order" b ON b.total >= a.total WHERE a.date >= \'2024-01-01\'',
)
"""What some of them might fit."""


def day(year: int) -> datetime:
    """The first of a year."""
    return datetime.fromisoformat(f"{year}-01-01")


@pytest.fixture
def orders(database: Database[dict[str, Any]], tmp_path: Path) -> Beside:
    """The case of an archive."""
    case = next(each for each in pattern_cases() if each.name == "archive")
    return loaded(case.proposal, case.rows, database, tmp_path)


@pytest.mark.thorough
def test_later_rows_are_asked_of_one_collection(orders: Beside) -> None:
    """The answers are those of SQLite either way, with the rewrite and without."""
    for sql in LATER:
        assert "orders_archive" not in repr(bind(orders.compiled(sql)).pipeline), sql
        assert "orders_archive" in repr(bind(orders.compiled(sql, ALL_REWRITES - {Rewrite.ARCHIVED})).pipeline), sql
    for sql in EARLIER:
        assert "orders_archive" in repr(bind(orders.compiled(sql)).pipeline), sql
    for sql in (*LATER, *EARLIER):
        orders.assert_equal(sql)
        orders.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.ARCHIVED})


def test_the_value_of_a_parameter_decides(orders: Beside) -> None:
    """Whatever it is, the answer is SQLite's."""
    sql = 'SELECT order_id, total FROM "order" WHERE date >= :since'
    for since, old in (
        ("2024-01-01", False),
        ("2023-12-31", True),
        ("2023-12-3", True),
        ("", True),
        ("2024-0", False),
        (None, True),
    ):
        bound = bind(orders.compiled(sql), {"since": since})
        assert ("orders_archive" in repr(bound.pipeline)) is old, since
        orders.assert_equal(sql, {"since": since})


@pytest.mark.parametrize(
    ("field", "nothing"),
    [
        ({"$gte": day(2024), "$lt": day(2024)}, True),
        ({"$gte": day(2024), "$lte": day(2024)}, False),
        ({"$gt": day(2024), "$lte": day(2024)}, True),
        ({"$eq": day(2024), "$lt": day(2024)}, True),
        ({"$gte": day(2023), "$lt": day(2024)}, False),
        ({"$gte": "2025", "$lt": day(2024)}, False),
        ({"$gte": None, "$lt": day(2024)}, False),
    ],
)
def test_bounds_with_nothing_between_them(field: dict[str, object], nothing: bool) -> None:
    """Of times alone, and of no array's elements."""
    assert asks_for_nothing({"date": field}) is nothing
    assert not asks_for_nothing({"lines.date": field})
