"""What there is to compare in a design: everything it keeps that follows from something else, and references that must lead to
something. What must be there is said by `planner.upkeep`, which writes and sync go by, too.
"""

from __future__ import annotations

from itertools import chain

from nestling.ir.design import Design
from nestling.ir.drift import Check, Checks
from nestling.ir.reading import Gap
from nestling.planner.checks.discriminators import discriminator_checks
from nestling.planner.checks.flags import overflow_checks
from nestling.planner.checks.kept import kept_checks
from nestling.planner.checks.references import reference_checks
from nestling.planner.checks.summaries import summary_checks

__all__ = ["checks_of"]


def checks_of(design: Design) -> Checks:
    """Every check of the design; snapshot copies have none."""
    found = tuple(
        chain(
            kept_checks(design),
            summary_checks(design),
            overflow_checks(design),
            discriminator_checks(design),
            reference_checks(design),
        )
    )
    checks = tuple(each for each in found if isinstance(each, Check))
    return Checks(checks, tuple(each for each in found if isinstance(each, Gap)))
