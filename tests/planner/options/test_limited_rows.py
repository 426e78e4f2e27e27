"""Rows that a subquery in FROM limits: the search takes into account so many and no more, as the compiled query does."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.reading import Reading
from tests.two_prices import two_prices

SCHEMA = """
CREATE TABLE seller (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE product (id INTEGER PRIMARY KEY, seller_id INTEGER NOT NULL, title TEXT NOT NULL, at INTEGER NOT NULL,
  FOREIGN KEY (seller_id) REFERENCES seller (id));
CREATE TABLE size (product_id INTEGER PRIMARY KEY REFERENCES product (id), width INTEGER NOT NULL);
CREATE TABLE tag (product_id INTEGER NOT NULL REFERENCES product (id), name TEXT NOT NULL,
  PRIMARY KEY (product_id, name));
"""
STATEMENTS = {
    "page": "SELECT f.number, f.title, f.width, t.name FROM (SELECT p.id AS number, p.title, p.at, s.width FROM product p"
    " LEFT JOIN size s ON s.product_id = p.id ORDER BY p.at DESC, p.id LIMIT 20 OFFSET :skip) AS f"
    " LEFT JOIN tag t ON t.product_id = f.number ORDER BY f.at DESC, f.number, t.name",
    "any_sellers": "SELECT s.id, s.name FROM (SELECT p.seller_id FROM product p LIMIT 50) AS f"
    " JOIN seller s ON s.id = f.seller_id",
    "like": "SELECT f.title, t.name FROM (SELECT p.id, p.title FROM product p WHERE p.title LIKE '%1%' LIMIT 5) AS f"
    " JOIN tag t ON t.product_id = f.id",
    "any_titles": "SELECT p.title FROM product p WHERE p.at > 100 LIMIT 10",
    "few_counted": "SELECT count(*) AS n FROM (SELECT p.id FROM product p WHERE p.at > 100 LIMIT 30) AS f",
}
WORKLOAD = "\n".join(
    f"-- name: {name}, rate: 5/s\n" + ('-- params: {"skip": 40}\n' if ":skip" in sql else "") + f"{sql};"
    for name, sql in STATEMENTS.items()
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Reading]:
    """A SQLite file with many products of few sellers, and what is read of it."""
    folder, draw = tmp_path_factory.mktemp("limited"), random.Random(4)
    with closing(sqlite3.connect(folder / "store.db")) as connection, connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO seller VALUES (?, ?)", [(n, f"S{n}") for n in range(300)])
        products = [(n, draw.randrange(300), f"T {n}", draw.randrange(10**6)) for n in range(5000)]
        connection.executemany("INSERT INTO product VALUES (?, ?, ?, ?)", products)
        connection.executemany("INSERT INTO size VALUES (?, ?)", [(n, n) for n in range(0, 5000, 2)])
        connection.executemany("INSERT INTO tag VALUES (?, ?)", [(n, t) for n in range(5000) for t in "abc"])
    (folder / "workload.sql").write_text(WORKLOAD)
    source = f"sqlite:///{folder}/store.db"
    return folder, pipeline.inspect(source, workload=folder / "workload.sql")


@pytest.mark.parametrize("strategy", ["optimal", "normalized", "embedded"])
def test_the_search_assumes_the_limit(store: tuple[Path, Reading], strategy: str) -> None:
    """No statement costs twice what its query does, wherever the tags lie."""
    prices = two_prices(store[1], pipeline.design(store[1], strategy))
    assert prices.keys() == STATEMENTS.keys()
    assert not {name: each for name, each in prices.items() if each.factor > 2}


@pytest.mark.thorough
def test_no_index_is_chosen_for_any_few_rows(store: tuple[Path, Reading], database: Database[dict[str, Any]]) -> None:
    """A LIMIT without an order reads the first rows: no index of the foreign key serves it, and the answers are SQLite's."""
    folder, reading = store
    chosen = pipeline.design(reading)
    assert not [each for each in chosen.design.indexes if each.keys[0][0] == "seller_id"]
    pipeline.load(chosen, f"sqlite:///{folder}/store.db", database, check=False)
    made = Store(chosen, database, workload=folder / "workload.sql")
    with closing(sqlite3.connect(folder / "store.db")) as connection, connection:
        wanted = connection.execute(STATEMENTS["page"], {"skip": 40}).fetchall()
    assert [tuple(row.values()) for row in made.run("page", skip=40)] == wanted
    assert len(list(made.run("any_sellers"))) == 50
