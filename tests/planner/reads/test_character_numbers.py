"""The number of a text's first character, of any alphabet, beside PostgreSQL and MariaDB."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import CompiledRead
from nestling.store import Store
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import beside

LETTERS = "日ßéÿĀ\x7f\x80\u07ff\u0800\ud7ff\ue000\ufeff\uffff\U00010000😀\U0010ffff\n$^]- \\"
_ROWS = ", ".join(f"({ord(letter)}, '{letter}x')" for letter in LETTERS if letter != "\\")
both = both_of(f"CREATE TABLE word (id int PRIMARY KEY, t varchar(9));\nINSERT INTO word VALUES {_ROWS}", "normalized")


@pytest.mark.thorough
def test_numbers_are_postgresqls(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """As a result, as a condition, in a write, and in what is emitted."""
    made = (
        f"CREATE TABLE word (id int PRIMARY KEY, t text, n int); INSERT INTO word VALUES {_ROWS}, (-1, ''), (-2, NULL)"
    )
    with beside(postgresql, mongo_client, made) as words:
        sql = "SELECT id, ascii(t) AS n FROM word ORDER BY id"
        assert words.ours(sql) == words.theirs(sql)
        assert words.ours("SELECT count(*) FROM word WHERE ascii(t) = id") == [(len(LETTERS) - 1,)]
        assert (
            Store(words.proposal, words.database).execute("UPDATE word SET n = ascii(t) WHERE ascii(t) = id").affected
        )
        read = pipeline.convert(words.proposal, sql, dialect="postgresql")
        assert isinstance(read, CompiledRead), read
        space: dict[str, Any] = {}
        exec(compile(module([read]), "queries.py", "exec"), space)
        assert [tuple(row.values()) for row in space["statement"](words.database)] == words.theirs(sql)


def test_mysqls_is_the_first_byte(both: Both) -> None:
    """Of the letter in UTF-8."""
    ours, theirs = both.answers("SELECT id, ascii(t) AS n FROM word ORDER BY id")
    assert ours == theirs
