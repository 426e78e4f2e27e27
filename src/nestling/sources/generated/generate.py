"""Writes generated rows to a target, one entity after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from nestling.common.errors import RowRefused, SourceError
from nestling.ir.model import Model
from nestling.ir.rows import RowSink
from nestling.ir.statistics import Statistics
from nestling.sources.generated.knots import OWN_ROWS
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
    """Write as many rows as the statistics say, the same for the same seed, and return their number.

    `progress` receives the entity, its rows written and its rows in all. Raises `SourceError` if the target holds rows, or if
    no rows can satisfy the model; nothing is left behind then.
    """
    made = tables(model, statistics, seed)
    try:
        target.begin(model)
        for name, table in made.items():
            for done in range(0, table.rows, BATCH_ROWS):
                upto = min(done + BATCH_ROWS, table.rows)
                with _as_made():
                    target.write(model.entity(name), [table.row(number) for number in range(done, upto)])
                if progress is not None:
                    progress(name, upto, table.rows)
        target.finish()
    finally:
        target.close()
    return sum(table.rows for table in made.values())


@contextmanager
def _as_made() -> Iterator[None]:
    """Say that a refused row was generated: users have no such row to change."""
    try:
        yield
    except RowRefused as error:
        problems = [
            replace(each, what=f"a generated row is refused: {each.what}", next_move=OWN_ROWS)
            for each in error.problems
        ]
        raise SourceError(*problems) from error
