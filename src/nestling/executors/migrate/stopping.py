"""Says what a migration leaves behind when it is stopped by hand, and how to continue or end it."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.executors.migrate.cutover import refuse_writes
from nestling.executors.migrate.state import States
from nestling.ir.migration import Phase

ABORT_AGAIN = "`nestling migrate --abort` continues where it stopped"
DROP_AGAIN = "`nestling migrate … --drop-old` continues where it stopped"
_MOVES = "the same command continues; `nestling migrate --abort` undoes it"


def what_stays(database: Database[Any]) -> str:
    """The answer according to the database, whatever this process was doing."""
    try:
        state = States(database).read()
        if state is None:
            return "no migration has begun, and nothing is built"
        if state.phase is Phase.SWITCHING or refuse_writes(database, state.fences):
            return f"writes to the old collections are REFUSED now: {_MOVES}"
    except PyMongoError:
        return f"its progress is stored in the database: {_MOVES}"
    if state.phase is Phase.DONE:
        return "the new design has taken over"
    writes = ", and accepts writes again" if state.fences else ""
    return f"the old design is in use{writes}, and what has been built is kept: {_MOVES}"
