"""What ends a check: a comparison that takes too long."""

from __future__ import annotations

from nestling.common.errors import Problem, ReadError
from nestling.ir.drift import CompiledCheck


def too_slow(compiled: CompiledCheck, seconds: float) -> ReadError:
    """Even one document cannot be compared in the time of a command."""
    check = compiled.check
    what = f"comparing `{check.id}` of a single document takes more than {seconds:g} s"
    move = (
        "add an index on the fields by which its source is found (see the access path), or allow each command more time"
    )
    return ReadError(Problem(what, where=check.collection, known=compiled.read.access_path, next_move=move))
