"""What is said of a source in the same words whatever kind it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.sources.front import read_source

SCHEMA = """
CREATE TABLE member (id INT PRIMARY KEY, email VARCHAR(100) NOT NULL UNIQUE, code VARCHAR(9){binary} UNIQUE);
CREATE TABLE tag (name VARCHAR(50) PRIMARY KEY, colour VARCHAR(9){binary}, shade VARCHAR(9), UNIQUE (colour, shade));
"""


TOLD = "`tag.shade` is unique whatever the case and accents: on MongoDB texts that differ in these are two"


@pytest.mark.parametrize(("dialect", "notes"), [("mysql", (TOLD,)), ("postgresql", ())])
def test_texts_that_are_unique_as_a_language_reads_them(tmp_path: Path, dialect: str, notes: tuple[str, ...]) -> None:
    """MySQL's default collations count neither case nor accents; an index with others beside them counts both."""
    (tmp_path / "schema.sql").write_text(SCHEMA.format(binary=" COLLATE utf8mb4_bin" if dialect == "mysql" else ""))
    assert read_source(str(tmp_path / "schema.sql"), dialect=dialect).notes == notes
