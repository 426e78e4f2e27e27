"""A join that no index serves is told when its statement is converted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.pipeline import convert

SCANS = (
    ("SELECT r.rating FROM customer c JOIN review r ON r.body = c.name WHERE c.customer_id = :c", "review", "body"),
    (
        "SELECT count(*) FROM customer c LEFT JOIN product p ON p.name = c.name AND p.stock > 3 WHERE c.customer_id = :c",
        *("product", "name"),
    ),
    (
        "SELECT name FROM product p WHERE p.product_id = :p AND EXISTS (SELECT 1 FROM customer c WHERE c.name = p.name)",
        *("customer", "name"),
    ),
)
SEEKS = (
    "SELECT count(*) FROM review r LEFT JOIN product p ON p.price = r.rating AND p.stock > 3",  # read once for all
    "SELECT r.rating FROM customer c JOIN review r ON r.customer_id = c.customer_id",
    "SELECT p.name FROM review r JOIN product p ON p.product_id = r.product_id WHERE r.body = :b",
    "SELECT c.name FROM product p JOIN customer c ON c.email = p.name",
    "SELECT l.quantity FROM purchase p JOIN purchase_line l ON l.purchase_id = p.purchase_id AND l.quantity = p.customer_id",
    "SELECT c.level FROM customer a JOIN loyalty_card c ON c.customer_id = a.customer_id AND c.level = a.name",
    "SELECT a.name FROM category c JOIN category a ON a.name = c.name",
)


@pytest.mark.parametrize(("sql", "collection", "path"), SCANS)
def test_it_is_told_with_what_is_read_for_each_row(
    shop_design: Callable[[str], Proposal], sql: str, collection: str, path: str
) -> None:
    made = convert(shop_design("normalized"), sql)
    assert isinstance(made, CompiledRead)
    (note,) = made.notes
    assert note.startswith("for each row it joins, the server reads all of")
    assert f"all of `{collection}`" in note
    assert f"by `{path}`" in note


@pytest.mark.parametrize("sql", SEEKS)
def test_nothing_is_told_where_an_index_finds_them_or_there_are_few(
    shop_design: Callable[[str], Proposal], sql: str
) -> None:
    made = convert(shop_design("normalized"), sql)
    assert isinstance(made, CompiledRead)
    assert made.notes == ()


def test_a_statement_of_the_workload_was_weighed(shop_design: Callable[[str], Proposal]) -> None:
    proposal = shop_design("optimal")
    sql, _, _ = SCANS[0]
    new, known = (convert(proposal, sql, name=name) for name in ("new", proposal.priced[0]))
    assert isinstance(new, CompiledRead)
    assert isinstance(known, CompiledRead)
    assert new.notes
    assert known.notes == ()
