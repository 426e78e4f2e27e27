"""Determines how old a copy was when a read returned it: afterwards, so that nothing waits for it.

A read is repeated as of the moment it was answered, with and without the copy. If the answers differ, the copy was behind its
source. The same two queries as of the moments just before earlier writes find the write since which it has been behind.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bson.timestamp import Timestamp
from pymongo.database import Database
from pymongo.read_concern import ReadConcern

from nestling.common.errors import ReadError
from nestling.executors.drive.answers import AnswerShape, StatementAnswer, both_right
from nestling.executors.drive.loops import TimedExecution
from nestling.executors.run import documents, row_of
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.trace import Execution

MOST_READS = 200
"""Of a copy's reads so many, evenly spread, are looked at."""
LEAST_SECONDS = 1e-6
"""The age of a copy whose source's change was acknowledged after the read was answered."""


@dataclass(frozen=True, slots=True)
class CopyRead:
    """A read that answers from a copy, the same read without that one copy, and how far the statement fixes the answer."""

    read: CompiledRead
    without: CompiledRead
    shape: AnswerShape


class _AsOf(ReadConcern):
    """A read concern for a moment of the server's logical clock."""

    def __init__(self, moment: Timestamp) -> None:
        super().__init__("snapshot")
        self._moment = moment

    @property
    def document(self) -> dict[str, Any]:
        """The form that is sent to the server."""
        return {"level": "snapshot", "atClusterTime": self._moment}


def ages(
    database: Database[Any],
    reads: Mapping[str, CopyRead],
    runs: Sequence[TimedExecution],
    writing: frozenset[str],
    began: float,
) -> tuple[float, ...]:
    """Seconds for which the copy had been behind its source without interruption, for each read examined; 0.0 if it was not.

    `reads`: the statements that use the copy; `runs`: all executions since `began` (by `perf_counter`), including those of the
    statements `writing`. Reads for which the server's history is too short are omitted.
    """
    looked_at = [run for run in runs if run.call.statement in reads and run.moment is not None and not run.failed]
    writes = sorted(
        ((run.moment, run.answered) for run in runs if run.call.statement in writing and run.moment is not None),
        key=lambda each: (each[0].time, each[0].inc),
    )
    return tuple(_ages(database, reads, _spread(looked_at), writes, began))


def _ages(
    database: Database[Any],
    reads: Mapping[str, CopyRead],
    runs: Sequence[TimedExecution],
    writes: Sequence[tuple[Timestamp, float]],
    began: float,
) -> Iterator[float]:
    for run in runs:
        assert run.moment is not None
        one, call = reads[run.call.statement], run.call
        before = [write for write in writes if write[0] <= run.moment]

        def agrees(moment: Timestamp, one: CopyRead = one, call: Execution = call) -> bool:
            copied, right = (_answer(database, read, call, moment) for read in (one.read, one.without))
            return both_right(copied, right, one.shape)

        try:
            if agrees(run.moment):
                yield 0.0
                continue
            since = _since([moment for moment, _ in before], agrees)
        except ReadError:
            continue
        yield max(run.answered - (before[since][1] if since is not None else began), LEAST_SECONDS)


def _since(writes: Sequence[Timestamp], agrees: Callable[[Timestamp], bool]) -> int | None:
    """The last write before which the answers agreed, given that they differ now; None if they differed before all of them.

    Steps back get longer, so a copy that was right for a moment in between may count as never right.
    """
    fresh = behind = len(writes)
    step = 1
    while behind:
        fresh = max(behind - step, 0)
        if agrees(_just_before(writes[fresh])):
            return fresh + bisect_left(
                range(fresh + 1, behind), 1, key=lambda place: not agrees(_just_before(writes[place]))
            )
        behind, step = fresh, 2 * step
    return None


def _just_before(moment: Timestamp) -> Timestamp:
    return Timestamp(moment.time, moment.inc - 1) if moment.inc else Timestamp(moment.time - 1, 2**32 - 1)


def _answer(database: Database[Any], read: CompiledRead, call: Execution, moment: Timestamp) -> StatementAnswer:
    then = database.with_options(read_concern=_AsOf(moment))
    return StatementAnswer(tuple(map(row_of(read.columns), documents(then, call.instead.bind(read, call.values)))))


def _spread(runs: Sequence[TimedExecution]) -> Sequence[TimedExecution]:
    step = max(len(runs) / MOST_READS, 1.0)
    return [runs[int(place * step)] for place in range(min(len(runs), MOST_READS))]
