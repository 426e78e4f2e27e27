"""What keys and foreign keys cost a row that is put into its parent's document: what the write's program asks, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.pipeline import design, inspect
from tests.two_prices import two_prices

READING = """
nestling: 1
dialect: postgresql
model:
  name: small
  entities:
    person: {{key: id, attributes: {{id: integer!, name: text!}}}}
    pet: {{key: [{key}], attributes: {{id: integer!, person_id: integer!, name: text!}}}}
  relationships:
    pets: {{parent: person, child: pet, attributes: person_id, required: true}}
statistics:
  entities: {{person: {{count: 1000}}, pet: {{count: 2000}}}}
  relationships: {{pets: {{mean: 2, maximum: 5}}}}
workload:
  add_pet: {{sql: "INSERT INTO pet (id, person_id, name) VALUES (:id, :person, :name)", rate: 1/s}}
"""


@pytest.mark.parametrize("key", ["id", "person_id, id", "person_id, id, name"])
def test_the_parent_is_not_read_before(tmp_path: Path, key: str) -> None:
    """The command that puts the row there finds its parent or refuses the row, whatever the row's own key is."""
    (tmp_path / "model.yaml").write_text(READING.format(key=key), encoding="utf-8")
    reading = inspect(str(tmp_path / "model.yaml"))
    prices = two_prices(reading, design(reading, "embedded"))["add_pet"]
    assert prices.factor < 1.3, prices
