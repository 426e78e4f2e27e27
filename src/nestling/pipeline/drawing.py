"""Values for the parameters of a workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from nestling.ir.reading import Reading

if TYPE_CHECKING:
    from nestling.ir.bindings import Bindings
    from nestling.ir.rows import RowSource

DRAWS = 1_000
"""Draws a statement has before they repeat."""


def bindings(reading: Reading, source: RowSource, *, count: int = DRAWS, seed: int = 0) -> Mapping[str, Bindings]:
    """Draws for every statement by name, the same for the same seed; what cannot be translated is left out.

    Raises `WorkloadError` with every parameter for which neither the rows nor the workload file have a value.
    """
    from nestling.common.errors import GapError, Problem, WorkloadError
    from nestling.ir.write import Insert
    from nestling.planner.parameters import parameter_uses
    from nestling.planner.sql import translate
    from nestling.sources.draws import draw

    found: dict[str, Bindings] = {}
    problems: list[Problem] = []
    inserts: Counter[str] = Counter()
    with source.snapshot():
        for each in reading.workload.statements:
            try:
                statement = translate(each.sql, source.model, reading.dialect_of(each))
                place = inserts[statement.entity] if isinstance(statement, Insert) else 0
                uses = parameter_uses(statement, source.model)
                found[each.name] = draw(each, uses, source, count=count, seed=seed, place=place)
            except GapError:
                continue
            except WorkloadError as error:
                problems += error.problems
                continue
            if isinstance(statement, Insert):
                inserts[statement.entity] += 1
    if problems:
        raise WorkloadError(*problems)
    return found
