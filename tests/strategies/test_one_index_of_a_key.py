"""A unique index of embedded rows serves what looks for a value; a second one is there only for joins that may look for NULL."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling import pipeline

SCHEMA = """
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE variant (sku TEXT PRIMARY KEY NOT NULL, product_id INTEGER NOT NULL REFERENCES product (id), stock INTEGER NOT NULL);
CREATE TABLE line (id INTEGER PRIMARY KEY, sku TEXT REFERENCES variant (sku), quantity INTEGER NOT NULL);
"""
ALONE = """
-- name: page, rate: 500/s
SELECT p.name, v.sku, v.stock FROM product p JOIN variant v ON v.product_id = p.id WHERE p.id = :id;
-- name: stock, rate: 500/s
SELECT stock FROM variant WHERE sku = :sku;
"""
JOINED = """
-- name: lines, rate: 50/s
SELECT l.quantity, v.stock FROM line l LEFT JOIN variant v ON v.sku = l.sku WHERE l.id = :id;
"""


@pytest.mark.parametrize("joined", [False, True])
def test_one_index_of_a_key(joined: bool, tmp_path: Path) -> None:
    """Without a join from lines, whose `sku` may be NULL, the unique index is the only one on the key."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO product VALUES (?, ?)", [(n, f"P{n}") for n in range(300)])
        connection.executemany("INSERT INTO variant VALUES (?, ?, ?)", [(f"s{n}", n % 300, n) for n in range(900)])
        connection.executemany(
            "INSERT INTO line VALUES (?, ?, 1)", [(n, f"s{n % 900}" if n % 9 else None) for n in range(2000)]
        )
    (tmp_path / "workload.sql").write_text(ALONE + (JOINED if joined else ""))
    made = pipeline.design(
        pipeline.inspect(f"sqlite:///{tmp_path}/shop.db", workload=tmp_path / "workload.sql"), "embedded"
    )
    keys = [each.unique for each in made.design.indexes if [path for path, _ in each.keys] == ["variant.sku"]]
    paths = sorted(path for each in made.design.indexes for path, _ in each.keys)
    assert keys == ([True, False] if joined else [True]), paths
