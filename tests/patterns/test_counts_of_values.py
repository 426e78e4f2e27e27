"""A count of values that each row has is the count of its rows: one is kept for both, whichever a statement says."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.pipeline import inspect
from tests.least_cost import designed
from tests.patterns.scenario import chosen

MODEL = """
nestling: 1
dialect: postgresql
model:
  name: ratings
  entities:
    product: {{key: id, attributes: {{id: integer!, title: text!}}}}
    review: {{key: id, attributes: {{id: integer!, product_id: integer!, rating: {rating}}}}}
  relationships:
    reviews: {{parent: product, child: review, attributes: product_id, required: true}}
statistics:
  entities: {{product: {{count: 500}}, review: {{count: 200000}}}}
  relationships: {{reviews: {{mean: 400, maximum: 2000, grows: 1}}}}
workload:
  rating: {{sql: "{sql}", rate: 800/s}}
  write: {{sql: "INSERT INTO review (id, product_id, rating) VALUES (:r, :p, :s)", rate: 1/s}}
"""
OF_ONE = "SELECT {}, avg(rating) AS stars FROM review WHERE product_id = :id"
JOINED = (
    "SELECT p.title, count(r.id) AS n, avg(r.rating) AS stars FROM product p LEFT JOIN review r ON r.product_id = p.id"
    " WHERE p.id = :id GROUP BY p.id, p.title"
)
ROWS, VALUES, SUM = (
    f"{each} in product by reviews" for each in ("count of review", "count of review.rating", "sum of review.rating")
)


@pytest.mark.parametrize(
    ("rating", "sql", "kept"),
    [
        ("integer!", OF_ONE.format("count(*) AS n"), [ROWS, SUM]),
        ("integer!", OF_ONE.format("count(rating) AS n"), [ROWS, SUM]),
        ("integer!", JOINED, [ROWS, SUM]),
        ("integer", OF_ONE.format("count(rating) AS n"), [VALUES, SUM]),
    ],
)
def test_what_is_kept(rating: str, sql: str, kept: list[str], tmp_path: Path) -> None:
    """The number of rows and a sum for an exact average; of values that rows may lack, their own number."""
    path = tmp_path / "ratings.yaml"
    path.write_text(MODEL.format(rating=rating, sql=sql), encoding="utf-8")
    assert sorted(chosen(designed(inspect(str(path))), "computed")) == sorted(kept)
