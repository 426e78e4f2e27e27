"""Passes of a repair: what one document is to hold may follow from another that was wrong, too, or had a value that is unique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.executors.check.checkpoint import CheckProgress
from nestling.executors.check.report import CheckVerdict
from nestling.ir.drift import CompiledCheck, Drift, DriftKind

MOST_PASSES = 5
"""Passes of one repair at most."""
_Spot = tuple[str, str, str]


def is_worthwhile(done: CheckProgress, checks: Sequence[CompiledCheck]) -> bool:
    """Whether another pass may repair more: something was repaired, and a value still differs or rows have come back."""
    mendable = [each.check for each in checks if each.repair is not None]
    verdicts = [(each.kind, done.verdicts[each.key]) for each in mendable]
    is_left = any(verdict.values > verdict.repaired for _, verdict in verdicts)
    has_rows_again = any(kind is DriftKind.DISCRIMINATOR and verdict.repaired for kind, verdict in verdicts)
    return any(verdict.repaired for _, verdict in verdicts) and (is_left or has_rows_again)


def together(first: CheckProgress, later: CheckProgress, shown: int) -> CheckProgress:
    """The findings of both passes, each value once: as it was before the first, and as it is after the later."""
    before = {_spot(drift): drift for drift in first.findings if drift.repaired}
    after = {_spot(drift): drift for drift in later.findings}
    twice = before.keys() & after.keys()
    findings = [drift for spot, drift in before.items() if spot not in twice]
    findings += [replace(drift, found=before[spot].found) if spot in twice else drift for spot, drift in after.items()]
    verdicts = {
        key: _both(verdict, later.verdicts[key], sum(spot[0] == key for spot in twice))
        for key, verdict in first.verdicts.items()
    }
    listed = [drift for key in verdicts for drift in [each for each in findings if each.check == key][:shown]]
    return replace(first, verdicts=verdicts, findings=listed)


def _spot(drift: Drift) -> _Spot:
    return drift.check, repr(drift.id), drift.path


def _both(first: CheckVerdict, later: CheckVerdict, twice: int) -> CheckVerdict:
    repaired = first.repaired + later.repaired - twice
    left = later.values - later.repaired
    return CheckVerdict(first.documents, max(first.differing, later.differing), repaired + left, repaired)
