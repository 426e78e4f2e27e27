"""A block of executions by several clients. Closed: each client sends its next when the last is answered. Open: each execution
has a moment it is due, and its time counts from then, so that a slow server cannot slow down what it is asked.

Clients are threads: waiting for the server they let each other run, and on few cores processes would take time from the server
that is measured. What Python itself takes is the same for every rival.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from threading import Event
from time import perf_counter, sleep

from bson.timestamp import Timestamp

from nestling.executors.drive.answers import AnswerShape, digest
from nestling.executors.drive.execution import LoadedDesign, execute
from nestling.ir.trace import Block, Execution


@dataclass(frozen=True, slots=True)
class TimedExecution:
    """An execution: seconds it took (in the open loop: since it was due), and a digest of the answer (None: not compared).

    The open loop also notes when it was answered, in seconds by `perf_counter` and by the server's logical clock.
    """

    call: Execution
    seconds: float
    digest: int | None = None
    failed: str = ""
    answered: float = 0.0
    moment: Timestamp | None = None


def run_in_order(
    on: LoadedDesign, block: Block, *, clients: int = 1, shapes: dict[str, AnswerShape] | None = None
) -> tuple[TimedExecution, ...]:
    """Run a block, in order with one client. `shapes`: digest the answers; leave it out with several clients, whose reads see
    each other's writes at different moments.
    """

    def one(place: int) -> TimedExecution:
        call = block[place]
        seconds, answer = execute(on, call)
        return TimedExecution(call, seconds, digest(answer, shapes[call.statement]) if shapes else None, answer.failed)

    return _shared(block, clients, one)


def run_at_moments(
    on: LoadedDesign, block: Block, due: Sequence[float], *, clients: int
) -> tuple[float, tuple[TimedExecution, ...]]:
    """Run a block at the moments `due`, seconds from the start; the seconds until the last was answered, and the runs."""
    start = perf_counter()

    def one(place: int) -> TimedExecution:
        call, moment = block[place], start + due[place]
        if (early := moment - perf_counter()) > 0:
            sleep(early)
        with on.database.client.start_session(causal_consistency=False) as session:
            _, answer = execute(on, call, session=session)
            answered = perf_counter()
            return TimedExecution(
                call, answered - moment, failed=answer.failed, answered=answered, moment=session.operation_time
            )

    runs = _shared(block, clients, one)
    return perf_counter() - start, runs


def _shared(block: Block, clients: int, one: Callable[[int], TimedExecution]) -> tuple[TimedExecution, ...]:
    """Every place once; a client takes the next free one, and waits for those it has to come after."""
    if clients == 1:
        return tuple(one(place) for place in range(len(block)))
    done = [Event() for _ in block]
    found: list[TimedExecution | None] = [None] * len(block)
    places = count()
    stopped = Event()

    def client() -> None:
        while (place := next(places)) < len(block) and not stopped.is_set():
            for before in block[place].after:
                done[before].wait()
            try:
                found[place] = one(place)
            except BaseException:
                stopped.set()
                for each in done:
                    each.set()
                raise
            done[place].set()

    with ThreadPoolExecutor(clients) as pool:
        for future in [pool.submit(client) for _ in range(clients)]:
            future.result()
    return tuple(run for run in found if run is not None)
