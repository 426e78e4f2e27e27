"""What is wrong with SQL that cannot be parsed, in words of SQL and not in the parser's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

_WORDS = (
    (re.compile(r"Required keyword: .* missing for .*"), "something is missing"),
    (re.compile(r"Expected table name but got .*"), "the name of a table is missing"),
    (re.compile(r"Invalid expression / Unexpected token.*"), "something unexpected"),
    (re.compile(r"Expecting (\S+?)\.?"), r"`\1` is missing"),
    (re.compile(r"Error tokenizing .*", re.DOTALL), "a quote or a comment is not closed"),
)
_BEGIN = ("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES", "MERGE")
_FIRST = re.compile(r"[A-Za-z]+(?=\s)")
_ALIKE = 0.75
_CONTEXT = 100
"""Characters before a mistake that sqlglot tells: of fewer, the first is the statement's own."""
_NOT_PARSED = (
    (re.compile(r"(?<!\S)(?<!KEY )UPDATE OR (?:ABORT|FAIL|IGNORE|REPLACE|ROLLBACK)(?!\S)"), r"\g<0>"),
    (re.compile(r"(?<!\S)(?<!KEY )(?:UPDATE|DELETE) IGNORE(?!\S)"), r"\g<0>"),
    (re.compile(r"(?<!\S)ON CONFLICT (?=.* ON CONFLICT )"), "two ON CONFLICT in one statement"),
)
_COLORS = re.compile("\x1b\\[[0-9;]*m")


UNREADABLE = (SqlglotError, RecursionError, TypeError, IndexError, AssertionError)
"""The exceptions of sqlglot for text it cannot read.

A TypeError if an operator has nothing before it, an IndexError if a function has too few arguments, an AssertionError if a text
is not an interval.
"""


def not_parsed(tokens: Sequence[Token]) -> tuple[str, Token] | None:
    """A clause that databases have and sqlglot does not parse, and where it begins; None where what is wrong is a mistake."""
    named = (TokenType.STRING, TokenType.IDENTIFIER)
    words = " ".join("_" if each.token_type in named else each.text.upper() for each in tokens)
    for pattern, construct in _NOT_PARSED:
        if found := pattern.search(words):
            return found.expand(construct), tokens[words.count(" ", 0, found.start())]
    return None


def syntax_words(error: Exception) -> str:
    """The first mistake and the word it is near."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, TypeError):
        return "an operator has nothing before it"
    if isinstance(error, IndexError):
        return "a function has too few arguments"
    if isinstance(error, AssertionError):
        return "a text is not an interval of one unit"
    if said := misspelt_first(error):
        return said
    found = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    before = str(found.get("start_context") or "")
    said = _COLORS.sub("", str(found.get("description") or error)).strip()
    near = f" near `{found['highlight']}`" if found.get("highlight") else ""
    near = " near a parameter" if found.get("highlight") == ":" else near  # which users write in several ways
    if found.get("highlight") == "%" and before.endswith("%"):
        near += "; `%%` is a percent sign only beside `%s` parameters: write `%`"
    known = next((match.expand(words) for pattern, words in _WORDS if (match := pattern.fullmatch(said))), None)
    return f"{known or said.splitlines()[0].rstrip('.')}{near}"


def misspelt_first(error: Exception) -> str:
    """The problem with the statement's first word, if what sqlglot does not read is a word behind it; otherwise empty."""
    found = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    before = str(found.get("start_context") or "")
    return misspelt(before.lstrip()) if len(before) < _CONTEXT else ""


def misspelt(statement: str) -> str:
    """The problem with the first word of a statement, if it almost is one that statements begin with; otherwise empty."""
    word = _FIRST.match(statement)
    if word is None or word[0].upper() in _BEGIN:
        return ""
    meant = get_close_matches(word[0].upper(), _BEGIN, 1, _ALIKE)
    return f"no statement begins with `{word[0]}`; did you mean {meant[0]}?" if meant else ""
