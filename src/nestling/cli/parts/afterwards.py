"""What to do with a database once a design is in use there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nestling.ir.proposal import Proposal


def say_afterwards(proposal: Proposal, design: Path, target: str) -> None:
    """The command that keeps its copies right, where some follow their source later, and the one that finds what went stale."""
    from nestling.cli.parts import text
    from nestling.pipeline.proving.copies import may_be_behind

    where = f"{text.argument(design)} {text.argument(target)}"
    sync = [f"nestling sync {where}"] if may_be_behind(proposal.design) else []
    text.say_next(*sync, f"nestling check {where}")
