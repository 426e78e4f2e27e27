"""The first few children are kept for the statements they answer, and for no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.patterns.scenario import Scenario, chosen, scenario

DDL = """CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, address TEXT NOT NULL);
CREATE TABLE review (id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES product (id),
    customer_id INTEGER NOT NULL REFERENCES customer (id), seller_id INTEGER REFERENCES customer (id),
    stars INTEGER NOT NULL, word TEXT NOT NULL, at TIMESTAMP NOT NULL, text TEXT NOT NULL);"""
LAST = "ORDER BY r.at DESC LIMIT 5"
OF_ONE = "FROM review r WHERE r.product_id = :id"


def shop(folder: Path, sql: str, *, rare: str = "SELECT name FROM product WHERE id = :id") -> Scenario:
    """Products with many long reviews; one read, very often, and another."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "product": [(n, f"product {n}") for n in range(20)],
        "customer": [(n, f"customer {n}", "street " * 30) for n in range(500)],
        "review": [
            (n, n % 20, n % 500, n % 7 or None, n % 5, f"word {n % 9}", _moment(n), "w " * 80) for n in range(4000)
        ],
    }
    asked = [("asked", "5000/s", sql), ("rare", "1/min", rare)]
    statements = [f'-- name: {name}, rate: {rate}\n-- params: {{"id": 3}}\n{text};\n' for name, rate, text in asked]
    return scenario(folder, DDL, rows, "\n".join(statements))


def _moment(number: int) -> str:
    return f"2026-{1 + number // 400:02d}-{1 + number // 20 % 20:02d} 08:{number % 60:02d}:00"


@pytest.mark.thorough
def test_the_first_few_come_from_their_parent(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Whatever is joined to them afterwards: the children themselves are not read."""
    joined = (
        f"SELECT r.stars, c.name FROM review r JOIN customer c ON c.id = r.customer_id WHERE r.product_id = :id {LAST}"
    )
    application = shop(tmp_path, f"SELECT r.stars, r.customer_id, r.at, r.text {OF_ONE} {LAST}", rare=joined)
    proposal = application.designed()
    assert chosen(proposal, "subset") == ["first 5 review by -at in product"]
    for name in ("asked", "rare"):
        assert "`review`" not in application.compiled(proposal, name).access_path
    application.proved(proposal, database)


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT r.stars, count(*) {OF_ONE} GROUP BY r.stars ORDER BY r.stars LIMIT 5",
        f"SELECT r.stars, count(*) AS n {OF_ONE} GROUP BY r.stars HAVING count(*) > 1 ORDER BY n, r.stars LIMIT 5",
        f"SELECT DISTINCT r.stars {OF_ONE} ORDER BY r.stars LIMIT 5",
        f"SELECT r.stars, row_number() OVER (ORDER BY r.text) AS n {OF_ONE} {LAST}",
        f"SELECT r.stars {OF_ONE} {LAST} OFFSET 5",
        f"SELECT r.stars {OF_ONE} ORDER BY lower(r.word), r.id LIMIT 5",
        f"SELECT r.stars {OF_ONE} ORDER BY r.word LIMIT 5",
        f"SELECT r.stars FROM review r WHERE r.seller_id = :id {LAST}",
    ],
    ids=["groups", "having", "distinct", "window", "offset", "expression", "text", "optional parent"],
)
def test_no_subset_is_kept_that_answers_nothing(sql: str, tmp_path: Path) -> None:
    """Groups, windows and skipped rows take all children; orders and parents that no copy can be trusted with take the rows."""
    application = shop(tmp_path, sql)
    proposal = application.designed()
    assert chosen(proposal, "subset") == []
    assert "`review`" in application.compiled(proposal, "asked").access_path
