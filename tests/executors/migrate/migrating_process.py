"""Migrates with a cutover: a process to kill."""

from __future__ import annotations

import sys
from pathlib import Path

from nestling.common.connection import connect
from nestling.pipeline import migrate, read_proposal


def main(uri: str, database: str, old: str, new: str) -> int:
    """Migrate; 0 when both designs are equal and the new one has taken over."""
    with connect(uri) as client:
        done = migrate(
            read_proposal(Path(old)), read_proposal(Path(new)), client[database], cutover=True, may_lose=["indexes"]
        )
    return 0 if done.equal and done.phase == "done" else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
