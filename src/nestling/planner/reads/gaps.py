"""Reasons why a read cannot be converted, as errors."""

from __future__ import annotations

from nestling.common.errors import DesignError
from nestling.ir.reading import FoundGap, Gap, GapKind


class ReadGap(FoundGap):
    """A read no steps could be found for: `gap` says which construct and who lacks it."""


def read_gap(construct: str, kind: GapKind = GapKind.NOTIMPL, *, move: str = "") -> ReadGap:
    """The error of a construct that has no steps yet; `move`: what to do about it."""
    return ReadGap(Gap(kind, construct, move=move))


def untold(error: DesignError) -> ReadGap:
    """The gap of a read for a value that the design cannot determine."""
    return read_gap(error.problems[0].what)
