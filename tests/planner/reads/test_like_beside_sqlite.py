"""SQLite's LIKE leaves out the case of A to Z and of no other letter, beside SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.store import Store

WORDS = ("K", "K", "k", "ſun", "sun", "SUN", "İ", "i", "I", "ı", "Å", "Å", "å", "É", "é", "Σ", "ς", "a%")
PATTERNS = ("k%", "K", "K%", "ſ%", "s%", "S_n", "i", "İ", "ı", "å%", "É", "%ς", "%σ", "A\\%")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["t LIKE '{}'", "t NOT LIKE '{}'", "t LIKE :q", "t LIKE :q || '%'", "t LIKE p"])
def test_like_knows_the_case_of_a_to_z(tmp_path: Path, database: Database[Any], form: str) -> None:
    """Constants, parameters and columns."""
    path = tmp_path / "words.db"
    with closing(sqlite3.connect(path)) as source:
        source.execute("CREATE TABLE w (id INTEGER PRIMARY KEY, t TEXT NOT NULL, p TEXT NOT NULL)")
        rows = [(at, word, WORDS[at - 1].swapcase()) for at, word in enumerate(WORDS)]
        source.executemany("INSERT INTO w VALUES (?, ?, ?)", rows)
        source.commit()
        proposal = pipeline.design(pipeline.inspect(str(path)), "normalized")
        pipeline.load(proposal, str(path), database)
        for pattern in PATTERNS:
            sql = f"SELECT id FROM w WHERE {form.format(pattern)} ORDER BY id"
            given = {"q": pattern} if ":q" in form else {}
            mine = [row["id"] for row in Store(proposal, database).execute(sql, **given)]
            assert mine == [at for (at,) in source.execute(sql, given)], pattern


GIVEN = ("t LIKE :q", "t LIKE :q || '%'", "t LIKE :q ESCAPE '!'", "id > 3 AND t LIKE :q")


@pytest.mark.parametrize("form", GIVEN)
def test_a_given_pattern_is_a_condition_of_the_field(tmp_path: Path, database: Database[Any], form: str) -> None:
    """The server is sent a regular expression in `$match`, made of the value; NULL and an open escape match nothing."""
    path = tmp_path / "words.db"
    with closing(sqlite3.connect(path)) as source:
        source.execute("CREATE TABLE w (id INTEGER PRIMARY KEY, t TEXT)")
        source.executemany("INSERT INTO w VALUES (?, ?)", enumerate((*WORDS, None, "5", "50%", "a.b", "a+b", "x!")))
        source.commit()
        proposal = pipeline.design(pipeline.inspect(str(path)), "normalized")
        pipeline.load(proposal, str(path), database)
        store = Store(proposal, database)
        sql = f"SELECT id FROM w WHERE {form} ORDER BY id"
        asked = str(pipeline.convert(proposal, sql, name="found", dialect="sqlite"))
        assert "$regex'" in asked
        assert "$expr" not in asked
        for pattern in (*PATTERNS, None, 5, "5!%", "a.b", "%", "", "!", "a+%", "_!!"):
            mine = [row["id"] for row in store.execute(sql, q=pattern)]
            assert mine == [at for (at,) in source.execute(sql, {"q": pattern})], pattern
