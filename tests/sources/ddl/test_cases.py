"""Real schemas: every table and every foreign key is in the model, or a gap or note says why not.

Most of them are not part of the repository (`tests/shared_cases.py`); without them there is one of each dialect, and a few more.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from nestling.ir.reading import Reading
from nestling.sources.ddl import read_ddl
from tests.shared_cases import CASES, OWN_SCHEMAS, case_name

SHARED_SCHEMAS = sorted(
    path
    for pattern in (
        "ddl/*/schema.sql",
        "benchmarks/*/ddl*.sql",
        "benchmarks/*/schema.sql",
        "sql/*/schema.sql",
        "queries/*/schema*.sql",
    )
    for path in CASES.glob(pattern)
)
FILES = (*OWN_SCHEMAS, *SHARED_SCHEMAS)
_COMMENTS = re.compile(r"--[^\n]*|/\*[^!].*?\*/|'(?:[^'\\]|''|\\.)*'", re.DOTALL)
_TABLE = re.compile(r"\bCREATE\s+(?:UNLOGGED\s+)?TABLE\b", re.IGNORECASE)
_REFERENCE = re.compile(r"\bREFERENCES\b", re.IGNORECASE)


@cache
def reading_of(path: Path) -> Reading:
    """What is read of a schema; large ones take a second."""
    return read_ddl(path.read_text(), "m", origin=path.name)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("path", FILES, ids=case_name)
def test_every_table_and_foreign_key_is_accounted_for(path):
    """Counts by a plain search over the text are those of the model plus what gaps and notes say."""
    reading = reading_of(path)
    bare = _COMMENTS.sub("''", path.read_text())
    partitions = sum("is a partition" in note for note in reading.notes)
    assert len(_TABLE.findall(bare)) == len(reading.model.entities) + partitions
    unresolved = sum("foreign key" in gap.what for gap in reading.gaps) + sum(
        "declared twice" in note for note in reading.notes
    )
    assert len(_REFERENCE.findall(bare)) == len(reading.model.relationships) + unresolved


@pytest.mark.parametrize("path", FILES, ids=case_name)
def test_gaps_are_for_true_reasons(path):
    """Only types the file does not declare, points, and foreign keys to columns that are not unique."""
    reasons = {
        "musicbrainz": ("is unknown and carried as text", "is stored as it is read, but cannot be computed with"),
        "orangehrm": ("project_id of `ohrm_project` is not unique",),
    }
    for gap in reading_of(path).gaps:
        assert any(reason in gap.what for reason in reasons.get(path.parent.name, ()))
