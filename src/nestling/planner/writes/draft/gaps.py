"""What keeps a write from being converted, as an error."""

from __future__ import annotations

from nestling.ir.reading import FoundGap, Gap, GapKind


class WriteGap(FoundGap):
    """A write no steps could be found for: `gap` says which construct and who lacks it."""


def write_gap(construct: str, kind: GapKind = GapKind.NOTIMPL) -> WriteGap:
    """The error of a construct that has no steps yet."""
    return WriteGap(Gap(kind, construct))
