"""The tokens of SQL, as sqlglot reads them with some changes.

A word after a colon is a parameter's name, even if it is a keyword elsewhere. REPLACE is an INSERT that can be recognised, and
so is an INSERT with OVERRIDING SYSTEM VALUE. A sum that begins with a float is not a number, nor is a number that runs into a
word.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from nestling.common.escaped_text import escaped_text

_REPLACE = re.compile(r"^((?:\s|--[^\n]*\n)*)REPLACE\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?", re.IGNORECASE)
_BEGUN_SUM = re.compile(r"\d+\.?\d*e\d+(?=[+-])", re.IGNORECASE)
_READ_AS_NUMBERS = (TokenType.NUMBER, TokenType.VAR)
"""What sqlglot calls `1e2+1`: in MySQL, where names may begin with a digit, `1e2+1e2` is a VAR to it."""


FLOAT_MOD = "mod of floats"
"""What SQLite's mod() is called here, as sqlglot takes `mod(a, b)` for `a % b`, which is of integers there."""

MOST_NESTED = 500
"""Parentheses inside one another; people write a few, generated conditions some tens."""


def name_float_mod(tokens: Sequence[Token]) -> None:
    """Give each mod() of SQLite a name that distinguishes it from `%`."""
    for token, after in pairwise(tokens):
        if token.text.casefold() == "mod" and after.token_type is TokenType.L_PAREN:
            token.text = FLOAT_MOD


OWN_CALLS = {
    "postgres": {"date_part": "date_part as a float"},
    "mysql": {"to_days": "to_days as written"},
}
"""By dialect, functions that sqlglot takes for others: for EXTRACT, which gives a numeric, and for a DATEDIFF of its own."""


def restore_own_calls(tree: exp.Expr) -> None:
    """Call them again as they are written."""
    written = {alias: name for names in OWN_CALLS.values() for name, alias in names.items()} | {
        INTERVAL_CALL: "interval"
    }
    for call in tree.find_all(exp.Anonymous):
        if call.name in written:
            call.set("this", written[call.name])


def name_calls(tokens: Sequence[Token], names: Mapping[str, str]) -> None:
    """Give calls of these functions names that sqlglot does not know."""
    for token, after in pairwise(tokens):
        if after.token_type is TokenType.L_PAREN and token.text.casefold() in names:
            token.text = names[token.text.casefold()]


INTERVAL_CALL = "interval as written"
"""What MySQL's function INTERVAL is called, as sqlglot takes `INTERVAL(n, 1, 2)` for an interval of a row."""


def name_interval_calls(tokens: Sequence[Token]) -> None:
    """Give the function that name: INTERVAL before several values in parentheses."""
    for place, (token, after) in enumerate(pairwise(tokens)):
        is_open = token.text.upper() == "INTERVAL" and after.token_type is TokenType.L_PAREN
        if is_open and _has_several(tokens[place + 1 :]):
            token.token_type, token.text = TokenType.VAR, INTERVAL_CALL


def _has_several(tokens: Sequence[Token]) -> bool:
    """Whether a comma stands in the parentheses that the tokens begin with."""
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0 or (depth == 1 and token.token_type is TokenType.COMMA):
            return depth == 1
    return False


def as_insert(sql: str) -> tuple[str, bool]:
    """The statement with INSERT for REPLACE, which sqlglot does not parse, and whether it was one; every place in it stays."""
    found, times = _REPLACE.subn(r"\1INSERT ", sql)
    return found, bool(times)


def take_overriding(tokens: list[Token], grammar: str) -> bool:
    """Take PostgreSQL's OVERRIDING SYSTEM VALUE out, which sqlglot does not parse; whether it was there."""
    texts = [token.text.upper() for token in tokens] if grammar == "postgres" else []
    for place in range(len(texts)):
        if texts[place : place + 3] == ["OVERRIDING", "SYSTEM", "VALUE"]:
            del tokens[place : place + 3]
            return True
    return False


def sql_tokens(sql: str, dialect: sqlglot.Dialect) -> list[Token]:
    """Sqlglot's tokens, the words of `:from` and `:order` being names; raises sqlglot's errors.

    Raises `RecursionError` for parentheses that are nested too deeply: where sqlglot is compiled, and Python newer than 3.11, its
    parser would end the process.
    """
    tokens = _apart(sql, dialect)
    _refuse_deep_nesting(tokens)
    _refuse_odd_numbers(tokens)
    for token in tokens:
        if token.token_type is TokenType.BYTE_STRING and sql[token.start].upper() == "E":
            _read_escapes(token, sql[token.start + 2 : token.end])
    tokens = _without_lambdas(tokens)
    for colon, word in pairwise(tokens):
        is_next = colon.token_type is TokenType.COLON and word.start == colon.end + 1
        if is_next and word.text.isidentifier() and sql[word.start : word.end + 1] == word.text:
            word.token_type = TokenType.VAR
    return tokens


def _without_lambdas(tokens: list[Token]) -> list[Token]:
    """With two pairs of brackets around `data` of `f(data -> 'a')`, which sqlglot takes for a lambda; no dialect here has any."""
    found = list(tokens)
    for place in range(len(tokens) - 1, 1, -1):
        if tokens[place].token_type is not TokenType.ARROW:
            continue
        is_bracketed = tokens[place - 1].token_type is TokenType.R_PAREN
        first = place - 3 if is_bracketed else place - 1
        if first > 0 and tokens[first - 1].token_type in (TokenType.L_PAREN, TokenType.COMMA):
            found[place:place] = [_bracket(TokenType.R_PAREN, ")", tokens[place - 1])] * 2
            found[first:first] = [_bracket(TokenType.L_PAREN, "(", tokens[first])] * 2
    return found


def _bracket(kind: TokenType, text: str, at: Token) -> Token:
    return Token(kind, text, at.line, at.col, at.start, at.end)


def without_brackets(tree: exp.Expr) -> None:
    """Take the brackets of `_without_lambdas` out of the tree."""
    for node in tree.find_all(exp.JSONExtract):
        node.set("this", node.this.unnest())


def _read_escapes(token: Token, written: str) -> None:
    """PostgreSQL's `E'…'` is the text it means; sqlglot knows some of its escapes only."""
    try:
        token.text = escaped_text(written)
    except ValueError as problem:
        raise ParseError.new(str(problem), str(problem), line=token.line, col=token.col, highlight=written) from None
    token.token_type = TokenType.STRING


def _apart(sql: str, dialect: sqlglot.Dialect) -> list[Token]:
    """The tokens of `1e2+1` are three: sqlglot, which takes it for one number, gets it with a blank before the sign."""
    tokens = list(dialect.tokenize(sql))
    begun = ((token.start, _BEGUN_SUM.match(token.text)) for token in tokens if token.token_type in _READ_AS_NUMBERS)
    signs = [start + found.end() for start, found in begun if found is not None]
    if not signs:
        return tokens
    blanks = [sign + before for before, sign in enumerate(signs)]
    tokens = _apart(" ".join(sql[start:end] for start, end in pairwise((0, *signs, len(sql)))), dialect)
    for token in tokens:
        line_start = token.end - token.col
        before = bisect_left(blanks, token.end)
        token.col -= before - bisect_left(blanks, line_start)
        token.start -= bisect_left(blanks, token.start)
        token.end -= before
    return tokens


def _refuse_deep_nesting(tokens: Iterable[Token]) -> None:
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth > MOST_NESTED:
            raise RecursionError


def _refuse_odd_numbers(tokens: Sequence[Token]) -> None:
    """`1e` is no number, and `1_000` none that every server reads; sqlglot takes it for `1 AS _000`."""
    for token, after in zip(tokens, (*tokens[1:], None), strict=False):
        if token.token_type is not TokenType.NUMBER:
            continue
        word = after if after and after.token_type is TokenType.VAR and after.start == token.end + 1 else None
        if word or not _NUMBER.fullmatch(token.text):
            said, written = "something that is not a number", token.text + (word.text if word else "")
            raise ParseError.new(said, said, line=token.line, col=(word or token).col, highlight=written)
