"""What is wrong with SQL that cannot be parsed, in words of SQL and not in the parser's."""

from __future__ import annotations

import re

from sqlglot.errors import ParseError, SqlglotError

_WORDS = (
    (re.compile(r"Required keyword: .* missing for .*"), "something is missing"),
    (re.compile(r"Expected table name but got .*"), "the name of a table is missing"),
    (re.compile(r"Invalid expression / Unexpected token.*"), "something unexpected"),
    (re.compile(r"Expecting (\S+?)\.?"), r"`\1` is missing"),
    (re.compile(r"Error tokenizing .*", re.DOTALL), "there is a quote or a comment that does not end"),
)
_COLORS = re.compile("\x1b\\[[0-9;]*m")


NO_OPERAND = "an operator has nothing before it"
"""What sqlglot fails on with a TypeError."""


def syntax_words(error: SqlglotError) -> str:
    """The first mistake and the word it is near."""
    found = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    said = _COLORS.sub("", str(found.get("description") or error)).strip()
    near = f" near `{found['highlight']}`" if found.get("highlight") else ""
    known = next((match.expand(words) for pattern, words in _WORDS if (match := pattern.fullmatch(said))), None)
    return f"{known or said.splitlines()[0].rstrip('.')}{near}"
