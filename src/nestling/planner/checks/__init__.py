"""Everything that can be compared in a design.

Derived values, the places of rows, references that must lead to something, and keys that only one row may have. The expected
values come from `planner.upkeep`, which writes and sync use too.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from nestling.ir.design import Design
from nestling.ir.drift import Check, Checks
from nestling.ir.reading import Gap
from nestling.planner.checks.derived_values import field_checks, kept_checks, where_held
from nestling.planner.checks.discriminators import discriminator_checks
from nestling.planner.checks.duplicates import duplicate_checks
from nestling.planner.checks.headers import header_checks
from nestling.planner.checks.misplaced import misplaced_checks
from nestling.planner.checks.overflow_flags import overflow_checks
from nestling.planner.checks.parts import part_checks
from nestling.planner.checks.references import reference_checks
from nestling.planner.checks.summaries import summary_checks

__all__ = ["checks_of", "field_checks", "where_held"]

_ANEW = "documents in this kind of collection cannot be changed: load the collection again"


def checks_of(design: Design) -> Checks:
    """Every check of the design, in the order of repair; snapshot copies have none.

    Discriminators and headers come first: they determine which rows there are, on which everything else depends.
    """
    found = tuple(
        chain(
            discriminator_checks(design),
            header_checks(design),
            kept_checks(design),
            summary_checks(design),
            overflow_checks(design),
            misplaced_checks(design),
            part_checks(design),
            reference_checks(design),
            duplicate_checks(design),
        )
    )
    checks = tuple(_with_move(each) for each in found if isinstance(each, Check))
    return Checks(checks, tuple(each for each in found if isinstance(each, Gap)))


def _with_move(check: Check) -> Check:
    """The check with a next move where it cannot be repaired."""
    return check if check.repair is not None or check.next_move else replace(check, next_move=_ANEW)
