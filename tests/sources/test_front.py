"""Files as sources: what they say of SQL's dialect goes on into what is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.text import write_proposal, write_reading

SCHEMA = "CREATE TABLE ticket (id int PRIMARY KEY, subject text NOT NULL, at timestamptz);"
LIKE = "SELECT id FROM ticket WHERE subject LIKE 'a%'"


@pytest.mark.parametrize("dialect", ["postgresql", "mysql", "sqlite"])
def test_a_design_of_a_design_speaks_the_same_sql(dialect: str, tmp_path: Path) -> None:
    """Of a model file too: the statements compile as they do for the first design."""
    (tmp_path / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    reading = pipeline.inspect(str(tmp_path / "schema.sql"), dialect=dialect)
    first = pipeline.design(reading, "normalized")
    (tmp_path / "design.yaml").write_text(write_proposal(first), encoding="utf-8")
    (tmp_path / "model.yaml").write_text(write_reading(reading), encoding="utf-8")
    for name in ("design.yaml", "model.yaml"):
        again = pipeline.design(pipeline.inspect(str(tmp_path / name)), "normalized")
        assert again.dialect == first.dialect == dialect
        assert pipeline.convert(again, LIKE) == pipeline.convert(first, LIKE)


def test_a_model_without_a_dialect_takes_the_one_that_is_said(tmp_path: Path) -> None:
    """It was written by hand."""
    (tmp_path / "model.yaml").write_text(
        "nestling: 1\nmodel: {name: desk, entities: {ticket: {key: [id], attributes: {id: integer!, subject: text!}}}}\n",
        encoding="utf-8",
    )
    made = pipeline.design(pipeline.inspect(str(tmp_path / "model.yaml"), dialect="postgresql"), "normalized")
    assert made.dialect == "postgresql"
