"""What a deletion takes along is found by reading it: what structures add to those documents is read as often as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline
from nestling.pipeline.designing import posed_problem

MODEL = """
nestling: 1
dialect: postgresql
model:
  name: shops
  entities:
    region: {{key: region_id, attributes: {{region_id: integer!}}}}
    shop: {{key: shop_id, attributes: {{shop_id: integer!, region_id: integer!}}}}
    customer: {{key: customer_id, attributes: {{customer_id: integer!, name: text!}}}}
    sale:
      key: sale_id
      attributes: {{sale_id: integer!, shop_id: integer!, customer_id: integer!, price: integer!, minutes: text!}}
  relationships:
    lies_in: {{parent: region, child: shop, attributes: region_id, required: true, on_delete: cascade}}
    sold_in: {{parent: shop, child: sale, attributes: shop_id, required: true, on_delete: cascade}}
    bought: {{parent: customer, child: sale, attributes: customer_id, required: true}}
statistics:
  entities:
    region: {{count: {regions}}}
    shop: {{count: 1000}}
    customer: {{count: 5000}}
    sale: {{count: 100000, attributes: {{minutes: {{average_bytes: 4000}}}}}}
  relationships: {{lies_in: {{mean: {each}}}, sold_in: {{mean: 100, maximum: 100}}, bought: {{mean: 20}}}}
workload:
  bill:
    sql: "SELECT s.price, c.name FROM sale s JOIN customer c ON c.customer_id = s.customer_id WHERE s.sale_id = :id"
    rate: 100/s
  shop_gone: {{sql: "DELETE FROM shop WHERE shop_id = :id", rate: 1/s}}
  region_gone: {{sql: "DELETE FROM region WHERE region_id = :id", rate: 1/s}}
"""


@pytest.mark.parametrize(("regions", "each"), [(100_000, 0.01), (100, 10)])
def test_what_is_added_to_documents_is_read_with_them(tmp_path: Path, regions: int, each: float) -> None:
    """Documents of a hundredth of a shop, or of ten; then no price of them is negative where attributes lie apart."""
    path = tmp_path / "shops.yaml"
    path.write_text(MODEL.format(regions=regions, each=each), encoding="utf-8")
    problem = posed_problem(pipeline.inspect(path), None, None).problem
    shop, region = (
        {
            mode.text: mode
            for step in problem.steps
            if step.statement == name and step.name.endswith("sale by sold_in")
            for mode in step.modes
            if mode.loads
        }
        for name in ("shop_gone", "region_gone")
    )
    assert any(name.endswith("all of it") for name in region)
    for text, mode in region.items():
        assert dict(mode.loads) == pytest.approx({name: each * cost for name, cost in shop[text].loads}), text
    apart = {load.name: sum(amount for _, amount in load.amounts if amount < 0) for load in problem.loads}
    assert any(apart.values())
    assert all(mode.cost + sum(cost * apart[name] for name, cost in mode.loads) > 0 for mode in region.values())
