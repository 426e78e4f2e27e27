"""The tokens of SQL."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot.errors import ParseError

from nestling.common.sql_syntax import syntax_words
from nestling.common.sql_tokens import sql_tokens
from nestling.ir.statements.sql_dialects import GRAMMARS

_GRAMMARS = tuple(GRAMMARS.values())


@pytest.mark.parametrize("grammar", _GRAMMARS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1e15 + 0.5",
        "SELECT 1E2 - 1 ,\n  x , 1e2 + 1e2 + 5 ,\n 1.e2 - 1e-2 - 1e+3 - 1e0 + a FROM t",
        "SELECT '1e2+1' , 1e2 - 1 AS \"1e2-1\"",
    ],
)
def test_sums_that_begin_with_a_float_are_sums(grammar: str, sql: str) -> None:
    """Without blanks, the tokens are those with blanks, and each says where it stands in the text."""
    dialect, dense = sqlglot.Dialect.get_or_raise(grammar), sql.replace(" + ", "+").replace(" - ", "-")
    found, spaced = sql_tokens(dense, dialect), sql_tokens(sql, dialect)
    assert [(each.token_type, each.text) for each in found] == [(each.token_type, each.text) for each in spaced]
    lines = dense.splitlines()
    for each in found:
        written = dense[each.start : each.end + 1]
        assert written.strip("'\"") == each.text
        assert lines[each.line - 1][: each.col].endswith(written)


@pytest.mark.parametrize("sql", ["1e", "1_000", "1e2x", "0o17"])
def test_numbers_that_run_into_words_are_refused(sql: str) -> None:
    """What no server or not every server reads as a number is never a number with a name behind it."""
    with pytest.raises(ParseError) as error:
        sql_tokens(f"SELECT {sql}", sqlglot.Dialect.get_or_raise("postgres"))
    assert syntax_words(error.value) == f"something that is not a number near `{sql}`"
