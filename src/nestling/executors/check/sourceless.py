"""Copies that may be the last there is of a row: their documents refer to a row that is not there.

A check and a background sync leave them unless they are asked to take such copies away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nestling.executors.check.differing_rows import FoundRow, where, would_go
from nestling.ir.drift import ID_COLUMN, CompiledCheck

BRING_BACK = "the row this was copied from no longer exists: restore it, or remove the copy too"
"""What to do about such a copy; the option that takes it away comes after it."""


def sourceless(
    compiled: CompiledCheck,
    rows: Sequence[FoundRow],
    ask: Callable[[CompiledCheck, Sequence[object]], Iterable[FoundRow]],
) -> set[int]:
    """The places of rows whose copy has lost its source; `ask` gives the rows of a check for documents with some ids."""
    check, source = compiled.check, compiled.source
    going = {place for place, row in enumerate(rows) if would_go(check, row)}
    if not going or source is None:
        return going if check.is_loose else set()
    ids = tuple({repr(rows[place][ID_COLUMN]): rows[place][ID_COLUMN] for place in going}.values())
    dangling = {where(source.check, row) for row in ask(source, ids)}
    return {place for place in going if where(check, rows[place]) in dangling}
