# ruff: noqa: ISC004 - statements run over lines
"""Outer joins with conditions of their own to rows that lie in arrays: the elements that meet them, or the row alone."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Reference
from nestling.ir.proposal import Proposal
from tests.planner.reads.beside_sqlite import Beside, loaded
from tests.planner.reads.shop import MODEL, ROWS

INSIDE = (
    "SELECT c.id, o.id, o.total FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'open'",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status IS NULL",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'none'",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND NOT (o.total > 10 OR o.status = 'open')",
    "SELECT c.id, o.customer_id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.total * 2 > 20",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status LIKE 'O%'",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.id IN (1, 2, 3) WHERE o.id IS NULL",
    "SELECT c.name, count(o.id), sum(o.total) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.total > 5"
    " GROUP BY c.name",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'open' WHERE EXISTS"
    " (SELECT 1 FROM orders x WHERE x.customer_id = c.id AND x.total > 5)",
    "SELECT o.id, l.no FROM orders o LEFT JOIN line l ON l.order_id = o.id AND l.quantity > 1",
    "SELECT c.id, o.id, l.no FROM customer c JOIN orders o ON o.customer_id = c.id"
    " LEFT JOIN line l ON l.order_id = o.id AND l.quantity = 2",
    "SELECT c.id, o.id, l.no FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.total > 5"
    " LEFT JOIN line l ON l.order_id = o.id AND l.no > 1",
)
GIVEN = (
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = :s",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND (o.status = :s OR o.total IS NULL)",
)
ELSEWHERE = (
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = c.city",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND c.name IS NOT NULL",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
    " AND EXISTS (SELECT 1 FROM product p WHERE p.price = o.total)",
    "SELECT c.id, o.id, x.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'open'"
    " LEFT JOIN orders x ON x.customer_id = c.id AND x.total > 5",
    "SELECT e.id, p.country FROM employee e LEFT JOIN passport p ON p.employee_id = e.id AND p.country <> 'DE'",
)
"""What asks of more than the elements, of an array that is unwound already, or of what is no array."""


@pytest.fixture(scope="module")
def nested(mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    """Lines in their orders, these in their customers; passports in employees."""
    line = Document("line", references=(Reference("product_lines", Holder.CHILD),))
    lines = Embedding("lines", "order_lines", Form.ARRAY, line)
    orders = Embedding("orders", "customer_orders", Form.ARRAY, Document("orders", embeddings=(lines,)))
    passport = Embedding("passport", "employee_passport", Form.OBJECT, Document("passport"))
    boss = Reference("boss_of", Holder.CHILD)
    collections = (
        Collection("customers", Document("customer", embeddings=(orders,)), ("id",)),
        Collection("products", Document("product", references=(Reference("maker_products", Holder.CHILD),)), ("id",)),
        Collection("makers", Document("maker"), ("id",)),
        Collection("employees", Document("employee", embeddings=(passport,), references=(boss,)), ("id",)),
    )
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    yield loaded(Proposal("test", Design(MODEL, collections)), ROWS, database, tmp_path_factory.mktemp("nested"))
    mongo_client.drop_database(database.name)


@pytest.mark.parametrize("sql", INSIDE)
def test_they_are_kept_in_the_document(nested: Beside, sql: str) -> None:
    """Nothing is looked up: the array has the elements that meet the conditions, before it is unwound."""
    path = nested.compiled(sql).access_path
    assert "keep the elements of" in path
    assert "look up" not in path or "EXISTS" in sql
    nested.assert_equal(sql)
    nested.assert_equal(sql, rewrites=())


@pytest.mark.parametrize("sql", GIVEN)
@pytest.mark.parametrize("status", ["open", "none", None])
def test_parameters_are_asked_too(nested: Beside, sql: str, status: str | None) -> None:
    """NULL meets no element."""
    assert "keep the elements of `orders`" in nested.compiled(sql).access_path
    nested.assert_equal(sql, {"s": status})


@pytest.mark.parametrize("sql", ELSEWHERE)
def test_other_conditions_are_answered_as_before(nested: Beside, sql: str) -> None:
    """By lookups."""
    nested.assert_equal(sql)
