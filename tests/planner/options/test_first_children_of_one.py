"""The first children of one parent cost the same by whichever key, and a copy of the parent's name saves one lookup each."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline

READING = """
nestling: 1
dialect: postgresql
model:
  name: f
  entities:
    p: {{key: id, attributes: {{id: integer!, name: text!}}}}
    c: {{key: id, attributes: {{id: integer!, p_id: integer!, at: timestamp!, v: integer!, txt: text}}}}
  relationships:
    pc: {{parent: p, child: c, attributes: p_id, required: true}}
statistics:
  entities:
    p: {{count: 10000, attributes: {{name: {{average_bytes: 30}}}}}}
    c: {{count: 20000000, attributes: {{txt: {{average_bytes: 100}}}}}}
  relationships:
    pc: {{mean: 2000, maximum: 200000}}
workload:
  page: {{sql: "SELECT p.name, c.v, c.txt FROM p JOIN c ON c.p_id = p.id WHERE {key} = :id ORDER BY c.at DESC LIMIT 10", rate: 500/s}}
  w: {{sql: "INSERT INTO c (id,p_id,at,v,txt) VALUES (:i,:p,:t,:v,:x)", rate: 1/s}}
"""  # noqa: E501 - a statement is one line


def test_a_key_is_worth_its_foreign_key(tmp_path: Path) -> None:
    """The parent's key and the foreign key that equals it make the same design at the same price."""
    costs = []
    for key in ("p.id", "c.p_id"):
        file = tmp_path / "model.yaml"
        file.write_text(READING.format(key=key), encoding="utf-8")
        made = pipeline.design(pipeline.inspect(file))
        assert ("c", (("p_id", 1), ("at", -1))) in {(each.collection, each.keys) for each in made.design.indexes}
        gains = {each.structure: each.gain for each in made.weighed if each.chosen}
        costs.append(made.costs.cost if made.costs is not None else None)
        assert gains["p.name in c"] == pytest.approx(0.092, rel=0.1)
    assert costs[0] == pytest.approx(costs[1])
