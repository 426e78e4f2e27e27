"""PostgreSQL's DO blocks: what they declare, whatever condition or handler of errors stands around it.

Generated migrations declare so what may be there already: `BEGIN CREATE TYPE …; EXCEPTION WHEN duplicate_object THEN NULL; END`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.sources.ddl.statements import at_semicolons
from nestling.sources.ddl.tokens import Token, TokenKind, tokens

_OF_NO_SHAPE = ("NULL", "RAISE")


class CodeBlock:
    """A DO block of a text: `declared` are statements in it that declare, `is_read` whether there is nothing else."""

    def __init__(self, found: Sequence[Token], text: str, dialect: str) -> None:
        self.declared: list[tuple[Token, ...]] = []
        body = next((each for each in found if each.kind is TokenKind.STRING and text[each.start] == "$"), None)
        self.is_read = body is not None
        for each in _statements(body, text, dialect) if body is not None else ():
            if _declares(each):
                self.declared.append(tuple(each))
            elif each[0].key not in _OF_NO_SHAPE:
                self.is_read = False


def _statements(body: Token, text: str, dialect: str) -> Iterator[list[Token]]:
    """The statements that are run when nothing fails, without the words around them."""
    quote = text.index("$", body.start + 1) + 1 - body.start
    is_handler, is_head = False, False
    for part in at_semicolons([*tokens(text, dialect, body.start + quote, body.end - quote)]):
        rest = part
        while rest and (word := rest[0].key) in _AROUND:
            is_handler = word == "EXCEPTION" or (is_handler and word != "END")
            is_head = word == "DECLARE" or (is_head and word != "BEGIN")
            rest = _behind(rest, _AROUND[word])
        if rest and not is_handler and not is_head:
            yield rest


_AROUND = {"DECLARE": "BEGIN", "BEGIN": "", "IF": "THEN", "ELSIF": "THEN", "ELSE": "", "EXCEPTION": ";", "END": ";"}
"""The words that stand before a statement, and the word they end with; themselves where that is empty."""


def _behind(part: list[Token], word: str) -> list[Token]:
    at = 0 if not word else next((n for n, each in enumerate(part) if each.key == word), len(part))
    return part[at + 1 :]


def _declares(part: Sequence[Token]) -> bool:
    words = [each.key for each in part]
    return words[0] == "CREATE" or (words[0] == "ALTER" and "ADD" in words)
