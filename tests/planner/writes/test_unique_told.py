"""A row told by a UNIQUE that the server keeps is one document: its change is one command, without a transaction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.programs.program import Action, CompiledWrite, WriteCommand
from tests.patterns.scenario import scenario

TABLES = """
CREATE TABLE post (id INTEGER PRIMARY KEY NOT NULL, slug TEXT UNIQUE, lang TEXT NOT NULL, number INTEGER NOT NULL,
  views INTEGER NOT NULL, word TEXT COLLATE NOCASE UNIQUE, UNIQUE (lang, number));
"""
ROWS: dict[str, list[tuple[object, ...]]] = {
    "post": [
        (1, "a", "en", 1, 0, "x"),
        (2, "b", "en", 2, 0, "y"),
        (3, None, "de", 1, 0, None),
        (4, None, "de", 2, 0, None),
    ]
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("sql", "is_one", "values", "views"),
    [
        ("UPDATE post SET views = views + 1 WHERE slug = :slug", True, {"slug": "b"}, [0, 1, 0, 0]),
        ("UPDATE post SET views = views + 1 WHERE slug = :slug", True, {"slug": None}, [0, 0, 0, 0]),
        ("UPDATE post SET views = views + 1 WHERE lang = :l AND number = :n", True, {"l": "de", "n": 1}, [0, 0, 1, 0]),
        ("UPDATE post SET views = views + 1 WHERE lang = :l", False, {"l": "de"}, [0, 0, 1, 1]),
        ("UPDATE post SET views = views + 1 WHERE slug IS NULL", False, {}, [0, 0, 1, 1]),
        ("UPDATE post SET views = views + 1 WHERE word = :w", False, {"w": "X"}, [1, 0, 0, 0]),
        ("DELETE FROM post WHERE slug = :slug", True, {"slug": "a"}, [0, 0, 0]),
    ],
)
def test_one_command_where_one_row_is_told(
    sql: str, is_one: bool, values: dict[str, object], views: list[int], tmp_path: Path, database: Database[Any]
) -> None:
    """By one attribute or several, also where it may be NULL, which tells none; not by what is compared whatever the case."""
    small = scenario(tmp_path, TABLES, ROWS, "")
    made = pipeline.design(small.reading, "normalized")
    pipeline.load(made, small.address, database)
    write = pipeline.convert(made, sql)
    assert isinstance(write, CompiledWrite)
    actions = [step.action for step in write.steps if isinstance(step, WriteCommand)]
    assert (len(write.steps) == 1 and actions[0] in (Action.UPDATE_ONE, Action.DELETE_ONE)) is is_one
    Store(made, database).execute(sql, **values)
    assert [each["views"] for each in database["post"].find().sort("_id", 1)] == views
