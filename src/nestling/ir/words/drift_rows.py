"""Values that differ from what they follow from, as rows of a table: the same in a terminal and in a notebook."""

from __future__ import annotations

from nestling.ir.drift import Drift
from nestling.ir.literals import shell
from nestling.ir.programs.program import MISSING

DRIFT_COLUMNS = ("in", "_id", "path", "expected", "found", "")


def drift_row(drift: Drift) -> tuple[str, ...]:
    """Where it is, what it should be, what it is, and whether it was repaired."""
    if not drift.compared:
        return drift.collection, _shown(drift.id), "", "", "", "not compared"
    repaired = "repaired" if drift.repaired else ""
    return drift.collection, _shown(drift.id), drift.path, _shown(drift.expected), _shown(drift.found), repaired


def _shown(value: object) -> str:
    return "nothing" if value is MISSING else " ".join(shell(value).split())
