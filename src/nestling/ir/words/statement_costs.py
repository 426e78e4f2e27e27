"""Which statements a design's cost is made of: rows of the table people read."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.proposal import Costs
from nestling.ir.quantity_words import counted, short
from nestling.ir.rate import short_rate
from nestling.ir.words.work_words import work_rate

TITLE = "What costs most"
COLUMNS = ("statement", "runs", "each time", "in all", "of the workload")
NUMBERS = (1, 2, 3, 4)
"""The columns of numbers."""
MOST_STATEMENTS = 5
"""Statements that are shown; the others are summed up."""
SEEN = 5e-4
"""The least share of the whole that is shown of what is charged besides."""


def statement_cost_rows(costs: Costs | None) -> Iterator[tuple[str, str, str, str, str]]:
    """(statement, rate, milliseconds each time, milliseconds a second, share of the whole) of those that cost most, a row for
    the others, and what is charged besides; nothing where nobody knows how often they run.
    """
    ranked = costs.by_statement if costs is not None else ()
    whole = costs.with_dearer if costs is not None else 0.0
    shown = len(ranked) if len(ranked) <= MOST_STATEMENTS + 1 else MOST_STATEMENTS
    for each in ranked[:shown]:
        once = f"{short(each.seconds * 1e3)} ms"
        yield each.statement, short_rate(each.rate_per_second), once, work_rate(each.work), _share(each.work, whole)
    if others := ranked[shown:]:
        rest = sum(each.work for each in others)
        yield f"{counted(len(others), 'other')}", "", "", work_rate(rest), _share(rest, whole)
    threshold = costs.threshold if costs is not None else 0.0
    complexity = whole - sum(each.work for each in ranked) - threshold
    for name, charged in (("(complexity)", complexity), ("(threshold for changes)", threshold)):
        if ranked and charged >= SEEN * whole:
            yield name, "", "", work_rate(charged), _share(charged, whole)


def _share(work: float, whole: float) -> str:
    return f"{work / whole:.1%}" if whole > 0 else ""
