"""Parameters that are lists of values: the rows SQLite finds for the same lists written out, on every kind of design."""

from __future__ import annotations

import pytest

from nestling.common.errors import WorkloadError
from nestling.ir.programs.compiled import bind
from nestling.planner.reads import NO_REWRITES
from tests.planner.reads.beside_sqlite import Beside

NUMBERS: tuple[object, ...] = (
    [1, 3, 10],
    [],
    [2, 2, 10, 2],
    [1, None],
    [None],
    None,
    ["1", 2.0, "x", True],
    [1.5, "3.0", 1 << 60],
    list(range(500)),
)
TEXTS: tuple[object, ...] = (["Oslo", "open", "Bern"], [], ["Oslo", None], None, ["$name", "", 1], ["Oslo", "Oslo"])
BY_NUMBER = (
    "SELECT id, name FROM customer WHERE id = ANY(:these)",
    "SELECT id, name FROM customer WHERE id NOT IN :these ORDER BY id -- total order",
    "SELECT id FROM employee WHERE boss_id <> ALL (:these)",
    "SELECT id FROM employee WHERE NOT (boss_id IN :these OR id = 1)",
    "SELECT id, boss_id IN :these AS here, boss_id NOT IN :these AS not_here FROM employee",
    "SELECT quantity FROM line WHERE order_id = ANY(:these)",
    "SELECT order_id, no FROM line WHERE order_id IN :these AND no = ANY(:these)",
    "SELECT order_id, no FROM line WHERE product_id NOT IN :these",
    "SELECT name, o.id, no FROM customer c JOIN orders o ON customer_id = c.id JOIN line ON order_id = o.id WHERE c.id IN :these",
    "SELECT o.id, quantity FROM orders o LEFT JOIN line ON order_id = o.id AND no NOT IN :these WHERE quantity IS NULL",
    "SELECT c.id, o.total FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total NOT IN :these",
    "SELECT l.no, p.title FROM line l LEFT JOIN product p ON p.id = l.product_id AND p.maker_id IN :these",
    "SELECT p.id, p.maker_id NOT IN :these FROM line l LEFT JOIN product p ON p.id = l.product_id",
    "SELECT customer_id, count(*), sum(total) FROM orders WHERE customer_id = ANY(:these) GROUP BY customer_id",
    "SELECT city, count(*) FROM customer GROUP BY city HAVING count(*) IN :these",
    "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.id <> ALL (:these))",
    "SELECT id FROM orders WHERE id + 0 = ANY(:these) OR total NOT IN :these",
    "SELECT country FROM passport WHERE employee_id IN :these",
)
BY_TEXT = (
    "SELECT id FROM customer WHERE city = ANY(:these)",
    "SELECT id FROM customer WHERE city NOT IN :these",
    "SELECT id FROM orders WHERE lower(status) IN :these AND customer_id IN (SELECT id FROM customer WHERE city IN :these)",
    "SELECT id, CASE WHEN status = ANY(:these) THEN 1 WHEN status <> ALL (:these) THEN 2 END AS kind FROM orders",
    "SELECT id FROM customer WHERE substr(city, 1, 4) = ANY(:these)",
    "SELECT id FROM customer WHERE city COLLATE NOCASE IN :these",
    "SELECT id FROM customer WHERE city COLLATE RTRIM NOT IN :these",
)
CASES = [*((sql, NUMBERS) for sql in BY_NUMBER), *((sql, TEXTS) for sql in BY_TEXT)]


@pytest.mark.one_in(3)
@pytest.mark.in_turn("shop")
@pytest.mark.parametrize(("sql", "lists"), CASES)
def test_a_list_is_its_values(shop: Beside, sql: str, lists: tuple[object, ...]) -> None:
    """With every rewrite and with none: empty lists, NULLs in them and instead of them, what SQLite converts."""
    for given in lists:
        theirs = sorted(map(repr, shop.theirs(sql, {"these": given})))
        assert sorted(map(repr, shop.mine(sql, {"these": given}))) == theirs, given
        assert sorted(map(repr, shop.mine(sql, {"these": given}, NO_REWRITES))) == theirs, given


def test_the_shortest_form(shop: Beside) -> None:
    """One operator and the list, nothing about NULL where none can be."""
    read = shop.compiled("SELECT name FROM customer WHERE id = ANY(:ids)")
    assert bind(read, {"ids": (1, 2)}).filter == {"_id": {"$in": [1, 2]}}


@pytest.mark.parametrize("given", [1, "12", {"$ne": None}, b"12"])
def test_one_value_is_no_list(shop: Beside, given: object) -> None:
    """Said in plain words, with what to give."""
    with pytest.raises(WorkloadError, match=r"parameter `ids` must be a list of values, not \w+") as raised:
        shop.mine("SELECT name FROM customer WHERE id = ANY(:ids)", {"ids": given})
    assert "[1, 2]" in str(raised.value)


@pytest.mark.parametrize("item", [{"$ne": None}, [1], object()])
def test_no_item_is_an_operator(shop: Beside, item: object) -> None:
    """A document or list among the values is refused."""
    with pytest.raises(WorkloadError, match="each value of parameter `ids` must be a value"):
        shop.mine("SELECT name FROM customer WHERE id IN :ids", {"ids": [1, item]})


def test_a_list_is_no_value(shop: Beside) -> None:
    """In parentheses the parameter is one value."""
    with pytest.raises(WorkloadError, match="parameter `id` must be a value"):
        shop.mine("SELECT name FROM customer WHERE id IN (:id)", {"id": [1, 2]})
