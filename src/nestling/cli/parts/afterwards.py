"""What to do with a database once a design is in use there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nestling.ir.proposal import Proposal


def say_afterwards(proposal: Proposal, design: Path, target: str) -> None:
    """Print the command that keeps the design's copies right, if some may lag, and the one that finds stale copies.

    A design without copies has nothing to check; for it the doctor is suggested.
    """
    from nestling.cli.parts import text
    from nestling.pipeline.proving.background_sync import may_be_behind
    from nestling.planner.checks import checks_of

    where = f"{text.argument(design)} {text.argument(target)}"
    sync = [f"nestling sync {where}"] if may_be_behind(proposal.design) else []
    is_checked = bool(checks_of(proposal.design).checks)
    text.say_next(*sync, f"nestling check {where}" if is_checked else f"nestling doctor {text.argument(target)}")
