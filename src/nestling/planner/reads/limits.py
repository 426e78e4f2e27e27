"""How far a LIMIT looks."""

from __future__ import annotations

from nestling.ir.statements.expression import Expression, Literal


def rows_looked_at(count: Expression | None, offset: Expression | None) -> int | None:
    """How many rows are read, including skipped ones; None for all of them, as with SQLite's -1, or if it is not constant."""
    given = [each.value if isinstance(each, Literal) else None for each in (count, offset) if each is not None]
    numbers = [value for value in given if isinstance(value, int) and value >= 0]
    return sum(numbers) if count is not None and len(numbers) == len(given) else None
