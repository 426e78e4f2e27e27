"""Makes a statement fail if its answer would differ from its database's."""

from __future__ import annotations

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.ir.programs.failure import ERROR_PREFIX


def failure(what: str, text: MqlValue) -> MqlValue:
    """An expression that fails with `what` and the text when the server evaluates it: no number has that text.

    The server evaluates constant expressions before it starts, even in branches that are never taken, but not those bound by
    `$let`.
    """
    return {
        "$let": {"vars": {"failure_": {"$concat": [f"{ERROR_PREFIX}{what}: ", text]}}, "in": {"$toInt": "$$failure_"}}
    }
