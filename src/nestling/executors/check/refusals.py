"""What ends a check: a database that is another design's, a comparison that takes too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import Problem, ReadError, VerifyError
from nestling.ir.drift import CompiledCheck


def require(database: Database[Any], collections: Sequence[str]) -> None:
    """Raise `VerifyError` where one of the design's collections is missing."""
    there = frozenset(database.list_collection_names())
    missing = [name for name in collections if name not in there]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        move = "name the database this design was loaded into, or load it"
        raise VerifyError(
            Problem(f"collections of the design are not there: {names}", where=database.name, next_move=move)
        )


def too_slow(compiled: CompiledCheck, seconds: float) -> ReadError:
    """Even one document cannot be compared in the time of a command."""
    check = compiled.check
    what = f"comparing `{check.id}` of a single document takes more than {seconds:g} s"
    move = "an index on the fields its source is found by helps (see the access path), or more time for each command"
    return ReadError(Problem(what, where=check.collection, known=compiled.read.access_path, next_move=move))
