"""What an expression can be refused for on this server."""

from __future__ import annotations

from nestling.common.errors import GapError, Problem
from nestling.ir.reading import Gap, GapKind


class RenderingGap(GapError):
    """An expression MongoDB 6.0 has no exact form for: `gap` names the construct and who lacks it."""

    def __init__(self, gap: Gap) -> None:
        super().__init__(Problem(what=f"{gap.what} ({gap.kind})", where=gap.where))
        self.gap = gap

    def __reduce__(self) -> tuple[type[RenderingGap], tuple[Gap]]:
        return RenderingGap, (self.gap,)


def gap(construct: str, kind: GapKind = GapKind.NOTIMPL) -> RenderingGap:
    """The error to raise for a construct."""
    return RenderingGap(Gap(kind, construct))
