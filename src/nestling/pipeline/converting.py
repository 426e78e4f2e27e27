"""What of a workload the design made for it cannot do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Gap, GapKind, Reading

MANY = 1000
"""Of more statements than this not all may be looked at."""
MOST_SECONDS = 10.0
"""How long many statements are looked at."""


def with_unconverted(proposal: Proposal, reading: Reading, *, clock: Callable[[], float] = time.monotonic) -> Proposal:
    """The proposal with a gap for what it does not convert of the workload it was made for; a note where not all was looked at.

    These take the place of what the reading tells of statements that no design converts.
    """
    from nestling.common.errors import WorkloadError
    from nestling.ir.compiled import NotCompiled
    from nestling.ir.unconverted import is_unconverted, unconverted_gaps
    from nestling.pipeline.statements import convert
    from nestling.planner.sql.unconverted import gap_of, weighed

    statements, found = [*weighed(reading)], list[tuple[str, Gap]]()
    ends = clock() + MOST_SECONDS if len(statements) > MANY else None
    looked_at = 0
    for statement in statements:
        if ends is not None and clock() > ends:
            break
        looked_at += 1
        try:
            made = convert(proposal, statement.sql, name=statement.name, dialect=reading.dialect_of(statement))
        except WorkloadError as error:
            found.append((statement.name, Gap(GapKind.INPUT, error.problems[0].what)))
        else:
            if isinstance(made, NotCompiled):
                found.append((statement.name, made.gap))
    rest = ((each.name, gap_of(each, reading)) for each in statements[looked_at:])
    found += ((name, gap) for name, gap in rest if gap is not None)
    gaps = (*(gap for gap in proposal.gaps if not is_unconverted(gap)), *unconverted_gaps(found))
    notes = proposal.notes if looked_at == len(statements) else (*proposal.notes, _stopped(looked_at, len(statements)))
    return replace(proposal, gaps=gaps, notes=notes)


def _stopped(looked_at: int, of: int) -> str:
    return (
        f"{looked_at:,} of {of:,} statements were converted for this design to see whether they can be, in {MOST_SECONDS:g} s;"
        " `nestling convert DESIGN --file WORKLOAD` tells of all"
    )
