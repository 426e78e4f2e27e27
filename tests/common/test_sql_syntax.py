"""Mistakes in SQL, in words of SQL."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot.errors import ParseError

from nestling.common.sql_syntax import syntax_words


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELEC 1", "no statement begins with `SELEC`; did you mean SELECT?"),
        ("updat shop SET name = 'x'", "no statement begins with `updat`; did you mean UPDATE?"),
        ("SELECT name FROM shop WHERE WHERE", "something is missing near `WHERE`"),
        ("SELECT 1 selec 1", "something unexpected near `1`"),
        (
            "SELECT x %% 2",
            "something is missing near `%`; `%%` is a percent sign only beside `%s` parameters: write `%`",
        ),
        ("SELECT x % % 2", "something is missing near `%`"),
    ],
)
def test_the_word_that_is_wrong_is_named(sql: str, said: str) -> None:
    """A first word that is nearly one is the mistake, wherever the parser stumbles; else it is the word it stumbles over."""
    with pytest.raises(ParseError) as error:
        sqlglot.parse_one(sql)
    assert syntax_words(error.value) == said
