"""Rows into a target, one entity after the other."""

from __future__ import annotations

from collections.abc import Callable

from nestling.ir.model import Model
from nestling.ir.rows import RowSink
from nestling.ir.statistics import Statistics
from nestling.sources.generated.nth_rows import tables

BATCH_ROWS = 5_000


def generate(
    model: Model,
    statistics: Statistics,
    target: RowSink,
    *,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> int:
    """Write as many rows as the statistics say, the same for the same seed, and return how many.

    `progress` hears the entity, its rows written and its rows in all. Raises `SourceError` when the target holds rows.
    """
    made = tables(model, statistics, seed)
    target.begin(model)
    for name, table in made.items():
        for done in range(0, table.rows, BATCH_ROWS):
            upto = min(done + BATCH_ROWS, table.rows)
            target.write(model.entity(name), [table.row(number) for number in range(done, upto)])
            if progress is not None:
                progress(name, upto, table.rows)
    target.finish()
    return sum(table.rows for table in made.values())
