"""Fields that do not hold what they follow from, each with how many documents it differs in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymongo.database import Database

from nestling.executors.check.checking import CheckOptions, run_checks
from nestling.ir.drift import CompiledCheck
from nestling.ir.found_field import FoundField, steps_of


def differing_fields(fields: Sequence[tuple[str, CompiledCheck]], database: Database[Any]) -> tuple[FoundField, ...]:
    """The fields that differ anywhere, in the order given as (path, its checks); raises what `run_checks` does."""
    report = run_checks([compiled for _, compiled in fields], database, way=CheckOptions(shown=1))
    examples = {each.check: each.id for each in report.findings}
    return tuple(
        FoundField(
            compiled.check.collection,
            steps_of(path),
            report.verdicts[compiled.check.key].differing,
            examples[compiled.check.key],
        )
        for path, compiled in fields
        if compiled.check.key in examples
    )
