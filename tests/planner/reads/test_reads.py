"""Statements on every kind of design return what SQLite returns, with every rewrite and with none."""

from __future__ import annotations

import pytest

from nestling.ir.programs.compiled import CompiledRead
from nestling.planner.reads import ALL_REWRITES, NO_REWRITES, Rewrite
from tests.planner.reads.beside_sqlite import Beside
from tests.planner.reads.shop import STATEMENTS


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_statements_are_equal(shop: Beside, sql: str) -> None:
    """With every rewrite."""
    shop.assert_equal(sql)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_statements_are_equal_without_rewrites(shop: Beside, sql: str) -> None:
    """With none: the steps over home views alone."""
    shop.assert_equal(sql, rewrites=NO_REWRITES)


@pytest.fixture(scope="module")
def compiled(shop: Beside) -> dict[str, list[CompiledRead]]:
    """Each statement with a join, subquery or filter as it was asked above: with every rewrite, and with none."""
    wanted = [sql for sql in STATEMENTS if " JOIN " in sql or "SELECT" in sql[6:] or "WHERE" in sql]
    return {sql: [shop.compiled(sql, rewrites) for rewrites in (ALL_REWRITES, NO_REWRITES)] for sql in wanted}


@pytest.mark.one_in(8)
@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("rewrite", sorted(Rewrite))
def test_each_rewrite_alone_changes_no_answer(
    shop: Beside, compiled: dict[str, list[CompiledRead]], rewrite: Rewrite
) -> None:
    """Each by itself, and all but it, asked wherever that is another read than those above."""
    for sql, asked in compiled.items():
        for rewrites in ({rewrite}, ALL_REWRITES - {rewrite}):
            if shop.compiled(sql, rewrites) not in asked:
                shop.assert_equal(sql, rewrites=rewrites)


def test_parameters_are_bound_when_a_read_runs(shop: Beside) -> None:
    """Values are bound, and NULL makes a comparison that is never true."""
    sql = "SELECT id FROM customer WHERE city = :city AND id > :least LIMIT :n"
    shop.assert_equal(sql, {"city": "Oslo", "least": 1, "n": 5})
    shop.assert_equal(sql, {"city": None, "least": 1, "n": 5})
    shop.assert_equal(sql, {"city": "Oslo", "least": 0, "n": 0})
    shop.assert_equal(sql, {"city": "Oslo", "least": 0, "n": -1})


def test_part_of_a_compound_key(shop: Beside) -> None:
    """All parts and the first few, given by parameters that may be NULL."""
    for values in ({"o": 10, "n": 2}, {"o": 10, "n": None}, {"o": 99, "n": 1}):
        shop.assert_equal("SELECT quantity FROM line WHERE order_id = :o AND no = :n", values)
        shop.assert_equal("SELECT quantity FROM line WHERE order_id = :o AND no > :n", values)
        shop.assert_equal("SELECT quantity FROM line WHERE order_id = :o", {"o": values["o"]})
