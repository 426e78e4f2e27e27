# ruff: noqa: ISC004 - statements run over lines
"""Application-level joins: two reads and the client give SQLite's rows, in its order."""

from __future__ import annotations

from collections import Counter

import pytest

from nestling import pipeline
from nestling.emitters.mql.client_join import compiled_join
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.programs.client_join import ClientJoin
from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.ir.types import Type, TypeName
from nestling.planner.reads.client_join import plan_client_join
from nestling.planner.reads.gaps import ReadGap
from nestling.planner.sql import translate
from tests import client_join
from tests.planner.reads.beside_sqlite import Beside, shown

PARENTS_BY_CHILDREN = (
    "SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id",
    "SELECT c.name, o.id, c.city FROM orders o JOIN customer c ON c.id = o.customer_id ORDER BY o.id DESC LIMIT 3 OFFSET 1",
    "SELECT l.no, p.title, l.quantity * 2 AS q FROM line l LEFT JOIN product p ON p.id = l.product_id WHERE l.no > 1",
    "SELECT p.title, l.no FROM line l LEFT JOIN product p ON p.id = l.product_id ORDER BY l.order_id, l.no LIMIT 4",
    "SELECT l.no, p.title FROM line l JOIN product p ON p.id = l.product_id",
    "SELECT l.no, l.quantity = :some AS met FROM line l JOIN product p ON p.id = l.product_id WHERE p.price <> 3",
    "SELECT a.name, b.name FROM employee a LEFT JOIN employee b ON a.boss_id = b.id",
    "SELECT o.id, l.no, c.name FROM line l JOIN orders o ON o.id = l.order_id JOIN customer c ON c.id = o.customer_id",
)
CHILDREN_BY_PARENTS = (
    "SELECT l.no, p.title FROM line l JOIN product p ON p.id = l.product_id WHERE p.title <> 'none' AND l.product_id > 1",
    "SELECT o.id, o.total FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.city = 'Oslo' ORDER BY o.id",
    "SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.city = 'Oslo' "
    "ORDER BY o.total DESC, o.id LIMIT 2",
    "SELECT o.status, count(*), sum(o.total) FROM orders o JOIN customer c ON c.id = o.customer_id "
    "WHERE c.name = 'Ann' GROUP BY o.status ORDER BY o.status",
    "SELECT DISTINCT l.no FROM line l JOIN product p ON p.id = l.product_id WHERE p.title = 'Pen' ORDER BY l.no",
    "SELECT count(*) FROM line l JOIN product p ON p.id = l.product_id WHERE p.price > 100",
    "SELECT l.no FROM line l JOIN product p ON p.id = l.product_id WHERE p.price > :least AND l.quantity > :some",
    "SELECT o.id, o.total FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.city = ANY(:cities)",
    "SELECT l.no FROM line l JOIN product p ON p.id = l.product_id WHERE p.price > :least AND l.no IN :numbers",
    "SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.id IN :numbers",
    "SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.customer_id IN (2, 1) AND c.city > 'A'",
)
CHILDREN_OF_PARENTS = (
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id ORDER BY c.id DESC",
    "SELECT c.id, o.total, o.status FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'open'",
    "SELECT m.name, p.title FROM maker m LEFT JOIN product p ON p.maker_id = m.id WHERE m.name > 'A'",
    "SELECT c.name, o.id FROM customer c JOIN orders o ON o.customer_id = c.id ORDER BY c.name DESC, c.id",
)
VALUES = {"least": 1, "some": 0, "cities": ["Oslo", None, "Bern"], "numbers": [2, 1]}


def joined(shop: Beside, sql: str) -> ClientJoin:
    """The statement as two reads."""
    query = translate(sql, shop.design.model, "sqlite")
    assert isinstance(query, Query)
    return compiled_join(plan_client_join(query, shop.design), name="statement", sql=sql)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("at_once", [2, 10_000])
@pytest.mark.parametrize("sql", PARENTS_BY_CHILDREN + CHILDREN_BY_PARENTS + CHILDREN_OF_PARENTS)
def test_the_answer_is_that_of_sql(shop: Beside, sql: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bag, also when ids are asked for two at a time; no read looks anything up that the other one asks for."""
    monkeypatch.setattr(client_join, "MOST_IDS", at_once)
    join = joined(shop, sql)
    values = {name: VALUES[name] for name in join.parameters}
    rows = [tuple(map(shown, row, join.columns)) for row in client_join.run_join(shop.database, join, values)]
    theirs = shop.theirs(sql, values)
    assert Counter(rows) == Counter(theirs)
    if "LIMIT" in sql:
        assert rows == theirs


@pytest.mark.parametrize("sql", PARENTS_BY_CHILDREN[:5])
def test_ids_go_into_one_list(shop: Beside, sql: str) -> None:
    """The second read has an `$in`, and none of the first's parameters."""
    join = joined(shop, sql)
    assert "IDS" not in repr(join.first.pipeline) + repr(join.first.filter)
    assert "{'$in': Ids()}" in repr(join.second.pipeline) + repr(join.second.filter)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM customer",
        "SELECT c.city, count(*) FROM orders o JOIN customer c ON c.id = o.customer_id GROUP BY c.city",
        "SELECT o.id || c.name FROM orders o JOIN customer c ON c.id = o.customer_id ORDER BY c.name LIMIT 2",
        "SELECT a.id, b.id FROM maker a CROSS JOIN customer b",
        "SELECT l.no, p.title FROM line l JOIN product p ON p.id = l.product_id ORDER BY p.title, l.no LIMIT 2",
        "SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id AND c.id > o.id WHERE c.city = 'Oslo'",
    ],
)
def test_what_needs_both_sides_is_a_gap(shop: Beside, sql: str) -> None:
    """No join, a group or order by the one and a limit on the other, no key, a further condition."""
    with pytest.raises(ReadGap, match="join in the client"):
        joined(shop, sql)


def test_what_else_is_asked_of_the_field_of_the_ids_stays() -> None:
    """LIKE of a text key beside the list of ids."""
    text = Type(TypeName.TEXT)
    parent = Entity("parent", (Attribute("code", text, nullable=False),), ("code",))
    child = Entity("child", (Attribute("id", text, nullable=False), Attribute("code", text, nullable=True)), ("id",))
    link = Relationship("children", "parent", "child", ("code",), ("code",))
    design = pipeline.design(Reading(Model("codes", (parent, child), (link,))), "normalized").design
    sql = (
        "SELECT c.id, p.code FROM child c RIGHT JOIN parent p ON c.code = p.code WHERE c.code LIKE 'a%' ORDER BY p.code"
    )
    query = translate(sql, design.model, "sqlite")
    assert isinstance(query, Query)
    join = compiled_join(plan_client_join(query, design), name="statement", sql=sql)
    asked = repr(join.first) + repr(join.second)
    assert "Ids()" in asked
    assert "$regex" in asked
