"""A DDL text as statements: cut at semicolons, but not inside bodies of triggers and routines, nor at `COPY` data.

What client programs would take for themselves is understood: `DELIMITER` lines (mysql), backslash lines (psql), the data block
after `COPY … FROM stdin`. A body whose END never comes is cut at its first semicolon, so that what follows is still read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL
from nestling.sources.ddl.tokens import Token, tokens

_COPY = re.compile(
    r"^([ \t]*COPY\s[^;]*?\bFROM\s+stdin\b[^;\n]*;[^\n]*\n)(.*?)(^[ \t]*\\\.[^\n]*$|\Z)", re.IGNORECASE | re.M | re.S
)
# Rows are most of a dump: an INSERT is blanked as a whole, unless it holds what only the tokens can tell (comments, E'…').
_PLAIN = (
    r"^(INSERT\s+(?:IGNORE\s+|OR\s+\w+\s+)?INTO\b)"
    r"((?:[^'\"`;/\-]++|-(?!-)|/(?!\*)|(?<![eE])'{string}'|\"[^\"]*\"|`[^`]*`)*+)(?=;)"
)
_INSERT = re.compile(_PLAIN.format(string="(?:[^']|'')*+"), re.IGNORECASE | re.MULTILINE)
_MYSQL_INSERT = re.compile(_PLAIN.format(string=r"(?:[^'\\]++|''|\\.)*+"), re.IGNORECASE | re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"[^\n]+")
_PSQL_LINE = re.compile(r"^[ \t]*\\\w[^\n]*$", re.MULTILINE)
_DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(\S+)[^\n]*$", re.IGNORECASE | re.MULTILINE)
_ROUTINES = {"TRIGGER", "FUNCTION", "PROCEDURE", "EVENT"}
_HEAD_WORDS = 12  # CREATE OR REPLACE DEFINER = `a` @ `b` SQL SECURITY … PROCEDURE
_LOOPS = {"IF", "LOOP", "WHILE", "REPEAT", "FOR"}


@dataclass(frozen=True, slots=True)
class DdlStatement:
    """The tokens of one statement, without its semicolon, and the line it starts in (from 1)."""

    tokens: tuple[Token, ...]
    line: int

    @property
    def words(self) -> tuple[str, ...]:
        """The first keys of the statement, enough to recognise its kind."""
        return tuple(token.key for token in self.tokens[:_HEAD_WORDS])


class Lines:
    """Offsets to line numbers."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer(r"\n", text))]

    def at(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return bisect_right(self._starts, offset)


def statements(text: str, dialect: str, *, with_rows: bool = True) -> Iterator[DdlStatement]:
    """The statements in the order they stand; without their rows, most INSERTs are only their first words."""
    lines = Lines(text)
    text = _without_client_lines(text, dialect)
    text = text if with_rows else _without_rows(text, dialect)
    for start, end, delimiter in _sections(text, dialect):
        found = list(tokens(text, dialect, start, end))
        parts = at_semicolons(found) if delimiter == ";" else [found]
        yield from (DdlStatement(tuple(part), lines.at(part[0].start)) for part in parts if part)


def _without_client_lines(text: str, dialect: str) -> str:
    """The text with data blocks and psql's own lines blanked out, every other character where it was."""
    if dialect == POSTGRESQL:
        text = _COPY.sub(lambda match: match[1] + _blank(match[2] + match[3]), text)
        text = _PSQL_LINE.sub(lambda match: _blank(match[0]), text)
    return text


def _without_rows(text: str, dialect: str) -> str:
    pattern = _MYSQL_INSERT if dialect == MYSQL else _INSERT
    return pattern.sub(lambda match: match[1] + _blank(match[2]), text)


def _blank(text: str) -> str:
    return _LINE.sub(lambda match: " " * len(match[0]), text)


def _sections(text: str, dialect: str) -> Iterator[tuple[int, int, str]]:
    """Parts of the text with the delimiter that ends their statements; another one than `;` holds one statement each."""
    start, delimiter = 0, ";"
    marks = list(_DELIMITER.finditer(text)) if dialect == MYSQL else []
    for mark in [*marks, None]:
        end = mark.start() if mark else len(text)
        if delimiter == ";":
            yield start, end, ";"
        else:
            yield from _between(text, start, end, delimiter)
        if mark:
            start, delimiter = mark.end(), mark[1]


def _between(text: str, start: int, end: int, delimiter: str) -> Iterator[tuple[int, int, str]]:
    while start < end:
        stop = text.find(delimiter, start, end)
        stop = end if stop < 0 else stop
        yield start, stop, delimiter
        start = stop + len(delimiter)


def at_semicolons(found: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement, without its semicolon: none between two of them."""
    start = 0
    while start < len(found):
        first = next((i for i in range(start, len(found)) if found[i].key == ";"), len(found))
        end = first
        if _ROUTINES & {token.key for token in found[start : start + _HEAD_WORDS]} and found[start].key == "CREATE":
            end = _end_of_routine(found, start) or first
        yield found[start:end]
        start = end + 1


def _end_of_routine(found: list[Token], start: int) -> int | None:
    """The semicolon after the END that closes the body, or after a body without BEGIN; None when there is no such END."""
    depth = 0
    for index in range(start, len(found)):
        key, before = found[index].key, found[index - 1].key
        if key in ("BEGIN", "CASE") and before != "END":
            depth += 1
        elif key == "END" and (index + 1 == len(found) or found[index + 1].key not in _LOOPS):
            depth -= 1
        elif key == ";" and depth <= 0:
            return index
    return len(found) if depth <= 0 else None
