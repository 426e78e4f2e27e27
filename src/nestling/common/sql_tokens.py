"""The tokens of SQL as sqlglot takes them.

What stands behind a colon is a parameter's name, whatever keyword it may be elsewhere; REPLACE is an INSERT that is told apart.
"""

from __future__ import annotations

import re
from itertools import pairwise

import sqlglot
from sqlglot.tokenizer_core import Token, TokenType

_REPLACE = re.compile(r"^((?:\s|--[^\n]*\n)*)REPLACE\b", re.IGNORECASE)


def as_insert(sql: str) -> tuple[str, bool]:
    """The statement with INSERT for REPLACE, which sqlglot does not parse, and whether it was one; every place in it stays."""
    found, times = _REPLACE.subn(r"\1INSERT ", sql)
    return found, bool(times)


def sql_tokens(sql: str, dialect: sqlglot.Dialect) -> list[Token]:
    """Sqlglot's tokens, the words of `:from` and `:order` being names; raises sqlglot's errors."""
    tokens = list(dialect.tokenize(sql))
    for colon, word in pairwise(tokens):
        is_next = colon.token_type is TokenType.COLON and word.start == colon.end + 1
        if is_next and word.text.isidentifier() and sql[word.start : word.end + 1] == word.text:
            word.token_type = TokenType.VAR
    return tokens
