"""Values that stand in a statement as its constants, in place of parameters.

They go in as tokens, behind the reading of the text: a value is one text, number, date, moment or NULL, and never more of the
statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TypeAlias

from sqlglot.tokenizer_core import Token, TokenType

ConstantValue: TypeAlias = str | int | date | None
"""A date may be a moment."""
_OWN_TYPES: Mapping[type, frozenset[TokenType]] = {
    str: frozenset({TokenType.TEXT, TokenType.VARCHAR}),
    int: frozenset({TokenType.INT, TokenType.BIGINT, TokenType.SMALLINT}),
    type(None): frozenset(),
    date: frozenset(),
    datetime: frozenset(),
}
"""The types a driver sends such a value as: a cast to one of them says nothing more of the constant."""
_TIMES = (TokenType.DATE, TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ)


def with_constants(tokens: Sequence[Token], constants: Mapping[str, ConstantValue]) -> list[Token]:
    """The tokens with a constant for each `:name` there is a value for, without the cast that tells its type.

    A date or moment keeps its cast, or gets one.
    """
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
        found += _constant(value, first, tokens[after - 1], _cast_around(found, tokens, after))
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


def _cast_around(before: Sequence[Token], tokens: Sequence[Token], after: int) -> TokenType | None:
    """The type of dates or moments that what ends before `after` is cast to, if it is."""
    is_called = len(before) > 1 and before[-1].token_type is TokenType.L_PAREN and before[-2].text.upper() == "CAST"
    is_cast = after + 1 < len(tokens) and tokens[after].token_type is (
        TokenType.ALIAS if is_called else TokenType.DCOLON
    )
    found = tokens[after + 1].token_type if is_cast else None
    return found if found in _TIMES else None


def _time(value: date, first: Token, last: Token, around: TokenType | None) -> list[Token]:
    """The text of a date or moment as the cast around it reads it, or with a cast to what it is; a moment with a zone in UTC."""
    has_zone = isinstance(value, datetime) and value.tzinfo is not None
    moment = value.astimezone(UTC) if isinstance(value, datetime) and has_zone else value
    own = (
        TokenType.DATE
        if not isinstance(value, datetime)
        else TokenType.TIMESTAMPTZ
        if has_zone
        else TokenType.TIMESTAMP
    )
    kind = around or own
    if isinstance(moment, datetime) and kind is TokenType.DATE:
        moment = moment.date()
    elif isinstance(moment, datetime) and kind is TokenType.TIMESTAMP:
        moment = moment.replace(tzinfo=None)
    text = Token(TokenType.STRING, moment.isoformat(), first.line, first.col, first.start, last.end, [])
    if around is not None:
        return [text]
    cast = ((TokenType.DCOLON, "::"), (own, own.name))
    return [text, *(Token(kind, word, first.line, first.col, first.start, last.end, []) for kind, word in cast)]


def _constant(value: ConstantValue, first: Token, last: Token, around: TokenType | None) -> list[Token]:
    """NULL, a text, a date or moment, or a number with its sign; it stands where the parameter stood."""
    if isinstance(value, date):
        return _time(value, first, last, around)
    if value is None:
        return [Token(TokenType.NULL, "NULL", first.line, first.col, first.start, last.end, [])]
    kind, text = (TokenType.STRING, value) if isinstance(value, str) else (TokenType.NUMBER, str(abs(value)))
    found = [Token(kind, text, first.line, first.col, first.start, last.end, [])]
    if isinstance(value, int) and value < 0:
        found.insert(0, Token(TokenType.DASH, "-", first.line, first.col, first.start, first.start, []))
    return found
