"""What a parent keeps of its children is worth something to the statements alone whose queries read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.candidate import Aggregate
from nestling.ir.situation import Thresholds, situation
from nestling.patterns import propose
from nestling.planner.options.statements.readable import Readable

TABLES = """
CREATE TABLE product (id bigint PRIMARY KEY, name text NOT NULL);
CREATE TABLE review (id bigint PRIMARY KEY, product_id bigint NOT NULL REFERENCES product(id), rating integer NOT NULL,
    paid numeric(8, 2) NOT NULL, weight double precision NOT NULL, note text NOT NULL);
"""
WORKLOAD = """
-- name: page, rate: 100/s
SELECT p.name, {value} AS value FROM product p {kind} review r ON r.product_id = p.id WHERE p.id = :id GROUP BY p.id, p.name;
-- name: add, rate: 2/s
INSERT INTO review (id, product_id, rating, paid, weight, note) VALUES (:id, :p, :r, :m, :w, :n);
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("value", "kind", "dialect", "is_kept"),
    [
        ("count(r.rating)", "LEFT JOIN", "postgresql", True),
        ("sum(r.rating)", "LEFT JOIN", "postgresql", True),
        ("avg(r.weight)", "LEFT JOIN", "postgresql", True),
        ("max(r.rating)", "LEFT JOIN", "postgresql", True),
        ("avg(r.rating)", "LEFT JOIN", "sqlite", True),
        ("avg(r.rating)", "LEFT JOIN", "postgresql", True),  # its sum and its number
        ("sum(r.paid)", "LEFT JOIN", "postgresql", True),
        ("max(r.note)", "LEFT JOIN", "postgresql", False),
        ("sum(r.rating)", "JOIN", "postgresql", False),  # products without reviews are left out
    ],
)
def test_it_is_kept_where_it_is_read(tmp_path: Path, value: str, kind: str, dialect: str, is_kept: bool) -> None:
    """The design keeps it if and only if the query made for the design reads it there."""
    (tmp_path / "tables.sql").write_text(TABLES, encoding="utf-8")
    (tmp_path / "work.sql").write_text(WORKLOAD.format(value=value, kind=kind), encoding="utf-8")
    reading = pipeline.inspect(tmp_path / "tables.sql", dialect=dialect, workload=tmp_path / "work.sql")
    proposal = pipeline.design(reading)
    kept = [each for place in proposal.design.places["product"] for each in place.node.body.computed]
    assert bool(kept) is is_kept
    read = pipeline.convert(proposal, reading.workload.statements[0].sql, dialect=dialect)
    assert all(each.field in repr(read) for each in kept)


def test_a_text_of_the_statement_tells_nothing(tmp_path: Path) -> None:
    """What a plan reads is told by its fields: a text that has the name of such a field is a text."""
    (tmp_path / "tables.sql").write_text(TABLES, encoding="utf-8")
    asked = "count(r.id) AS value FROM product p LEFT JOIN review r ON r.product_id = p.id"
    for text in ("kept of children 0", "kept of children 0;", "x"):
        statement = f"SELECT p.name, {asked} AND r.note = '{text}' WHERE p.id = :id GROUP BY p.id, p.name"
        counted = f"SELECT p.name, {asked} WHERE p.id = :id GROUP BY p.id, p.name"
        work = f"-- name: filtered, rate: 100/s\n{statement};\n-- name: counted, rate: 1/s\n{counted};\n"
        (tmp_path / "work.sql").write_text(work, encoding="utf-8")
        known = situation(
            pipeline.inspect(tmp_path / "tables.sql", dialect="postgresql", workload=tmp_path / "work.sql"),
            Thresholds(),
        )
        parts = [(each.id, each.part) for each in propose(known) if isinstance(each.part, Aggregate)]
        [link] = known.model.relationships
        readable = Readable(known, {link.name: parts})
        kept = [(part.function, part.attribute) for _, part in parts]
        filtered, plain = known.reading.workload.statements
        assert (readable.is_read(filtered, link, kept), readable.is_read(plain, link, kept)) == (False, True), text
