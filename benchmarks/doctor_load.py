"""What the doctor does to a server that is in use: an application's p99 with the doctor beside it and without.

    .venv/bin/python -m benchmarks.doctor_load [--documents 200000] [--seconds 8] [--pairs 8] [--rate 150] [--rests 0,4]

The application is an open loop in a process of its own: reads and updates by key, each due at its own moment and timed from
it, so that a server that stalls cannot make it ask less. Each pair is two stretches of the same length in random order, one
alone and one with the doctor looking over and over at its default settings (`--rests`: how long it rests after each look). Told
are the ratio of the p99s, pooled over all pairs, with the interval of 95 of 100 resamplings of pairs, and the same of pairs that
are both alone: noise. Where that is allowed, server and application go first on the machine (in real time), so that what
disturbs them is what the server does for the doctor, not the doctor's own process, which is on another machine in earnest.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pymongo import WriteConcern

from benchmarks.doctor import filled
from nestling.common.connection import connect
from nestling.common.server import start_server
from nestling.executors.facts import RESTS, Budget, gather

Pair = tuple[list[float], list[float]]
"""Seconds of the executions alone, and of those beside the doctor."""
RESAMPLES = 1_000
NAME = "busy"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each stretch")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--rate", type=float, default=150.0, help="executions a second")
    parser.add_argument("--rests", default=f"0,{RESTS:g}")
    options = parser.parse_args()
    rests = [float(each) for each in options.rests.split(",")]
    with start_server() as server, connect(server.uri) as client:
        if not _goes_first(server.pid):
            print("server and application share the machine with all others")
        filled(client[NAME], options.documents)
        client[NAME].things.create_index("n")

        def stretch(rest: float | None) -> list[float]:
            return _stretch(server.uri, options, rest)

        stretch(None)
        pairs: dict[float | None, list[Pair]] = {each: [] for each in (None, *rests)}
        for number in range(options.pairs):
            for rest, found in pairs.items():
                found.append(_pair(stretch, rest, doctor_first=random.random() < 0.5))
                print(f"{number + 1}: {_words(rest)}: {_ratio(found[-1:]):.2f}", flush=True)
    for rest, found in pairs.items():
        low, high = _interval(found)
        alone, beside = (_p99([each[place] for each in found]) * 1000 for place in (0, 1))
        print(
            f"{_words(rest)}: p99 {alone:.2f} ms alone, {beside:.2f} ms: ratio {_ratio(found):.2f} ({low:.2f} to {high:.2f})"
        )


def _goes_first(process: int | None) -> bool:
    """Give a process with all its threads, and those it will start, the machine before others; whether that was allowed."""
    threads = [int(each.name) for each in Path(f"/proc/{process}/task").glob("*")]
    try:
        for thread in threads:
            os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(1))
    except (OSError, AttributeError):
        return False
    return bool(threads)


def _words(rest: float | None) -> str:
    return "alone, twice" if rest is None else f"beside the doctor, rest {rest:g}"


def _pair(stretch: Callable[[float | None], list[float]], rest: float | None, *, doctor_first: bool) -> Pair:
    if doctor_first:
        beside = stretch(rest)
        return stretch(None), beside
    return stretch(None), stretch(rest)


def _p99(runs: Sequence[Sequence[float]]) -> float:
    times = sorted(seconds for run in runs for seconds in run)
    return times[int(len(times) * 0.99)]


def _ratio(pairs: Sequence[Pair]) -> float:
    return _p99([beside for _, beside in pairs]) / _p99([alone for alone, _ in pairs])


def _interval(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Where 95 of 100 ratios of as many pairs drawn again lie."""
    draw = random.Random(7)
    ratios = sorted(_ratio(draw.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    return ratios[int(RESAMPLES * 0.025)], ratios[int(RESAMPLES * 0.975)]


def _stretch(uri: str, options: argparse.Namespace, rest: float | None) -> list[float]:
    """The application for some seconds, and the doctor beside it in this process (`rest` None: not)."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    application = context.Process(
        target=_application, args=(uri, options.documents, options.rate, options.seconds, there)
    )
    application.start()
    with closing(here):
        here.recv()  # it has begun
        end = time.monotonic() + options.seconds
        if rest is not None:
            with connect(uri) as client:
                while time.monotonic() < end:
                    gather(client, [NAME], Budget(rest=rest))
        found: list[float] = here.recv()
    application.join()
    return found


def _application(uri: str, documents: int, rate: float, seconds: float, told: Connection) -> None:
    """Every fourth execution is an update, which does not wait for the disk: that is everybody's on this machine."""
    draw = random.Random(2)
    _goes_first(os.getpid())
    with connect(uri) as client:
        things: Any = client[NAME].get_collection("things", write_concern=WriteConcern(1, j=False))

        def execute(number: int) -> None:
            which = {"n": draw.randrange(documents)}
            if number % 4:
                things.find_one(which)
            else:
                things.update_one(which, {"$inc": {"maker.since": 1}})

        for number in range(100):
            execute(number)
        told.send(None)
        start, times = time.perf_counter(), []
        for number in range(int(rate * seconds)):
            due = start + number / rate
            if (early := due - time.perf_counter()) > 0:
                time.sleep(early)
            execute(number)
            times.append(time.perf_counter() - due)
    told.send(times)


if __name__ == "__main__":
    main()
