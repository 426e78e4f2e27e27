"""Queries a server that may refuse: refusals are recorded and the run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from bson.errors import InvalidBSON
from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.server_codes import MAX_TIME_EXPIRED, NAMESPACE_NOT_FOUND, NOT_PERMITTED
from nestling.executors.pacing import RestingPace
from nestling.ir.facts import NO_RIGHT, OUT_OF_TIME, Skipped

T = TypeVar("T")
FoundDocument = dict[str, Any]

LEAST_SECONDS = 0.05


@dataclass(slots=True)
class Asking:
    """One run: its deadline, what was refused so far, and its pace."""

    deadline: float
    skipped: list[Skipped] = field(default_factory=list)
    pace: RestingPace = field(default_factory=RestingPace)
    drawn: dict[str, list[Any] | None] = field(default_factory=dict)
    """The `_id`s of the documents that were chosen of large collections, by namespace; None: the server draws at random."""

    def seconds_left(self) -> float:
        """Until the run must end; never quite nothing, so that a command asked in vain says so itself."""
        return max(self.deadline - time.monotonic(), LEAST_SECONDS)

    def within(self, seconds: float) -> Asking:
        """This run with an earlier deadline, for a part that must end within so many seconds."""
        return replace(self, deadline=min(self.deadline, time.monotonic() + max(seconds, LEAST_SECONDS)))

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.deadline

    def milliseconds(self) -> int:
        """The maxTimeMS for commands."""
        return max(round(self.seconds_left() * 1000), 1)

    def skip(self, what: str, why: str) -> None:
        """Note something that was not looked at."""
        note = Skipped(what, why)
        if note not in self.skipped:
            self.skipped.append(note)

    def ask(self, what: str, question: Callable[[], T], otherwise: T) -> T:
        """The answer, or `otherwise` when the server refuses or the time is up; a lost connection is the driver's error."""
        if self.late:
            self.skip(what, OUT_OF_TIME)
            return otherwise
        try:
            return self.pace.timed(question)
        except OperationFailure as error:
            self.skip(what, _why(error))
        except InvalidBSON as error:
            self.skip(what, f"the answer cannot be read: {type(error).__name__}")
        return otherwise

    def aggregate(
        self,
        database: Database[FoundDocument],
        name: str,
        what: str,
        pipeline: list[FoundDocument],
        collation: str = "",
    ) -> list[FoundDocument]:
        """The result of a pipeline with a collation (JSON; empty: the collection's); [] if refused."""
        options: dict[str, Any] = {"maxTimeMS": self.milliseconds()}
        options |= {"collation": json.loads(collation)} if collation else {}
        return self.ask(what, lambda: list(database[name].aggregate(pipeline, **options)), [])


def _why(error: OperationFailure) -> str:
    """A refusal in words; the server's own may quote values."""
    if error.code in NOT_PERMITTED:
        return NO_RIGHT
    if error.code in MAX_TIME_EXPIRED:
        return OUT_OF_TIME
    if error.code == NAMESPACE_NOT_FOUND:
        return "it was dropped in the meantime"
    name = (error.details or {}).get("codeName", "")
    return f"the server refuses: {name or 'error'} ({error.code})"
