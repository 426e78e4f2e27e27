"""A join of all parents and children that begins at the children, which have copies: the search knows of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.pipeline import convert, inspect
from tests.least_cost import designed
from tests.two_prices import two_prices

SALES = """
nestling: 1
dialect: postgresql
model:
  name: sales
  entities:
    product: {key: product_id, attributes: {product_id: integer!, name: text!, kind: text!, blurb: text!}}
    purchase: {key: purchase_id, attributes: {purchase_id: integer!, placed: date!}}
    line:
      key: [purchase_id, line]
      attributes: {purchase_id: integer!, line: integer!, product_id: integer!, quantity: integer!}
  relationships:
    has: {parent: purchase, child: line, attributes: purchase_id, cardinality: "1:N", required: true}
    of: {parent: product, child: line, attributes: product_id, cardinality: "1:N", required: true}
statistics:
  entities:
    product: {count: 500, attributes: {kind: {distinct: 5}, blurb: {average_bytes: 3000}}}
    purchase: {count: 20000}
    line: {count: 60000}
workload:
  shown:
    sql: >-
      SELECT l.line, l.quantity, p.name, p.kind FROM line l JOIN product p ON p.product_id = l.product_id
      WHERE l.purchase_id = :purchase
    rate: 300/s
  asked: {sql: "%s", rate: 1/min}
"""
JOINED = "FROM line l JOIN product p ON p.product_id = l.product_id"
BEGUN = {
    "groups": f"SELECT p.name, sum(l.quantity) AS sold {JOINED} GROUP BY p.product_id, p.name ORDER BY sold DESC LIMIT 20",
    "rows": f"SELECT p.name, l.purchase_id, l.quantity {JOINED}",
    "rows in the parents' order": f"SELECT p.name, l.purchase_id, l.quantity {JOINED} ORDER BY p.name",
    "some parents": f"SELECT p.name, l.purchase_id {JOINED} WHERE p.kind <> :kind",
    "some children": f"SELECT p.kind, sum(l.quantity) AS sold {JOINED} WHERE l.quantity > 0 GROUP BY p.kind",
}
NOT_BEGUN = {
    "what is not copied": f"SELECT p.blurb, sum(l.quantity) AS sold {JOINED} GROUP BY p.product_id, p.blurb",
    "parents without children": (
        "SELECT p.name, count(l.line) AS n FROM product p LEFT JOIN line l ON l.product_id = p.product_id"
        " GROUP BY p.product_id, p.name"
    ),
}


def sales(folder: Path, sql: str) -> tuple[Reading, Proposal]:
    """The design for purchases shown often and a statement about all lines."""
    path = folder / "sales.yaml"
    path.write_text(SALES % sql, encoding="utf-8")
    reading = inspect(path)
    return reading, designed(reading)


@pytest.mark.parametrize("sql", BEGUN.values(), ids=BEGUN)
def test_no_index_is_chosen_for_another_way(sql: str, tmp_path: Path) -> None:
    """Lines are read through once and no product is looked up; both prices say so."""
    reading, proposal = sales(tmp_path, sql)
    assert "$lookup" not in str(convert(proposal, sql))
    assert not proposal.design.indexes
    assert two_prices(reading, proposal)["asked"].factor < 2.0


@pytest.mark.parametrize("sql", NOT_BEGUN.values(), ids=NOT_BEGUN)
def test_others_begin_at_the_parents(sql: str, tmp_path: Path) -> None:
    """The query costs no more than was assumed; lines that are summed before their products are looked up cost less."""
    reading, proposal = sales(tmp_path, sql)
    prices = two_prices(reading, proposal)["asked"]
    assert prices.compiled < 2.0 * prices.search
    assert prices.factor < 3.0
