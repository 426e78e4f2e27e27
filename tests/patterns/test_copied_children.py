"""Children copied into their parent: where both are read alone and together, and what is shown of them hardly changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.patterns.scenario import Scenario, chosen, scenario

DDL = """CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE part (id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES product (id), name TEXT NOT NULL,
    stock INTEGER NOT NULL, maker TEXT NOT NULL, drawing TEXT NOT NULL);"""
WORKLOAD = """
-- name: product_page, rate: 300/s
-- params: {"id": 3}
SELECT p.name, t.id, t.name FROM product p JOIN part t ON t.product_id = p.id WHERE p.id = :id;

-- name: part_page, rate: 300/s
-- params: {"id": 30}
SELECT name, stock, maker, drawing FROM part WHERE id = :id;

-- name: parts_of_makers, rate: 100/s
-- params: {"maker": "maker 3"}
SELECT id, stock, drawing FROM part WHERE maker = :maker;

-- name: sold, rate: 200/s
-- params: {"id": 30}
UPDATE part SET stock = stock - 1 WHERE id = :id;

-- name: rename, rate: 1/h
-- params: {"id": 30, "name": "bolt"}
UPDATE part SET name = :name WHERE id = :id;
"""


def parts(folder: Path) -> Scenario:
    """A hundred products of twelve parts, each part with a drawing of 3 kB."""
    rows = [(n, n // 12, f"part {n}", n % 50, f"maker {n % 100}", "line " * 600) for n in range(1200)]
    return scenario(folder, DDL, {"product": [(n, f"product {n}") for n in range(100)], "part": rows}, WORKLOAD)


def copies(application: Scenario) -> list[str]:
    """The chosen copies of children."""
    return chosen(application.designed(), "copied-children")


def test_names_of_parts_are_copied_their_stock_is_not(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """The product's page reads one document; a sale changes the part alone, field by field (B5)."""
    application = parts(tmp_path)
    proposal = application.designed()
    found = chosen(proposal, "copied-children")
    assert len(found) == 1
    assert "stock" not in found[0]
    assert "look up" not in application.compiled(proposal, "product_page").access_path
    application.proved(proposal, database)


@pytest.mark.thorough
def test_names_that_change_all_the_time_are_not_copied(tmp_path: Path) -> None:
    """Each change would touch the product too: at more changes than pages the copy is dearer than a lookup."""
    assert copies(parts(tmp_path).with_rates(rename=3000.0)) == []
