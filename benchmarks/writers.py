"""INSERTs by several processes at once, with a number that is made for each row and with a key that is given.

`python -m benchmarks.writers --seconds 6` starts an embedded MongoDB. Each process has a `Store` of its
own and adds rows under parents of its own, from a common start. Of the two tables one is AUTOINCREMENT, the other has text keys.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sqlite3
import tempfile
import time
from contextlib import closing
from itertools import count
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from uuid import uuid4

from pymongo import MongoClient

from nestling import Store, pipeline
from nestling.common.connection import connect
from nestling.common.server import start_server
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal, write_proposal

TABLES = """
CREATE TABLE account (id INTEGER PRIMARY KEY);
CREATE TABLE made (id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL REFERENCES account, note TEXT);
CREATE TABLE given (id TEXT PRIMARY KEY NOT NULL, account_id INTEGER NOT NULL REFERENCES account, note TEXT);
"""
PARENTS = 50
STATEMENTS = {
    "made": "INSERT INTO made (account_id, note) VALUES (:account, 'x')",
    "given": "INSERT INTO given (id, account_id, note) VALUES (:id, :account, 'x')",
}


def _write(
    writer: int, kind: str, uri: str, design: str, seconds: float, start: Barrier, told: Queue[list[float]]
) -> None:
    store, waits = Store(read_proposal(design, "design.yaml"), MongoClient(uri)["bench"]), list[float]()

    def add(turn: int) -> None:
        given = {"id": uuid4().hex} if kind == "given" else {}
        store.execute(STATEMENTS[kind], account=writer * PARENTS + turn % PARENTS, **given)

    add(0)
    start.wait()
    end = time.monotonic() + seconds
    for turn in count(1):
        began = time.monotonic()
        if began > end:
            break
        add(turn)
        waits.append(time.monotonic() - began)
    told.put(waits)


def _run(kind: str, writers: int, uri: str, design: str, seconds: float) -> str:
    start = multiprocessing.Barrier(writers)
    told: Queue[list[float]] = multiprocessing.Queue()
    processes = [
        multiprocessing.Process(target=_write, args=(writer, kind, uri, design, seconds, start, told))
        for writer in range(writers)
    ]
    for process in processes:
        process.start()
    each = [told.get() for _ in processes]
    for process in processes:
        process.join()
    waits = sorted(wait for one in each for wait in one)
    fewest, most = min(map(len, each)), max(map(len, each))
    at = [1000 * waits[int(len(waits) * share)] for share in (0.5, 0.99)]
    return (
        f"| {kind} | {writers} | {len(waits) / seconds:,.0f} | {at[0]:.0f} ms | {at[1]:.0f} ms | {fewest} to {most} |"
    )


def _loaded(folder: Path, uri: str, most: int) -> Proposal:
    with closing(sqlite3.connect(folder / "s.db")) as connection, connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO account VALUES (?)", [(n,) for n in range(most * PARENTS)])
    proposal = pipeline.design(pipeline.inspect(folder / "s.db"), "normalized")
    with connect(uri) as client:
        pipeline.load(proposal, folder / "s.db", client["bench"])
    return proposal


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--writers", type=int, nargs="+", default=[1, 8])
    given = parser.parse_args()
    print("| keys | writers | rows/s | p50 | p99 | rows by one writer |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, start_server() as server:
        proposal = _loaded(Path(folder), server.uri, max(given.writers))
        for kind in STATEMENTS:
            for writers in given.writers:
                print(_run(kind, writers, server.uri, write_proposal(proposal), given.seconds), flush=True)


if __name__ == "__main__":
    main()
