"""String literals of each dialect: the text one stands for, and the literal of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nestling.common.escaped_text import escaped_text
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.text.sql_quotes import sql_text

ESCAPED = r"(?:[^'\\]|''|\\.)*"
"""What stands between single quotes where a backslash escapes."""
_PLAIN = r"(?:[^']|'')*"
_LITERAL: Mapping[str, re.Pattern[str]] = {
    MYSQL: re.compile(rf"(?:[nN]|_\w+\s*)?'{ESCAPED}'", re.DOTALL),
    POSTGRESQL: re.compile(rf"[eE]'{ESCAPED}'|(?:[nN]|[uU]&)?'{_PLAIN}'", re.DOTALL),
    SQLITE: re.compile(rf"'{_PLAIN}'", re.DOTALL),
}
_MEANT_IN_MYSQL = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_CODE_POINT = re.compile(r"\\(?:\+([0-9A-Fa-f]{6})|([0-9A-Fa-f]{4})|(\\))")


def is_literal(sql: str, dialect: str) -> bool:
    """Whether it is one string literal and nothing else."""
    return _LITERAL[dialect].fullmatch(sql) is not None


def literal_text(literal: str, dialect: str) -> str:
    """The text a literal of the dialect stands for, whatever is written before its quotes."""
    quote = literal[-1]
    before, _, rest = literal.partition(quote)
    inside = rest[:-1]
    if dialect == MYSQL:
        return _of_mysql(inside, quote)
    if dialect == POSTGRESQL and before.casefold() == "e":
        return _of_postgresql(inside)
    plain = inside.replace(quote * 2, quote)
    return _CODE_POINT.sub(_character, plain) if dialect == POSTGRESQL and before.casefold() == "u&" else plain


def text_literal(text: str, dialect: str) -> str:
    """A literal of the dialect that stands for the text."""
    return sql_text(text.replace("\\", "\\\\") if dialect == MYSQL else text)


def _of_mysql(inside: str, quote: str) -> str:
    parts = re.split(r"(\\.)", inside, flags=re.DOTALL)
    plain = (part.replace(quote * 2, quote) for part in parts[::2])
    escaped = (_MEANT_IN_MYSQL.get(part[1], part[1]) for part in parts[1::2])
    return "".join(part for pair in zip(plain, [*escaped, ""], strict=True) for part in pair)


def _of_postgresql(inside: str) -> str:
    """The text between the quotes of `E'…'`; what PostgreSQL refuses stays as it is written."""
    try:
        return escaped_text(inside)
    except ValueError:
        return inside.replace("''", "'")


def _character(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2]
    return "\\" if digits is None else chr(min(int(digits, 16), 0x10FFFF))
