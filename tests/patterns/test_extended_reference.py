"""Attributes of the one side are weighed one by one: each is copied for what its reads save and its changes cost."""

from __future__ import annotations

from pathlib import Path

from tests.patterns.scenario import scenario

DDL = """CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, stock INTEGER NOT NULL, about TEXT NOT NULL);
CREATE TABLE review (id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES product (id), text TEXT NOT NULL);"""
WORKLOAD = """
-- name: named, rate: 500/s
SELECT r.text, p.name FROM review r JOIN product p ON p.id = r.product_id WHERE r.id = :id;
-- name: stocked, rate: 500/s
SELECT r.text, p.stock FROM review r JOIN product p ON p.id = r.product_id WHERE r.id = :id;
-- name: product, rate: 500/s
SELECT name, stock, about FROM product WHERE id = :id;
-- name: renamed, rate: {renamed}
UPDATE product SET name = :name WHERE id = :id;
-- name: sold, rate: {sold}
UPDATE product SET stock = :stock WHERE id = :id;
"""


def copied(folder: Path, **rates: str) -> set[str]:
    """The attributes of products that reviews keep in the design at least cost."""
    folder.mkdir()
    rows: dict[str, list[tuple[object, ...]]] = {
        "product": [(n, f"product {n}", n, "text " * 200) for n in range(20)],
        "review": [(n, n % 20, "well " * 20) for n in range(4000)],
    }
    design = scenario(folder, DDL, rows, WORKLOAD.format(**rates)).designed().design
    copies = (each for made in design.collections for each in made.body.copies)
    return {field.attribute for each in copies for field in each.attributes}


def test_each_attribute_is_copied_by_its_own_reads_and_changes(tmp_path: Path) -> None:
    """The one that changes once a day is copied, the one that changes all the time is looked up; turned round, the other."""
    assert copied(tmp_path / "a", renamed="1/day", sold="900/s") == {"name"}
    assert copied(tmp_path / "b", renamed="900/s", sold="1/day") == {"stock"}
