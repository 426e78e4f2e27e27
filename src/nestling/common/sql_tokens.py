"""The tokens of SQL, where what stands behind a colon is a parameter's name, whatever keyword it may be elsewhere."""

from __future__ import annotations

from itertools import pairwise

import sqlglot
from sqlglot.tokenizer_core import Token, TokenType


def sql_tokens(sql: str, dialect: sqlglot.Dialect) -> list[Token]:
    """Sqlglot's tokens, the words of `:from` and `:order` being names; raises sqlglot's errors."""
    tokens = list(dialect.tokenize(sql))
    for colon, word in pairwise(tokens):
        is_next = colon.token_type is TokenType.COLON and word.start == colon.end + 1
        if is_next and word.text.isidentifier() and sql[word.start : word.end + 1] == word.text:
            word.token_type = TokenType.VAR
    return tokens
