"""How many examples a random search tries: few in `make test`, many in `make soak`."""

from __future__ import annotations

import os

SOAKING = os.environ.get("HYPOTHESIS_PROFILE") == "soak"


def examples(few: int, many: int, variable: str = "") -> int:
    """The number for this run; the environment's variable names any other."""
    return int(os.environ.get(variable, many if SOAKING else few))
