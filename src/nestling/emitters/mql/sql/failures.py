"""What a statement fails on rather than answer what its database would not."""

from __future__ import annotations

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.ir.programs.failure import BEFORE


def failure(what: str, text: MqlValue) -> MqlValue:
    """Fails with `what` and the text when the server comes to it: no number says that.

    What consists of constants the server computes before it starts, in branches that are never taken, too; not what `$let` binds.
    """
    return {"$let": {"vars": {"failure_": {"$concat": [f"{BEFORE}{what}: ", text]}}, "in": {"$toInt": "$$failure_"}}}
