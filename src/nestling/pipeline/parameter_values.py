"""Values for the parameters of a workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from nestling.ir.reading import Reading
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from nestling.common.errors import Problem
    from nestling.ir.bindings import Bindings
    from nestling.ir.rows import RowSource

DRAWS = 1_000
"""Draws a statement has before they repeat."""


class Draws(NamedTuple):
    """Draws by statement, and what is missing for statements whose parameters have no values."""

    found: Mapping[str, Bindings]
    without: Mapping[str, tuple[Problem, ...]]


@checks_arguments
def bindings(reading: Reading, source: RowSource, *, count: int = DRAWS, seed: int = 0) -> Mapping[str, Bindings]:
    """Return draws of parameter values by statement name, the same for the same seed.

    Statements that cannot be translated are left out. Raises `WorkloadError` that names each parameter without a value in the
    rows or the workload file.
    """
    from nestling.common.errors import WorkloadError

    made = drawn_values(reading, source, count=count, seed=seed)
    if made.without:
        raise WorkloadError(*(problem for problems in made.without.values() for problem in problems))
    return made.found


def drawn_values(reading: Reading, source: RowSource, *, count: int = DRAWS, seed: int = 0) -> Draws:
    """Draw values as `bindings` does, but allow statements without values."""
    from nestling.common.errors import GapError, WorkloadError
    from nestling.ir.statements.write import Insert
    from nestling.planner.sql import translate
    from nestling.planner.statements.parameters import parameter_uses
    from nestling.sources.draws import draw

    found: dict[str, Bindings] = {}
    without: dict[str, tuple[Problem, ...]] = {}
    inserts: Counter[str] = Counter()
    with source.snapshot():
        for each in reading.workload.statements:
            try:
                dialect = reading.dialect_of(each)
                statement = translate(each.sql, source.model, dialect)
                place = inserts[statement.entity] if isinstance(statement, Insert) else 0
                uses = parameter_uses(statement, source.model)
                found[each.name] = draw(each, uses, source, dialect=dialect, count=count, seed=seed, place=place)
            except GapError:
                continue
            except WorkloadError as error:
                without[each.name] = error.problems
                continue
            if isinstance(statement, Insert):
                inserts[statement.entity] += 1
    return Draws(found, without)
