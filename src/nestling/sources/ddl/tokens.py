"""A DDL text as tokens: words, quoted names, strings, numbers and symbols, without blanks and comments.

A quote that never closes is a symbol of its own, so that the statements after it can still be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import NamedTuple

from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.sources.string_literals import ESCAPED, literal_text


class TokenKind(Enum):
    """What a token is."""

    WORD = "word"
    NAME = "name"  # quoted
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"


class Token(NamedTuple):
    """A token: `text` without its quotes and escapes, `key` to compare with (upper case for a word, empty for a quoted name);
    of a string of bits or hexadecimal digits the letter before it.
    """

    kind: TokenKind
    text: str
    key: str
    start: int
    end: int


_COMMON = [
    ("skip", r"\s+|--[^\n]*"),
    ("number", r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)"),
    ("word", r"[^\W\d][\w$]*|\d\w*|@+[\w.]+"),
    ("symbol", r"::|\S"),
]
_QUOTES = {
    MYSQL: [
        ("skip", r"/\*M?!\d*\\-.*?\*/|/\*M?!\d*|\*/|/\*.*?\*/|\#[^\n]*"),  # what `/*!40101 … */` holds is executed
        ("string", rf"""(?:\b[nNxXbB]|\b_\w+\s*)?'{ESCAPED}'|"(?:[^"\\]|""|\\.)*\""""),
        ("name", r"`(?:[^`]|``)*`"),
    ],
    POSTGRESQL: [
        ("skip", r"/\*.*?\*/"),
        (
            "string",
            rf"\b[eE]'{ESCAPED}'|(?:\b[nNxXbB]|\b[uU]&)?'(?:[^']|'')*'|\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$",
        ),
        ("name", r'"(?:[^"]|"")*"'),
    ],
    SQLITE: [
        ("skip", r"/\*.*?\*/"),
        ("string", r"(?:\b[xX])?'(?:[^']|'')*'"),
        ("name", r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]\n]*\]'),
    ],
}


@cache
def _pattern(dialect: str) -> re.Pattern[str]:
    groups = [*_QUOTES[dialect], *_COMMON]
    numbered = (
        f"(?P<{name}{'' if index >= len(groups) - len(_COMMON) else '_'}>{rule})"
        for index, (name, rule) in enumerate(groups)
    )
    return re.compile("|".join(numbered), re.DOTALL)


def tokens(text: str, dialect: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of a part of the text, `start` and `end` being offsets in all of it."""
    for match in _pattern(dialect).finditer(text, start, len(text) if end is None else end):
        kind = (match.lastgroup or "").rstrip("_")
        if kind != "skip":
            yield _token(kind, match, dialect)


def _token(kind: str, match: re.Match[str], dialect: str) -> Token:
    text, start, end = match.group(), match.start(), match.end()
    if kind == "word":
        return Token(TokenKind.WORD, text, text.upper(), start, end)
    if kind == "symbol":
        return Token(TokenKind.SYMBOL, text, text, start, end)
    if kind == "number":
        return Token(TokenKind.NUMBER, text, "", start, end)
    if kind == "name":
        return Token(TokenKind.NAME, _unquoted(text), "", start, end)
    if kind == "string" and not text.startswith("$"):
        prefix = text[0].upper() if text[0] in "bBxX" else ""
        return Token(TokenKind.STRING, literal_text(text, dialect), prefix, start, end)
    return Token(TokenKind.STRING, _between_dollars(text), "", start, end)


def _unquoted(name: str) -> str:
    """A name without its quotes, doubled ones in it single."""
    return name[1:-1] if name.startswith("[") else name[1:-1].replace(name[-1] * 2, name[-1])


def _between_dollars(text: str) -> str:
    """What stands between the tags of `$tag$…$tag$`."""
    return text[text.index("$", 1) + 1 : text.rindex("$", 0, -1)]
