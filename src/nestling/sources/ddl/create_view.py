"""CREATE VIEW: the exact text of its SELECT, and its column names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nestling.ir.model import View
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.ddl.cursor import Cursor, NotUnderstood
from nestling.sources.ddl.tokens import Token, TokenKind, tokens

_CHECKED = re.compile(r"\s+WITH\s+(?:(?:LOCAL|CASCADED)\s+)?CHECK\s+OPTION\s*\Z", re.IGNORECASE)


def read_view(cursor: Cursor, name: str, text: str, dialect: str) -> View:
    """The view whose name has been passed; `text` is what the tokens were cut from. Raises `NotUnderstood`."""
    columns = _names(cursor.group()) if cursor.sees("(") else ()
    cursor.until("AS")
    if not cursor.accept("AS"):
        raise NotUnderstood("AS is missing")
    query = cursor.rest()
    if not query:
        raise NotUnderstood("its SELECT is missing")
    return View(name, plain_select(text[query[0].start : query[-1].end]), dialect, columns)


def plain_select(sql: str) -> str:
    """A view's SELECT without what only matters to writes."""
    return _CHECKED.sub("", sql.strip().rstrip(";").rstrip())


def sqlite_view(sql: str, name: str) -> View:
    """The view a CREATE VIEW statement of SQLite makes. Raises `NotUnderstood`."""
    cursor = Cursor(list(tokens(sql, SQLITE)))
    cursor.until("VIEW")
    cursor.take()
    cursor.accept("IF", "NOT", "EXISTS")
    cursor.qualified_name()
    return read_view(cursor, name, sql, SQLITE)


def _names(found: Sequence[Token]) -> tuple[str, ...]:
    return tuple(token.text for token in found if token.kind is not TokenKind.SYMBOL)
