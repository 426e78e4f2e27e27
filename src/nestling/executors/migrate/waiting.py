"""Handles a server without a primary for a while: the migration's work is repeated from its last position."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.common.connection import address
from nestling.common.errors import MigrationError, NestlingError, Problem
from nestling.common.redaction import redact
from nestling.executors.errors.transient import PATIENCE_SECONDS, Patience, cause, is_transient

MOST_INTERRUPTIONS = 20
"""How often a migration that has run for longer than the patience lasts is taken up again."""
CONTINUE_BY_RUNNING_AGAIN = "once the server answers, run the same command again: it continues where it stopped"

Answer = TypeVar("Answer")


def with_patience(work: Callable[[], Answer], database: Database[Any], waits: Callable[[], None]) -> Answer:
    """Run the work, and repeat it after transient errors (an election, a restart, a lost connection) while patience lasts.

    `work` must be repeatable. `waits` is called before each pause. A permanent error is raised, with the next move.
    """
    patience, interruptions = Patience(PATIENCE_SECONDS), 0
    while True:
        began = time.monotonic()
        try:
            return work()
        except (PyMongoError, NestlingError) as error:
            found = cause(error)
            if time.monotonic() - began > PATIENCE_SECONDS and interruptions < MOST_INTERRUPTIONS:
                patience, interruptions = Patience(PATIENCE_SECONDS), interruptions + 1
            if found is None or not is_transient(found):
                raise
            if not patience.allows(found):
                raise _told(error, database) from None
            waits()
            time.sleep(patience.pause_seconds())


def _told(error: PyMongoError | NestlingError, database: Database[Any]) -> NestlingError:
    """The error as one of ours, with the move that helps."""
    if isinstance(error, NestlingError):
        return type(error)(*(replace(each, next_move=CONTINUE_BY_RUNNING_AGAIN) for each in error.problems))
    what = f"the server did not do it: {redact(str(error))}"
    return MigrationError(Problem(what, where=address(database), next_move=CONTINUE_BY_RUNNING_AGAIN))
