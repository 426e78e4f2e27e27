"""Child references: a parent lists the ids of its children where no more of them is shown with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.primitives import Form
from tests.patterns.scenario import Scenario, chosen, scenario
from tests.two_prices import two_prices

DDL = """CREATE TABLE product (id INT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE part (id INT NOT NULL PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES product (id), name TEXT NOT NULL,
    maker TEXT NOT NULL, drawing TEXT NOT NULL);"""
WORKLOAD = """
-- name: parts_of, rate: 300/s
-- params: {"id": 3}
SELECT p.name, t.id FROM product p JOIN part t ON t.product_id = p.id WHERE p.id = :id;

-- name: part_page, rate: 300/s
-- params: {"id": 30}
SELECT name, maker, drawing FROM part WHERE id = :id;

-- name: parts_of_makers, rate: 100/s
-- params: {"maker": "maker 3"}
SELECT id, drawing FROM part WHERE maker = :maker;

-- name: add, rate: 1/h
-- params: {"id": 9000, "product": 3}
INSERT INTO part (id, product_id, name, maker, drawing) VALUES (:id, :product, 'bolt', 'maker 1', 'line');
"""


def parts(folder: Path) -> Scenario:
    """A hundred products of twelve parts, each part with a drawing of 3 kB."""
    rows = [(n, n // 12, f"part {n}", f"maker {n % 100}", "line " * 600) for n in range(1200)]
    return scenario(folder, DDL, {"product": [(n, f"product {n}") for n in range(100)], "part": rows}, WORKLOAD)


@pytest.mark.thorough
def test_a_product_lists_the_ids_of_its_parts(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Bare ids in the product's document answer by themselves; parts keep their own collection and their product's id."""
    application = parts(tmp_path)
    proposal = application.designed()
    assert chosen(proposal, "child-reference") == ["ids of part in product by product_part"]
    product = next(each for each in proposal.design.collections if each.root == "product")
    assert [(copy.name, copy.form) for copy in product.body.copies] == [("part_ids", Form.SCALARS)]
    assert "look up" not in application.compiled(proposal, "parts_of").access_path
    application.proved(proposal, database)


@pytest.mark.thorough
def test_a_product_whose_parts_come_all_the_time_lists_none(tmp_path: Path) -> None:
    """Each new part would change its product too, and the list would grow; the flip point is the rate of who reads it."""
    application = parts(tmp_path)
    assert chosen(application.with_rates(add=3000.0).explained(), "child-reference") == []
    kept = next(each for each in application.explained().weighed if each.chosen and each.pattern == "child-reference")
    assert any(flip.quantity == "rate of parts_of" for flip in kept.flips)


def test_prices_are_those_of_what_is_compiled(tmp_path: Path) -> None:
    """Within one and a half times, with the ids listed and without."""
    application = parts(tmp_path)
    for rate in (1 / 3600, 3000.0):
        rated = application.with_rates(add=rate)
        found = two_prices(rated.reading, rated.designed())
        assert found.keys() == {"parts_of", "part_page", "parts_of_makers", "add"}
        assert {name: each for name, each in found.items() if each.factor > 1.5} == {}
