"""What the costs count on is what statements do: on the design chosen for it, the motivating read uses the structure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE review (id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES product (id), stars INTEGER NOT NULL,
    at TIMESTAMP NOT NULL, text TEXT NOT NULL);
CREATE TABLE box (id INTEGER PRIMARY KEY, place TEXT NOT NULL);
CREATE TABLE item (box_id INTEGER NOT NULL REFERENCES box (id), no INTEGER NOT NULL, what TEXT NOT NULL,
    PRIMARY KEY (box_id, no));
CREATE TABLE tag (id INTEGER PRIMARY KEY, word TEXT NOT NULL);
CREATE TABLE box_tag (box_id INTEGER NOT NULL REFERENCES box (id), tag_id INTEGER NOT NULL REFERENCES tag (id),
    PRIMARY KEY (box_id, tag_id));"""
BOX = "SELECT b.place, i.no, i.what FROM box b JOIN item i ON i.box_id = b.id WHERE b.id = :id"
READS = {
    "embed": BOX,
    "extended-reference": "SELECT r.stars, p.name FROM review r JOIN product p ON p.id = r.product_id WHERE r.id = :id",
    "computed": "SELECT p.name, (SELECT count(*) FROM review r WHERE r.product_id = p.id) FROM product p WHERE p.id = :id",
    "subset": "SELECT stars, at, text FROM review WHERE product_id = :id ORDER BY at DESC LIMIT 5",
    "copied-children": BOX,
    "two-way-reference": "SELECT t.word, j.box_id FROM tag t JOIN box_tag j ON j.tag_id = t.id WHERE t.id = :id",
}
EXTRA = {
    "copied-children": """
-- name: all_items, rate: 500/s
-- params: {"what": "thing 3"}
SELECT box_id, no FROM item WHERE what = :what;
""",
    "two-way-reference": """
-- name: tags_of, rate: 500/s
-- params: {"id": 3}
SELECT b.place, j.tag_id FROM box b JOIN box_tag j ON j.box_id = b.id WHERE b.id = :id;
""",
}
"""What makes the children be read in another way as well."""


def shop(folder: Path, pattern: str) -> Scenario:
    """Products with many reviews, boxes with a few items and tags; one read, often."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "product": [(n, f"product {n}", "text " * 50) for n in range(20)],
        "review": [
            (n, n % 20, n % 5, f"2026-01-{1 + n % 28:02d} 08:{n % 60:02d}:00", "well " * 40) for n in range(4000)
        ],
        "box": [(n, f"place {n}") for n in range(100)],
        "item": [(n, no, f"thing {(n + no) % 50}") for n in range(100) for no in range(5)],
        "tag": [(n, f"word {n}") for n in range(50)],
        "box_tag": [(n, (n * 3 + no) % 50) for n in range(100) for no in range(3)],
    }
    return scenario(
        folder,
        DDL,
        rows,
        f'-- name: asked, rate: 500/s\n-- params: {{"id": 3}}\n{READS[pattern]};\n{EXTRA.get(pattern, "")}',
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize("pattern", READS)
def test_the_read_uses_what_was_chosen_for_it(pattern: str, tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """No lookup is left, the structure is named in the steps, and the answers are those of SQLite."""
    application = shop(tmp_path, pattern)
    proposal = application.designed()
    path = application.compiled(proposal, "asked").access_path
    chosen = {each.pattern for each in proposal.weighed if each.chosen}
    chosen |= {name for decision in proposal.decisions for name in decision.patterns}
    assert pattern in chosen, (sorted(chosen), path)
    assert "look up" not in path
    application.proved(proposal, database)
