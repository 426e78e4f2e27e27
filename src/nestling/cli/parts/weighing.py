"""The options by which a design is weighed: budgets, thresholds, and which of them a strategy heeds."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from nestling.ir.reading import Reading
    from nestling.strategies import Thresholds


def check_budget(reading: Reading, storage: int | None) -> None:
    """Raise `UsageError` for a storage budget that would have no effect."""
    if storage is None:
        return
    if not any(statement.accesses for statement in reading.workload.statements):
        raise click.UsageError("budgets need a workload, since without one costs are not compared: add --workload FILE")


def check_weighing(strategy: str, storage: int | None, *, trade: bool) -> None:
    """Raise `UsageError` for options that matter only when costs are compared, if the strategy compares none.

    With `--pareto` (`trade`) costs are compared whatever the strategy.
    """
    from nestling.pipeline import OPTIMAL

    if strategy == OPTIMAL:
        return
    if storage is not None:
        raise click.UsageError(f"budgets need --strategy {OPTIMAL}, which compares costs: {strategy} ignores budgets")
    context = click.get_current_context()
    for name, option in () if trade else _OF_COSTS:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option} needs --strategy {OPTIMAL}, which compares costs, or --pareto: {strategy} does not compare costs"
            )


_OF_COSTS = (("profile_file", "--profile"), ("cache_bytes", "--cache"), ("time_limit", "--time-limit"))
"""Parameters of pricing and searching, and their options."""


def storage_of(given: tuple[str, ...]) -> int | None:
    """`("storage=500MB",)` in bytes; raises `InputError` for anything else."""
    from nestling.common.errors import InputError, Problem
    from nestling.ir.quantity_words import read_size

    found = None
    for text in given:
        name, _, said = text.partition("=")
        if name.strip().lower() != "storage":
            raise InputError(
                Problem(what=f"`{text}` is not a budget", next_move="write it as storage=500MB or storage=2GB")
            )
        found = read_size(said)
    return found


def thresholds_of(given: tuple[str, ...]) -> Thresholds:
    """`("few=30",)` as thresholds; raises `InputError` with everything that is wrong in them."""
    from dataclasses import fields, replace

    from nestling.common.errors import InputError, Problem, unknown
    from nestling.strategies import Thresholds

    names = [item.name for item in fields(Thresholds)]
    problems, chosen = [], dict[str, float]()
    for text in given:
        name, _, number = text.partition("=")
        if name not in names:
            problems.append(unknown("threshold", name, names))
        elif (value := _finite(number)) is None:
            problems.append(Problem(what=f"`{text}` is not a number", next_move=f"write it as {name}=30"))
        else:
            chosen[name] = int(value) if value.is_integer() else value
    if problems:
        raise InputError(*problems)
    return replace(Thresholds(), **chosen)  # type: ignore[arg-type]  # names and numbers were checked above


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None
