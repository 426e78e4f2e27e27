"""Rows of many megabytes: what a document cannot hold is a file of GridFS, and what it can hold need not come with others."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline

MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("sizes", "is_file"),
    [
        ((8 * MEGABYTE, 9 * MEGABYTE), False),
        ((MEGABYTE // 10,) * 80 + (12 * MEGABYTE, 5), False),
        ((17 * MEGABYTE, 5, 34 * MEGABYTE), True),
    ],
)
def test_they_are_loaded_and_come_back(
    sizes: tuple[int, ...], is_file: bool, database: Database[Any], tmp_path: Path
) -> None:
    """A driver takes little more than one document's 16 MiB in a command, however many documents that are."""
    draw = random.Random(1)
    rows = [(number, draw.randbytes(size)) for number, size in enumerate(sizes)]
    for name in ("there.db", "back.db"):
        with closing(sqlite3.connect(tmp_path / name)) as connection, connection:
            connection.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
            connection.executemany("INSERT INTO photo VALUES (?, ?)", rows if name == "there.db" else ())
    proposal = pipeline.design(pipeline.inspect(tmp_path / "there.db"), "normalized")
    assert any(split.gridfs for split in proposal.design.collections[0].splits) is is_file
    verified = pipeline.load(proposal, tmp_path / "there.db", database).verified
    assert verified is not None
    assert verified.equal
    pipeline.unload(proposal, f"sqlite:///{tmp_path / 'back.db'}", database)
    with closing(sqlite3.connect(tmp_path / "back.db")) as connection:
        assert connection.execute("SELECT id, body FROM photo ORDER BY id").fetchall() == rows
