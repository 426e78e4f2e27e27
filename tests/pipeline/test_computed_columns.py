"""A column the database computes in a way that nothing here does is a gap, and no note says that statements compute it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.pipeline import design, inspect

DDL = """
CREATE TABLE person (id INT PRIMARY KEY, email varchar(50), ratio double,
    domain varchar(50) AS (SUBSTRING_INDEX(email, '@', -1)) STORED,
    digest varchar(50) AS (SHA1(email)) STORED,
    shown varchar(50) AS (CONCAT(ratio, email)) VIRTUAL,
    odd int AS (missing + 1) VIRTUAL);
"""


@pytest.fixture
def ddl(tmp_path: Path) -> Path:
    """Four computed columns, one of which is converted."""
    path = tmp_path / "people.sql"
    path.write_text(DDL)
    return path


def test_what_no_write_computes_is_a_gap_of_inspect_and_design(ddl: Path) -> None:
    """With the expression, and what of it is lacking: when the statement is read, and when it is made MQL."""
    reading = inspect(ddl, dialect="mysql")
    wanted = {
        "person.digest": "SHA() function",
        "person.shown": "a conversion of float to text",
        "person.odd": "missing",
    }
    for gaps in (reading.gaps, design(reading).gaps):
        found = {gap.where: gap.what for gap in gaps}
        assert found.keys() == wanted.keys()
        for where, lacks in wanted.items():
            assert found[where].startswith("an INSERT into `person`, or a write that changes")
            assert lacks in found[where]


def test_only_what_is_computed_is_noted_as_such(ddl: Path) -> None:
    """The note that statements compute it anew is true."""
    (note,) = (note for note in inspect(ddl, dialect="mysql").notes if "recompute" in note)
    assert "person.domain" in note
