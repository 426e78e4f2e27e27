"""One way to write a parameter: `:name`, whatever the driver's style was.

`?`, `?1`, `$1`, `%s`, `%(x)s` and `@x` become `:p1`, `:p2`, `:x`; what stands in strings, names and comments stays. Kept apart
from parameters are casts (`::`), system variables (`@@x`), remainders (`a % s`) and PostgreSQL's `?` on JSON. Beside `%s` and
`%(x)s`, `%%` is `%`, also in strings: drivers that take these send it so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.ddl.tokens import Token, TokenKind, tokens

_ESCAPED, _NUMBERED = re.compile("%%"), re.compile(r"[?$:][0-9]+")


@dataclass(frozen=True, slots=True)
class Normalised:
    """A statement with `:name` parameters, their names in order, and the edits that made it, to find places again."""

    sql: str
    parameters: tuple[str, ...]
    edits: tuple[tuple[int, int, str], ...]

    def original(self, offset: int) -> int:
        """The position in the text as written of an offset in `sql`."""
        shift = 0
        for start, end, new in self.edits:
            if offset < start + shift + len(new):
                return min(offset - shift, end)
            shift += len(new) - (end - start)
        return offset - shift


def normalise(sql: str, dialect: str) -> Normalised:
    """Rewrite every placeholder of a statement."""
    edits: list[tuple[int, int, str]] = []
    names: list[str] = []
    places = [*_places(sql, dialect)]
    for start, end, name in places:
        names.append(name)
        if sql[start:end] != f":{name}":
            edits.append((start, end, f":{name}"))
    if any(sql[start] == "%" for start, _, _ in places):
        edits = sorted([*edits, *((found.start(), found.end(), "%") for found in _ESCAPED.finditer(sql))])
    return Normalised(apply_edits(sql, edits), tuple(dict.fromkeys(names)), tuple(edits))


def rewritten(sql: str, dialect: str, place: Callable[[str, str], str], text: Callable[[str], str]) -> str:
    """The statement with `place` of the text before a parameter and its name for each, and `text` of all that is between."""
    parts, at = [], 0
    for start, end, name in _places(sql, dialect):
        before = sql[at:start]
        parts += [text(before), place(before, name)]
        at = end
    return "".join([*parts, text(sql[at:])])


def _places(sql: str, dialect: str) -> Iterator[tuple[int, int, str]]:
    """Where each placeholder begins and ends, and its name.

    One without a name has the number after the highest so far, as in SQLite, and nobody else's name.
    """
    found = list(tokens(sql, dialect or SQLITE))
    places: list[tuple[int, int, str]] = []
    index = 0
    while index < len(found):
        length, name = _placeholder(found, index, sql)
        if length:
            places.append((found[index].start, found[index + length - 1].end, name))
        index += length or (2 if _is_escaped(found, index) else 1)
    numbers = {start: int(sql[start + 1 : end]) for start, end, _ in places if _NUMBERED.fullmatch(sql, start, end)}
    written = {name for start, _, name in places if start not in numbers}
    highest = 0
    for start, end, name in places:
        highest = max(highest, numbers.get(start, 0))
        if not name:
            highest += 1
            while f"p{highest}" in written:
                highest += 1
        yield start, end, name or f"p{highest}"


def _is_escaped(found: list[Token], index: int) -> bool:
    """Whether a per cent sign stands for the one after it."""
    pair = found[index : index + 2]
    return [each.key for each in pair] == ["%", "%"] and pair[0].end == pair[1].start


def apply_edits(text: str, edits: list[tuple[int, int, str]]) -> str:
    """The text with each part replaced; edits in order."""
    parts, at = [], 0
    for start, end, new in edits:
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def _placeholder(found: list[Token], index: int, sql: str) -> tuple[int, str]:
    """How many tokens from here are a placeholder (0: none) and its name, empty for one that is counted."""
    token = found[index]
    following = [found[index + ahead] if index + ahead < len(found) else None for ahead in (1, 2, 3, 4)]
    touching = following[0] is not None and following[0].start == token.end
    first = following[0]
    if token.kind is TokenKind.WORD and token.text.startswith("@") and not token.text.startswith("@@"):
        return (1, token.text[1:].replace(".", "_")) if len(token.text) > 1 else (0, "")
    if token.kind is not TokenKind.SYMBOL or first is None:
        return (1, "") if token.key == "?" else (0, "")
    if token.key == ":" and touching and first.kind in (TokenKind.WORD, TokenKind.NUMBER):
        return 2, first.text if first.kind is TokenKind.WORD else f"p{first.text}"
    if token.key == "?":
        return (0, "") if _placeholder(found, index + 1, sql)[0] else _question(first, touching=touching)
    if token.key == "$" and touching and first.kind is TokenKind.NUMBER:
        return 2, f"p{first.text}"
    if token.key == "%" and touching and not _follows_value(found, index):
        return _percent(following, sql)
    return 0, ""


def _question(first: Token, *, touching: bool) -> tuple[int, str]:
    if touching and first.kind is TokenKind.NUMBER:
        return 2, f"p{first.text}"
    if first.kind in (TokenKind.STRING, TokenKind.NAME) or (touching and first.key in ("|", "&")):
        return 0, ""  # an operator on JSON
    return 1, ""


def _percent(following: list[Token | None], sql: str) -> tuple[int, str]:
    first, name, closing, letter = following
    if first is not None and first.text == "s":
        return 2, ""
    if (
        first is not None
        and first.key == "("
        and name
        and closing
        and closing.key == ")"
        and letter
        and letter.text == "s"
    ):
        return 5, sql[name.start : name.end]
    return 0, ""


def _follows_value(found: list[Token], index: int) -> bool:
    """Whether what stands right before, without a blank, is a value: then `%` is a remainder."""
    if index == 0 or found[index - 1].end != found[index].start:
        return False
    return found[index - 1].kind is not TokenKind.SYMBOL or found[index - 1].key == ")"
