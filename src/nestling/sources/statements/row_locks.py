"""A read without its FOR UPDATE, FOR SHARE or LOCK IN SHARE MODE: a database that is only read locks no rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.sources.ddl.tokens import Token, TokenKind, tokens

_LOCKS = (("FOR", "UPDATE"), ("FOR", "SHARE"), ("FOR", "NO", "KEY", "UPDATE"), ("FOR", "KEY", "SHARE"))
_IN_SHARE_MODE = ("LOCK", "IN", "SHARE", "MODE")


def without_row_locks(sql: str, dialect: str) -> str:
    """The statement with each such clause cut out, up to the end of its SELECT."""
    parts, at = [], 0
    for start, end in _clauses(list(tokens(sql, dialect))):
        parts.append(sql[at:start])
        at = end
    return "".join([*parts, sql[at:]])


def _clauses(found: Sequence[Token]) -> Iterator[tuple[int, int]]:
    index = 0
    while index < len(found):
        if not _is_lock(found, index):
            index += 1
            continue
        first = index
        while index < len(found) and found[index].text not in (")", ";"):
            index += 1
        yield found[first].start, found[index - 1].end


def _is_lock(found: Sequence[Token], index: int) -> bool:
    words = [each.key if each.kind is TokenKind.WORD else "" for each in found[index : index + 4]]
    return any(tuple(words[: len(each)]) == each for each in (*_LOCKS, _IN_SHARE_MODE))
