"""Values that stand in a statement as its constants, in place of parameters.

They go in as tokens, behind the reading of the text: a value is one text, number or NULL, and never more of the statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sqlglot.tokenizer_core import Token, TokenType

ConstantValue: TypeAlias = str | int | None
_OWN_TYPES: Mapping[type, frozenset[TokenType]] = {
    str: frozenset({TokenType.TEXT, TokenType.VARCHAR}),
    int: frozenset({TokenType.INT, TokenType.BIGINT, TokenType.SMALLINT}),
    type(None): frozenset(),
}
"""The types a driver sends such a value as: a cast to one of them says nothing more of the constant."""


def with_constants(tokens: Sequence[Token], constants: Mapping[str, ConstantValue]) -> list[Token]:
    """The tokens with a constant for each `:name` there is a value for, without the cast that tells its type."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        name = _parameter(tokens, at)
        if name not in constants:
            found.append(tokens[at])
            at += 1
            continue
        value, first, after = constants[name], tokens[at], at + 2
        if _is_type(tokens, after + 1, value) and tokens[after].token_type is TokenType.DCOLON:
            after += 2
        elif _is_inside_cast(found, tokens, after, value):
            first = found[-2]
            del found[-2:]
            after += 3
        found += _constant(value, first, tokens[after - 1])
        at = after
    return found


def _parameter(tokens: Sequence[Token], at: int) -> str:
    """The name of the parameter that begins here; empty where none does."""
    if at + 1 >= len(tokens) or tokens[at].token_type is not TokenType.COLON:
        return ""
    name = tokens[at + 1]
    return name.text if name.start == tokens[at].end + 1 else ""


def _is_type(tokens: Sequence[Token], at: int, value: ConstantValue) -> bool:
    """Whether a type stands here that says nothing more of the value, and has no length."""
    if at >= len(tokens) or tokens[at].token_type not in _OWN_TYPES[type(value)]:
        return False
    return at + 1 == len(tokens) or tokens[at + 1].token_type not in (TokenType.L_PAREN, TokenType.L_BRACKET)


def _is_inside_cast(before: Sequence[Token], tokens: Sequence[Token], after: int, value: ConstantValue) -> bool:
    """Whether the parameter that ends before `after` is what a `CAST(… AS type)` is of."""
    return (
        len(before) > 1
        and before[-1].token_type is TokenType.L_PAREN
        and before[-2].text.upper() == "CAST"
        and tokens[after].token_type is TokenType.ALIAS
        and _is_type(tokens, after + 1, value)
        and after + 2 < len(tokens)
        and tokens[after + 2].token_type is TokenType.R_PAREN
    )


def _constant(value: ConstantValue, first: Token, last: Token) -> list[Token]:
    """NULL, a text, or a number with its sign; it stands where the parameter stood."""
    if value is None:
        return [Token(TokenType.NULL, "NULL", first.line, first.col, first.start, last.end, [])]
    kind, text = (TokenType.STRING, value) if isinstance(value, str) else (TokenType.NUMBER, str(abs(value)))
    found = [Token(kind, text, first.line, first.col, first.start, last.end, [])]
    if isinstance(value, int) and value < 0:
        found.insert(0, Token(TokenType.DASH, "-", first.line, first.col, first.start, first.start, []))
    return found
