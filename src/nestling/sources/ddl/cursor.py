"""A place in a row of tokens, and the moves every part of the DDL reader makes from it."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.ir.reading import GapKind
from nestling.sources.ddl.tokens import Token, TokenKind
from nestling.sources.string_literals import text_literal

_END = Token(TokenKind.SYMBOL, "", "", 0, 0)
COMMA_TOO_MANY = "there is an extra comma: nothing comes before or after it"
Name = tuple[str, str]
"""A table's or type's schema (empty when not said) and name."""


class NotUnderstood(Exception):
    """Raised where the tokens are not what the grammar wants; carries the sentence for the gap."""

    kind = GapKind.NOTIMPL


class NotThere(NotUnderstood):
    """Raised where a statement names something that is not declared."""

    kind = GapKind.INPUT


class Cursor:
    """Reads tokens from the front. Words to compare with are given in upper case; quoted names never equal them."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self._at >= len(self._tokens)

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one further on; an empty symbol at the end."""
        return self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else _END

    def take(self) -> Token:
        """The next token, which is passed."""
        token = self.peek()
        self._at += 1
        return token

    def sees(self, *keys: str) -> bool:
        """Whether these come next."""
        return all(self.peek(ahead).key == key for ahead, key in enumerate(keys))

    def sees_any(self, *keys: str) -> bool:
        """Whether one of these comes next."""
        return self.peek().key in keys and not self.done

    def accept(self, *keys: str) -> bool:
        """Pass these if they come next."""
        if not self.sees(*keys):
            return False
        self._at += len(keys)
        return True

    def accept_any(self, *keys: str) -> str:
        """Pass one of these and tell which; empty when none comes next."""
        return self.take().key if self.sees_any(*keys) else ""

    def name(self) -> str:
        """A name, quoted or not; raises `NotUnderstood` for anything else."""
        token = self.peek()
        if token.kind not in (TokenKind.WORD, TokenKind.NAME, TokenKind.STRING):
            raise NotUnderstood(
                f"a name is missing before `{token.text}`" if token.text else "a name is missing at the end"
            )
        return self.take().text

    def qualified_name(self) -> Name:
        """A name with the schema before it, if any; a database before the schema is passed over."""
        parts = [self.name()]
        while self.accept("."):
            parts.append(self.name())
        return (parts[-2] if len(parts) > 1 else "", parts[-1])

    def group(self) -> list[Token]:
        """The tokens between the next parentheses; raises `NotUnderstood` when they do not come or do not close."""
        if not self.accept("("):
            raise NotUnderstood(f"`(` is missing before `{self.peek().text}`")
        start, depth = self._at, 1
        while depth:
            if self.done:
                raise NotUnderstood("a parenthesis is never closed")
            key = self.take().key
            depth += (key == "(") - (key == ")")
        return list(self._tokens[start : self._at - 1])

    def skip_group(self) -> bool:
        """Pass a parenthesised group if one comes next."""
        if self.sees("("):
            self.group()
            return True
        return False

    def until(self, *keys: str) -> list[Token]:
        """Everything before the next of these that stands outside parentheses; all that is left when none does."""
        start, depth = self._at, 0
        while not self.done and not (depth == 0 and self.peek().key in keys):
            key = self.take().key
            depth += (key in ("(", "[")) - (key in (")", "]"))
        return list(self._tokens[start : self._at])

    def rest(self) -> list[Token]:
        """All that is left."""
        start, self._at = self._at, len(self._tokens)
        return list(self._tokens[start:])


def condition_of(cursor: Cursor, text: str) -> str:
    """The text after the WHERE of an index, from the `text` that the tokens belong to; empty if there is no WHERE."""
    cursor.until("WHERE")
    if not cursor.accept("WHERE") or not (found := cursor.rest()):
        return ""
    return text[found[0].start : found[-1].end]


def at_commas(tokens: Sequence[Token]) -> list[list[Token]]:
    """The parts between commas outside parentheses and brackets; raises `NotUnderstood` where one is empty."""
    parts, empty = at_any_commas(tokens)
    if empty:
        raise NotUnderstood(COMMA_TOO_MANY)
    return parts


def at_any_commas(tokens: Sequence[Token]) -> tuple[list[list[Token]], list[Token]]:
    """The parts that are not empty, and the commas that end an empty one or nothing comes behind."""
    cursor, parts, empty = Cursor(tokens), [], []
    while not cursor.done:
        part, comma = cursor.until(","), cursor.peek()
        if part:
            parts.append(part)
        if cursor.accept(",") and (not part or cursor.done):
            empty.append(comma)
    return parts, empty


def as_sql(tokens: Sequence[Token], dialect: str) -> str:
    """The tokens as SQL of the dialect again; blanks only between words."""
    text = ""
    for token in tokens:
        shown = f"{token.key}{text_literal(token.text, dialect)}" if token.kind is TokenKind.STRING else token.text
        apart = (text[-1:].isalnum() or text[-1:] in (")", "'")) and (
            shown[:1].isalnum() or token.kind is TokenKind.STRING
        )
        text += f" {shown}" if apart else shown
    return text


def as_text(tokens: Sequence[Token]) -> str:
    """The tokens as one line, for messages."""
    shown = " ".join(token.text for token in tokens[:10])
    return shown + " …" if len(tokens) > 10 else shown
