"""Keeps the design that a new one would overwrite: a database may hold documents that only it describes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nestling.common.errors import NestlingError

if TYPE_CHECKING:
    from nestling.ir.design import Design


def former_place(output: Path) -> Path:
    """Where the design that was in a file is kept."""
    return output.with_name(f"{output.name}.bak")


def keep_former(output: Path, design: Design, *, whatever: bool = False) -> Path | None:
    """Copy the file that `design` replaces if it is a design with other collections, or `whatever` it is. Return the copy; None
    if there is none.
    """
    from nestling.cli.parts.text import write_text
    from nestling.ir.text import read_proposal

    if not output.is_file():
        return None
    try:
        former = output.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    try:
        is_kept = read_proposal(former, str(output)).design.collections != design.collections
    except NestlingError:
        is_kept = whatever
    if not is_kept:
        return None
    kept = former_place(output)
    write_text(kept, former)
    return kept
