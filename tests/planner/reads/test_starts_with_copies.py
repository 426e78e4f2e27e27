"""A join of all rows begins at the table whose rows have copies of all that is asked of the other."""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.pipeline import convert

SOLD = (
    "SELECT p.name, sum(l.quantity) AS sold FROM purchase_line l JOIN product p ON p.product_id = l.product_id"
    " GROUP BY p.product_id, p.name ORDER BY sold DESC LIMIT 20"
)


def test_nothing_is_looked_up(shop_design: Callable[[str], Proposal]) -> None:
    """The name of what is sold stands in the lines."""
    found = convert(shop_design("optimal"), SOLD)
    assert isinstance(found, CompiledRead)
    assert found.collection == "purchase"
    assert "$lookup" not in str(found.pipeline)


def test_what_is_not_copied_is_looked_up(shop_design: Callable[[str], Proposal]) -> None:
    found = convert(shop_design("optimal"), SOLD.replace("p.name", "p.added_on"))
    assert isinstance(found, CompiledRead)
    assert "$lookup" in str(found.pipeline)
