"""What NOT IN and NOT EXISTS refuse may be made first, as one list: the same answers, and the cheaper plan is taken."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.statements.algebra import Relation
from nestling.ir.statistics import Quantity, Statistics
from nestling.pipeline.converting import default_price
from nestling.planner.reads import plan_read
from nestling.planner.reads.rewrites.lists_first import with_lists_first
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.work import estimate
from tests.planner.reads.beside_sqlite import Beside, query_of, shown
from tests.planner.reads.shop import READING, ROWS, known

FEW = known(**{name: len(rows) for name, rows in ROWS.items()})
UNSOLD = "SELECT id FROM product WHERE id NOT IN (SELECT product_id FROM line WHERE quantity > 1)"
BOSSES = "SELECT id FROM product WHERE maker_id NOT IN (SELECT boss_id FROM employee WHERE id > 0)"
UNASKED = "NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = 'open')"
BESIDE_A_LIST = (
    UNSOLD,
    f"{UNSOLD} ORDER BY id DESC LIMIT 1 -- total order",
    f"SELECT COUNT(*) AS n FROM ({UNSOLD})",
    BOSSES,
    BOSSES.replace("id > 0", "boss_id > 0"),
    BOSSES.replace("id > 0", "boss_id IS NOT NULL"),
    BOSSES.replace("id > 0", "id > 99"),
    BOSSES.replace("id > 0", "boss_id IS NULL"),
    BOSSES.replace("maker_id NOT", "id NOT"),
    f"SELECT name FROM customer c WHERE {UNASKED}",
    f"SELECT name FROM customer c WHERE {UNASKED} AND c.city = 'Oslo' AND c.id IN (SELECT customer_id FROM orders)",
    "SELECT id FROM product p WHERE NOT EXISTS (SELECT 1 FROM employee e WHERE e.boss_id = p.maker_id)",
    "SELECT id FROM product p WHERE NOT EXISTS (SELECT 1 FROM employee e WHERE e.boss_id = p.maker_id AND e.id > 99)",
    f"SELECT name FROM customer c WHERE {UNASKED.replace('orders o', 'orders o JOIN line l ON l.order_id = o.id')}",
    (
        "SELECT name FROM customer c WHERE NOT EXISTS"
        " (SELECT 1 FROM line l JOIN orders o ON o.id = l.order_id AND o.customer_id = c.id WHERE l.product_id > 100)"
    ),
    (
        "SELECT id FROM product p WHERE NOT EXISTS (SELECT 1 FROM line l, orders o, customer c WHERE l.product_id = p.id"
        " AND o.id = l.order_id AND c.id = o.customer_id AND c.city = 'Oslo' AND l.quantity > 0)"
    ),
    "SELECT id FROM product WHERE title NOT IN (SELECT title FROM product WHERE price > 1)",
    "SELECT id FROM orders WHERE total NOT IN (SELECT quantity FROM line)",
    "SELECT id FROM orders WHERE total NOT IN (SELECT price FROM product WHERE price > 1)",
    (
        f"{UNSOLD} AND maker_id NOT IN (SELECT boss_id FROM employee WHERE boss_id IS NOT NULL)"
        " AND NOT EXISTS (SELECT 1 FROM employee e WHERE e.boss_id = product.maker_id)"
    ),
    (
        "SELECT c.name, o.id FROM customer c JOIN orders o ON o.customer_id = c.id"
        " WHERE o.id NOT IN (SELECT order_id FROM line WHERE quantity > 1) AND c.city = 'Oslo'"
    ),
    (
        "SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
        " WHERE c.id NOT IN (SELECT customer_id FROM orders WHERE status = 'paid')"
    ),
    "SELECT city, COUNT(*) AS n FROM customer WHERE id NOT IN (SELECT DISTINCT customer_id FROM orders) GROUP BY city",
    "SELECT id FROM product WHERE id NOT IN (SELECT product_id FROM line UNION SELECT id FROM product WHERE price > 5)",
    "SELECT id FROM product WHERE id NOT IN (SELECT product_id FROM line ORDER BY order_id, no LIMIT 2)",
)
LOOKED_UP = (
    "SELECT id FROM product WHERE id IN (SELECT product_id FROM line)",
    "SELECT id FROM product WHERE (id, maker_id) NOT IN (SELECT product_id, quantity FROM line)",
    "SELECT id FROM product WHERE id + 1 NOT IN (SELECT product_id FROM line)",
    "SELECT id FROM product p WHERE id NOT IN (SELECT product_id FROM line WHERE quantity > p.price)",
    "SELECT id FROM product p WHERE NOT EXISTS (SELECT 1 FROM line l WHERE l.product_id > p.id)",
    "SELECT id FROM product p WHERE NOT EXISTS (SELECT 1 FROM line)",
    (
        "SELECT id FROM product p WHERE NOT EXISTS"
        " (SELECT 1 FROM line l JOIN orders o ON o.id = l.order_id AND o.total > p.price WHERE l.product_id = p.id)"
    ),
    (
        "SELECT id FROM product p WHERE NOT EXISTS"
        " (SELECT 1 FROM orders o LEFT JOIN line l ON l.order_id = o.id AND l.product_id = p.id WHERE l.no IS NULL)"
    ),
    "SELECT id FROM product WHERE id NOT IN (SELECT product_id FROM line) OR price > 1",
)


def _beside_lists(shop: Beside, sql: str, statistics: Statistics = FEW) -> Relation | None:
    return with_lists_first(push_predicates(shop.query(sql).relation), shop.design.model, statistics)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("sql", BESIDE_A_LIST)
def test_answers_are_sqlites(shop: Beside, sql: str) -> None:
    """With NULLs on either side, in both, in neither, and of nothing to refuse."""
    relation = _beside_lists(shop, sql)
    assert relation is not None
    plan = plan_read(replace(shop.query(sql), relation=relation), shop.design)
    read = compiled_read(plan, name="statement", sql=sql)
    mine = [tuple(map(shown, row, read.columns)) for row in run_read(shop.database, read, {})]
    theirs = shop.theirs(sql)
    assert mine == theirs if "total order" in sql else Counter(mine) == Counter(theirs), sql
    assert "list of" in read.access_path


@pytest.mark.parametrize("sql", LOOKED_UP)
def test_what_is_no_list_of_one_column_is_looked_up(shop: Beside, sql: str) -> None:
    """What is not negated, is of several columns or computed, or mentions the row beside its one equality."""
    assert _beside_lists(shop, sql) is None


def test_a_list_is_known_to_be_short(shop: Beside) -> None:
    """By its rows or by its different values; not where nobody has counted."""
    assert _beside_lists(shop, UNSOLD, Statistics()) is None
    assert _beside_lists(shop, UNSOLD, known(product=1_000, line=5_000)) is not None
    ten_values = known(product=1_000, line=500_000)
    assert _beside_lists(shop, UNSOLD, ten_values) is not None
    line = ten_values.entity("line")
    many = replace(
        line, attributes=tuple((n, replace(each, distinct=Quantity(400_000))) for n, each in line.attributes)
    )
    assert _beside_lists(shop, UNSOLD, Statistics((("line", many), ("product", ten_values.entity("product"))))) is None


def read_of(sql: str, statistics: Statistics) -> CompiledRead:
    """The cheaper plan, on the normalized design."""
    proposal = pipeline.design(READING, "normalized")
    plan = plan_read(query_of(sql, proposal.design.model), proposal.design, statistics=statistics, price=default_price)
    return compiled_read(plan, name="statement", sql=sql)


def test_the_cheaper_plan_is_taken() -> None:
    """One list for many rows; where few rows ask, a lookup for each."""
    sql = f"SELECT name FROM customer c WHERE {UNASKED}"
    assert read_of(sql, known(customer=1_000, orders=5_000)).collection == "orders"
    assert read_of(sql, known(customer=3, orders=9_000)).collection == "customer"
    assert read_of(UNSOLD, known(product=1_000, line=5_000)).collection == "line"


def test_a_column_whose_nulls_are_refused_is_not_asked_for_them(shop: Beside) -> None:
    """What is found there is looked up then, and not the NULLs there might be."""
    either, known_there = (
        shop.compiled(BOSSES.replace("id > 0", each)) for each in ("id > 0", "boss_id > 0 AND id > 0")
    )
    assert str(either.pipeline).count("$lookup") == str(known_there.pipeline).count("$lookup") + 1


def test_rows_that_are_in_no_list_are_counted() -> None:
    """A list of a tenth of the values there are leaves the other rows, for which all that follows is done."""
    counted = known(customer=1_000, orders=100)
    customer, orders = counted.entity("customer"), counted.entity("orders")
    own = replace(
        customer, attributes=tuple((n, replace(each, distinct=Quantity(1_000))) for n, each in customer.attributes)
    )
    told = replace(
        orders, attributes=tuple((n, replace(each, distinct=Quantity(100))) for n, each in orders.attributes)
    )
    statistics = Statistics((("customer", own), ("orders", told)))
    design = pipeline.design(READING, "normalized").design
    query = query_of("SELECT id FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)", design.model)
    listed = with_lists_first(query.relation, design.model, statistics)
    assert listed is not None
    work = estimate(plan_read(replace(query, relation=listed), design), design, statistics)
    assert work.results == pytest.approx(900, rel=0.02)
