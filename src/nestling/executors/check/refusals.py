"""What ends a check: a comparison that takes too long."""

from __future__ import annotations

from nestling.common.errors import Problem, ReadError
from nestling.ir.drift import CompiledCheck


def too_slow(compiled: CompiledCheck, seconds: float) -> ReadError:
    """Even one document cannot be compared in the time of a command."""
    check = compiled.check
    what = f"comparing `{check.id}` of a single document takes more than {seconds:g} s"
    move = "an index on the fields its source is found by helps (see the access path), or more time for each command"
    return ReadError(Problem(what, where=check.collection, known=compiled.read.access_path, next_move=move))
