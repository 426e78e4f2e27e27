"""What of a workload is weighed when a design is decided, although no query or command can be made of it."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.common.errors import WorkloadError
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.statements.unconverted_gaps import unconverted_gaps
from nestling.ir.workload import Statement
from nestling.planner.sql import StatementGap, translate


def unconverted(reading: Reading) -> tuple[Gap, ...]:
    """A gap for each construct that stands in statements which are weighed, and that nothing is made of on any design."""
    found = ((each.name, gap_of(each, reading)) for each in weighed(reading))
    return unconverted_gaps((name, gap) for name, gap in found if gap is not None)


def weighed(reading: Reading) -> Iterator[Statement]:
    """The statements that are weighed, and of which the reading tells no mistake."""
    told = " ".join(gap.what for gap in reading.gaps)
    for statement in reading.workload.statements:
        if statement.sql and statement.accesses and f"statement `{statement.name}`" not in told:
            yield statement


def gap_of(statement: Statement, reading: Reading) -> Gap | None:
    """Why nothing can be made of a statement; None where something can."""
    try:
        translate(statement.sql, reading.model, reading.dialect_of(statement))
    except StatementGap as error:
        return error.gap
    except WorkloadError as error:
        return Gap(GapKind.INPUT, error.problems[0].what)
    return None
