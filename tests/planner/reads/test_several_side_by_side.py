# ruff: noqa: ISC004 - statements run over lines
"""Children of many rows, and rows of small tables without an index, are looked up as arrays before they are unwound."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.design import Design
from nestling.ir.primitives import Variant
from nestling.ir.proposal import Proposal
from nestling.ir.statistics import Quantity, RelationshipStatistics, Statistics
from nestling.planner.reads import ALL_REWRITES, Rewrite
from tests.planner.reads.beside_sqlite import Beside, loaded
from tests.planner.reads.shop import READING, ROWS, known
from tests.planner.reads.test_side_by_side import stages

FEW = known(customer=10, orders=50, line=90, product=20, maker=10, employee=30, passport=10)
MADE = "SELECT p.title, m.name, q.title FROM product p LEFT JOIN maker m ON m.id = p.maker_id"
STATEMENTS = (
    "SELECT c.name, o.id FROM customer c JOIN orders o ON o.customer_id = c.id",
    "SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id",
    "SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'open'",
    "SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status > c.city",
    "SELECT c.name, o.id FROM customer c JOIN orders o ON o.customer_id = c.id AND o.status > c.city WHERE o.total > 0",
    "SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL",
    "SELECT c.name, o.id, l.no FROM customer c JOIN orders o ON o.customer_id = c.id JOIN line l ON l.order_id = o.id",
    "SELECT b.name, e.name FROM employee b LEFT JOIN employee e ON e.boss_id = b.id",
    "SELECT a.name, b.name FROM employee a JOIN employee b ON a.boss_id = b.boss_id AND a.id < b.id",
    "SELECT a.name, b.name FROM employee a LEFT JOIN employee b ON a.boss_id = b.boss_id",
    "SELECT a.id, b.id FROM customer a JOIN customer b ON a.city = b.city",
    "SELECT a.id, b.id FROM customer a LEFT JOIN customer b ON a.name = b.city AND b.id > 1",
    "SELECT a.id, b.id FROM customer a LEFT JOIN customer b ON a.city = b.city AND b.name <> 'bob'",
    "SELECT a.id, b.id, o.id FROM customer a JOIN customer b ON a.city = b.city LEFT JOIN orders o ON o.customer_id = b.id",
    "SELECT o.id, c.name, l.no FROM orders o JOIN customer c ON c.id = o.customer_id JOIN line l ON l.order_id = o.id",
    f"{MADE} LEFT JOIN product q ON q.maker_id = m.id",
    f"{MADE} JOIN product q ON q.title = m.name",
    "SELECT p.title, l.no FROM product p JOIN line l ON l.product_id = p.id WHERE l.quantity = 2 AND p.price > 1",
    "SELECT c.city, COUNT(o.id), SUM(o.total) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.city",
    "SELECT n, o.id FROM (SELECT city AS town, COUNT(*) AS n FROM customer GROUP BY 1) g JOIN orders o ON o.status = g.town",
    "SELECT c.id, (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id AND o.status = 'open') FROM customer c",
    "SELECT c.id, (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id), "
    "(SELECT SUM(total) FROM orders o WHERE o.customer_id = c.id), "
    "(SELECT MAX(status) FROM orders x WHERE x.customer_id = c.id) FROM customer c",
    "SELECT c.id, (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) AS n, "
    "(SELECT COUNT(*) FROM customer d WHERE d.city = c.city) FROM customer c",
    "SELECT p.id FROM product p WHERE p.price = (SELECT MAX(q.price) FROM product q WHERE q.maker_id = p.maker_id)",
    "SELECT e.id, (SELECT AVG(p.price) FROM product p WHERE p.maker_id = e.boss_id) FROM employee e",
    "SELECT e.id, (SELECT f.name FROM employee f WHERE f.boss_id = e.boss_id ORDER BY f.id DESC LIMIT 1) FROM employee e",
    "SELECT c.id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.total > 5)",
    "SELECT c.id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status > c.city)",
    "SELECT a.id FROM customer a WHERE EXISTS (SELECT 1 FROM customer b WHERE b.city = a.city AND b.id <> a.id)",
    "SELECT a.id FROM customer a WHERE a.name IN (SELECT b.name FROM customer b WHERE b.city = a.city AND b.id <> a.id)",
    "SELECT c.id, EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id) FROM customer c",
    "SELECT a.order_id, a.no, b.quantity FROM line a JOIN line b ON b.order_id = a.order_id AND b.no = a.no",
    "SELECT a.order_id, a.no, b.no FROM line a LEFT JOIN line b ON b.order_id = a.order_id AND b.product_id = a.product_id",
    "SELECT a.id, b.id FROM customer a LEFT JOIN customer b ON b.city = a.city AND b.name = a.name",
    "SELECT a.id, b.id FROM customer a JOIN customer b ON b.city = a.city AND b.name = a.name AND b.id <> a.id",
    "SELECT a.id, (SELECT COUNT(*) FROM customer b WHERE b.city = a.city AND b.name = a.name) FROM customer a",
    "SELECT a.no FROM line a WHERE EXISTS (SELECT 1 FROM line b WHERE b.order_id = a.order_id AND b.no = a.no + 1)",
    "SELECT a.id, o.id FROM (SELECT * FROM customer ORDER BY id LIMIT 3) a JOIN orders o ON o.customer_id = a.id",
)


def with_nulls(statistics: Statistics) -> Statistics:
    """As if a twentieth of the values of every attribute were NULL."""
    entities = []
    for name, known_of in statistics.entities:
        some = tuple((of, replace(each, null_share=Quantity(0.05))) for of, each in known_of.attributes)
        entities.append((name, replace(known_of, attributes=some)))
    return replace(statistics, entities=tuple(entities))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_equal(shop: Beside, sql: str) -> None:
    """In any design, with NULLs on either side, several equal values, and rows that find none."""
    found = replace(shop, statistics=with_nulls(FEW))
    found.assert_equal(sql)
    found.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.SIDE_BY_SIDE})


def test_several_come_last_and_are_unwound_apart(normalized_shop: Beside) -> None:
    """Parents first; an `$unwind` right behind its lookup would be a part of it, so a `$set` stands between."""
    shop = replace(normalized_shop, statistics=with_nulls(FEW))
    both = stages(shop, f"{MADE} LEFT JOIN product q ON q.maker_id = m.id")
    assert both[:3] == ["$lookup", "$lookup", "$set"]
    assert "$unwind" in both[3:]
    assert stages(shop, STATEMENTS[0])[:3] == ["$lookup", "$set", "$unwind"]


def test_nulls_are_left_out_before(normalized_shop: Beside) -> None:
    """The server finds rows without a value for one without: an inner join asks first, an outer one of what was found."""
    shop = replace(normalized_shop, statistics=with_nulls(FEW))
    inner = "SELECT a.id, b.id FROM customer a JOIN customer b ON a.city = b.city"
    assert stages(shop, inner)[:4] == ["$match", "$lookup", "$set", "$unwind"]
    outer = inner.replace("JOIN", "LEFT JOIN")
    assert "$filter" in str(shop.compiled(outer).pipeline)
    many = replace(shop, statistics=with_nulls(known(customer=9000)))
    assert "$filter" not in str(many.compiled(outer).pipeline)  # 450 of them for each of 450


@pytest.mark.parametrize(
    ("statistics", "is_array"),
    [
        (known(customer=10, orders=50), True),
        (known(customer=10, orders=9_000), True),
        (known(customer=10, orders=20_000), False),  # too many to read once, too many found by an index
        (known(customer=4, orders=50), False),  # too few to pay
        (Statistics(), False),
    ],
    ids=["few", "thousands", "many", "few rows", "unknown"],
)
def test_where_it_pays(normalized_shop: Beside, statistics: Statistics, *, is_array: bool) -> None:
    """As many as the server reads once, for as many rows as make up for its start; not where nothing is known."""
    sql = "SELECT c.id, o.id FROM customer c JOIN orders o ON o.status = c.city"
    shop = replace(normalized_shop, statistics=statistics)
    assert ("$set" in stages(shop, sql)) == is_array


def test_a_parent_of_very_many_is_not_one_array(normalized_shop: Beside) -> None:
    """The largest fan-out decides, not the average."""
    sql = "SELECT c.id, o.id FROM customer c JOIN orders o ON o.customer_id = c.id"
    some = known(customer=20_000, orders=200_000)
    some = replace(some, entities=tuple((name, replace(each, attributes=())) for name, each in some.entities))
    for largest, is_array in ((1_000, True), (100_000, False)):
        link = RelationshipStatistics(mean=Quantity(10), maximum=Quantity(largest))
        statistics = replace(some, relationships=(("customer_orders", link),))
        assert ("$set" in stages(replace(normalized_shop, statistics=statistics), sql)) == is_array


def test_documents_of_another_kind_are_none_of_them(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """In a collection of several kinds the lookup asks for the kind, which it cannot without a pipeline of its own."""
    plain = pipeline.design(READING, "normalized").design
    orders = next(each for each in plain.collections if each.body.entity == "orders")
    others = (each for each in plain.collections if each is not orders)
    kinds = Design(plain.model, (*others, replace(orders, variant=Variant("kind", "order"))))
    shop = loaded(Proposal("test", kinds), ROWS, database, tmp_path)
    invoice = {"_id": 99, "kind": "invoice", "customer_id": 1}
    database[orders.name].insert_one(invoice, bypass_document_validation=True)
    for sql in (
        *STATEMENTS[:3],
        "SELECT c.id, (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) FROM customer c",
    ):
        replace(shop, statistics=with_nulls(FEW)).assert_equal(sql)
