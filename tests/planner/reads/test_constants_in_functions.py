"""Functions that fail on some values, of constants they do not fail on: the server computes those before it starts."""

from __future__ import annotations

import pytest

from nestling.common.errors import ReadError, WriteError
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE word (id integer PRIMARY KEY, text text COLLATE "C.utf8", share numeric(4, 1));
INSERT INTO word VALUES (1, 'ABC', 1.5), (2, 'äé', 20), (3, NULL, NULL);
"""
STATEMENTS = (
    "SELECT ascii('A'), ascii(''), ascii('é')",
    "SELECT id, ascii('A'), ascii('A' || 'b'), (SELECT ascii('B')) FROM word",
    "SELECT substring('hello' from 0 for 3)",
    "SELECT id, substring('hello' from 0 for 3), substring('hello' from -2 for 5), substring('hello', id, 2) FROM word",
    "SELECT id FROM word WHERE ascii('A') = 65 AND substring('hello' from 0 for 3) = 'he'",
    "SELECT count(*), ascii('A'), lower('ABC') FROM word",
    "SELECT max(id), substring('hello' from 0 for 3) FROM word GROUP BY share IS NULL",
    "SELECT ascii(x), lower(x) FROM (VALUES ('Abc'), ('B')) v(x)",
    "SELECT ascii('A') FROM word WHERE id = 1 UNION ALL SELECT ascii('B')",
    "SELECT id, concat(lower('Ab'), ascii('b')) FROM word",
)


words = beside_of(TABLES, scope="module")
"""The table in PostgreSQL and in MongoDB."""


@pytest.mark.parametrize("sql", STATEMENTS)
def test_constants_are_postgresqls(words: Beside, sql: str) -> None:
    """Whatever the functions would fail on is not there."""
    assert sorted(words.ours(sql), key=repr) == sorted(words.theirs(sql), key=repr)


def test_a_parameter_is_a_constant_too(words: Beside) -> None:
    """It is computed with when the statement is read, as others are."""
    sql = "SELECT id, ascii(:a), substring(:a from 0 for 3), lower(:a) FROM word"
    assert words.ours(sql, {"a": "Hello"}) == [(row, 72, "He", "hello") for row in (1, 2, 3)]


def test_what_a_statement_fails_on_is_told(words: Beside) -> None:
    """In its own words, with the statement and what can be done, and no word of conversions."""
    with pytest.raises(ReadError) as caught:
        words.ours("SELECT substring(text from 2 for id - 2) FROM word")
    assert "negative substring length not allowed: ABC\n  → exclude rows" in str(caught.value)
    with pytest.raises(ReadError, match="negative substring length not allowed: hello\n"):
        words.ours("SELECT id, substring('hello' from 2 for -1) FROM word")
    with pytest.raises(WriteError) as refused:
        Store(words.proposal, words.database).execute("UPDATE word SET text = substring(text from 2 for id - 2)")
    for error in (caught.value, refused.value):
        assert "convert" not in str(error)
