"""Attribute pattern: a list of pairs and one index where many sparse attributes are asked for, not where reads outweigh it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.executors.run import run_read
from nestling.ir.compiled import bind
from nestling.ir.proposal import Proposal
from nestling.pipeline.two_prices import two_prices
from tests.patterns.scenario import Scenario, chosen, scenario

NAMES = ("color", "fabric", "voltage", "author", "flavour", "calibre", "lens", "scent")
COLUMNS = ", ".join(f"{name} TEXT" for name in NAMES)
DDL = f"CREATE TABLE product (id INT NOT NULL PRIMARY KEY, title TEXT NOT NULL, {COLUMNS});"
LOOKS = "".join(
    f"""
-- name: by_{name}, rate: 2/s
-- params: {{"{name}": "{name} 7"}}
SELECT id, title, {name} FROM product WHERE {name} = :{name};
"""
    for name in NAMES
)
WRITES = f"""
-- name: add, rate: 400/s
-- params: {{"id": 90000, "color": "red"}}
INSERT INTO product (id, title, color) VALUES (:id, 'new', :color);

-- name: one, rate: 20/s
-- params: {{"id": 7}}
SELECT id, title FROM product WHERE id = :id;

-- name: retitle, rate: 1/s
-- params: {{"id": 7}}
UPDATE product SET title = 'other' WHERE id = :id;

-- name: recolor, rate: 1/s
-- params: {{"id": 7, "color": "red"}}
UPDATE product SET color = :color WHERE id = :id;

-- name: remove, rate: 1/s
-- params: {{"id": 90000}}
DELETE FROM product WHERE id = :id;
"""
MORE = """
-- name: whole, rate: 1/h
-- params: {"id": 7}
SELECT * FROM product WHERE id = :id;

-- name: several, rate: 1/h
-- params: {"a": "color 7", "b": "color 8"}
SELECT id, title FROM product WHERE color IN (:a, :b);

-- name: shaded, rate: 1/h
-- params: {"color": "color 8", "title": "product 8"}
SELECT id, color FROM product WHERE color = :color AND title = :title;
"""
NULLS = """
-- name: colorless, rate: 1/h
SELECT count(*) FROM product WHERE color IS NULL;

-- name: colorless_or_red, rate: 1/h
-- params: {"color": "color 8"}
SELECT id FROM product WHERE COALESCE(color, :color) = :color;
"""


def products(folder: Path, workload: str = LOOKS + WRITES) -> Scenario:
    """Four thousand products, each with one attribute of eight, of fifty values."""
    rows = [
        (n, f"product {n}", *(f"{name} {n // 8 % 50}" if n % 8 == place else None for place, name in enumerate(NAMES)))
        for n in range(4000)
    ]
    return scenario(folder, DDL, {"product": rows}, workload)
