"""Statements that want the first few rows in an order no index has, for the place of its NULLs."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.quantity_words import first_of
from nestling.ir.situation.situation import Situation

MOST_STATEMENTS_NAMED = 3
"""Most statements named in a note."""


def null_orders(situation: Situation) -> Iterator[str]:
    """A sentence about all of them, and what to do."""
    found = [
        f"`{statement.name}` (`{access.unsorted}` of `{access.entity}`)"
        for statement in situation.reading.workload.statements
        for access in statement.accesses
        if access.unsorted and statement.limit is not None
    ]
    if found:
        yield (
            f"no index provides the order of {first_of(found, MOST_STATEMENTS_NAMED)}: MongoDB puts NULLs at the other end, so"
            " each execution sorts all matching rows to return the first few. Write `DESC NULLS LAST` or `ASC NULLS FIRST`, add"
            " `IS NOT NULL`, or declare the column NOT NULL"
        )
