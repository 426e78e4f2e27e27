"""What an expression can be refused for on this server."""

from __future__ import annotations

from nestling.ir.reading import FoundGap, Gap, GapKind


class RenderingGap(FoundGap):
    """An expression MongoDB 6.0 has no exact form for: `gap` names the construct and who lacks it."""


def gap(construct: str, kind: GapKind = GapKind.NOTIMPL) -> RenderingGap:
    """The error to raise for a construct."""
    return RenderingGap(Gap(kind, construct))
