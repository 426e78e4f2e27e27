"""Both prices agree on rows that move to another parent, and on the rows above one of a tree."""

from __future__ import annotations

from pathlib import Path

from nestling.pipeline import design, inspect
from tests.two_prices import TwoPrices, two_prices

MOVES = """nestling: 1
dialect: postgresql
model:
  name: people
  entities:
    country: {key: code, attributes: {code: text!, name: text!}}
    citizen: {key: citizen_id, attributes: {citizen_id: integer!, code: text!, name: text!}}
  relationships:
    lives: {parent: country, child: citizen, attributes: code, required: true, enforced: true}
statistics:
  entities: {country: {count: 20}, citizen: {count: 20000000}}
  relationships: {lives: {mean: 1000000, maximum: 5000000}}
workload:
  one: {sql: "SELECT z.name, c.name FROM citizen z JOIN country c ON c.code = z.code WHERE z.citizen_id = :id", rate: 1000/s}
  count: {sql: "SELECT count(*) AS n FROM citizen WHERE code = :c", rate: 5/s}
  move: {sql: "UPDATE citizen SET code = :c WHERE citizen_id = :id", rate: 10/s}
"""
TREE = """nestling: 1
dialect: postgresql
model:
  name: tree
  entities: {node: {key: node_id, attributes: {node_id: integer!, parent_id: integer, name: text!}}}
  relationships: {under: {parent: node, child: node, attributes: parent_id}}
statistics:
  entities: {node: {count: 50000}}
  relationships: {under: {mean: 1, maximum: 200}}
workload:
  path:
    sql: >-
      WITH RECURSIVE s(node_id, parent_id, name) AS (SELECT node_id, parent_id, name FROM node WHERE node_id = :id UNION ALL
      SELECT n.node_id, n.parent_id, n.name FROM node n JOIN s ON n.node_id = s.parent_id) SELECT node_id, name FROM s
    rate: 80/s
  add: {sql: "INSERT INTO node (node_id, parent_id, name) VALUES (:id, :p, :n)", rate: 1/s}
"""


def prices(folder: Path, model: str, statement: str, kept: str) -> TwoPrices:
    """Both prices of a statement on the least-cost design, which keeps something."""
    path = folder / "model.yaml"
    path.write_text(model, encoding="utf-8")
    reading = inspect(path)
    made = design(reading)
    assert kept in repr(made.design)
    return two_prices(reading, made)[statement]


def test_a_row_that_moves_changes_both_parents_and_its_copies(tmp_path: Path) -> None:
    """Its old parent counts one less and its new one one more; its copies are changed by a command of their own."""
    assert prices(tmp_path, MOVES, "move", "Computed(").factor < 1.25


def test_rows_above_that_are_kept_are_shown_by_light_stages(tmp_path: Path) -> None:
    """What a row keeps of those above it is shown without a lookup."""
    assert prices(tmp_path, TREE, "path", "closure=True").factor < 1.25
