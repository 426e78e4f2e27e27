"""What of a workload is weighed when a design is decided, although no query or command can be made of it."""

from __future__ import annotations

from nestling.common.errors import WorkloadError
from nestling.ir.quantity_words import first_of
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.planner.sql import StatementGap, translate

SHOWN = 3
"""Names shown of a longer list."""


def unconverted(reading: Reading) -> tuple[Gap, ...]:
    """A gap for each construct that stands in statements which are weighed, and that nothing is made of."""
    found: dict[tuple[GapKind, str], list[str]] = {}
    told = " ".join(gap.what for gap in reading.gaps)
    for statement in reading.workload.statements:
        if statement.sql and statement.accesses and f"statement `{statement.name}`" not in told:
            try:
                translate(statement.sql, reading.model, reading.dialect_of(statement))
            except StatementGap as error:
                found.setdefault((error.gap.kind, error.gap.what), []).append(statement.name)
            except WorkloadError as error:
                found.setdefault((GapKind.INPUT, error.problems[0].what), []).append(statement.name)
    return tuple(
        Gap(kind, f"weighed, but not converted: {what}", _named(names)) for (kind, what), names in found.items()
    )


def _named(names: list[str]) -> str:
    return f"statement{'s' * (len(names) > 1)} {first_of([f'`{name}`' for name in names], SHOWN)}"
