"""Which of two designs a database follows, while a migration between them has begun and what it left is not dropped."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.migrate.state import COLLECTION, States
from nestling.ir.migration import Phase


def check_in_use(database: Database[Any], design: str) -> None:
    """Raise `MigrationError` for the one of them, by its digest, that the documents do not follow now: what keeps its copies
    right would write them into the other's documents.
    """
    state = States(database).read()
    if state is None or state.old == state.new or design not in (state.old, state.new):
        return
    if state.phase is Phase.DONE and design == state.old:
        move = "use the new design; migrating back is a migration of its own"
        raise MigrationError(Problem("another design has taken over from this one", COLLECTION, next_move=move))
    if state.phase is not Phase.DONE and design == state.new:
        move = "let it take over first (`nestling migrate … --cutover`), or use the old design"
        raise MigrationError(Problem("a migration to this design has not taken over yet", COLLECTION, next_move=move))
