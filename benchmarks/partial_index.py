"""What an index over few rows saves on a real server, beside one over all of them: bytes, and the time of a write and a read.

`python -m benchmarks.partial_index` prints a Markdown table. A log of which one event in fifty is an error is designed at least
cost twice: for a statement that says `level = 'error'`, and for one that asks for the level by a parameter.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo import MongoClient

from nestling import pipeline
from nestling.common.server import start_server
from nestling.ir.reading import Reading
from nestling.store import Store

EVENTS = 200_000
WRITES = 20_000
READS = 300
ROUNDS = 5
WORKLOAD = """
-- name: happened, rate: 2000/s
-- params: {"id": 1, "source": 3, "level": "info", "at": 7, "note": "n"}
INSERT INTO event (id, source, level, at, note) VALUES (:id, :source, :level, :at, :note);

-- name: errors, rate: 50/s
-- params: {"source": 3, "level": "error"}
SELECT id, note FROM event WHERE source = :source AND level = :level ORDER BY at DESC LIMIT 20;
"""
FEW = WORKLOAD.replace('"source": 3, "level": "error"', '"source": 3').replace("level = :level", "level = 'error'")


def event(number: int) -> tuple[int, int, str, int, str]:
    """One of a thousand sources' events."""
    level = "error" if number % 50 == 7 else "info"
    return number, number // 50 % 1000, level, number, f"something happened, for the {number}th time"


def read(folder: Path, workload: str) -> Reading:
    """The log, and the statements over it."""
    path = folder / "log.db"
    if not path.exists():
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(
                "CREATE TABLE event (id INTEGER PRIMARY KEY, source INTEGER NOT NULL, level TEXT NOT NULL, at INTEGER NOT NULL,"
                " note TEXT NOT NULL)"
            )
            connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?)", map(event, range(EVENTS)))
            connection.commit()
    statements = folder / "workload.sql"
    statements.write_text(workload, encoding="utf-8")
    return pipeline.inspect(f"sqlite:///{path}", workload=statements)


class Rival:
    """One of the designs, loaded, and what was measured on it."""

    def __init__(self, client: MongoClient[dict[str, Any]], name: str, reading: Reading) -> None:
        self.database = client[name]
        self.proposal = pipeline.design(reading)
        pipeline.load(self.proposal, reading.origin, self.database)
        self.store = Store(self.proposal, self.database, workload=reading.workload)
        self.given = {} if "level = 'error'" in reading.workload.statements[1].sql else {"level": "error"}
        self.writes: list[float] = []
        self.reads: list[float] = []

    def measure(self, start: int) -> None:
        """Seconds of one write through the driver in bulk, and of one read."""
        made = [
            dict(zip(("_id", "source", "level", "at", "note"), event(start + n), strict=True)) for n in range(WRITES)
        ]
        self.writes.append(_seconds(lambda: self.database["event"].insert_many(made)) / WRITES)
        self.reads.append(
            _seconds(lambda: [self.store.run("errors", source=n, **self.given) for n in range(READS)]) / READS
        )

    def row(self, title: str) -> str:
        """Its line of the table."""
        sizes = self.database.command("collStats", "event")["indexSizes"]
        (index,) = self.proposal.design.indexes
        size = next(size for name, size in sizes.items() if name != "_id_")
        keys = ", ".join(path for path, _ in index.keys)
        write, seek = (statistics.median(each) * 1e6 for each in (self.writes, self.reads))
        return f"| {title} | {keys} | {size / 1024:,.0f} | {write:.1f} | {seek:.0f} |"


def _seconds(do: Any) -> float:
    before = time.perf_counter()
    do()
    return time.perf_counter() - before


def rows(client: MongoClient[dict[str, Any]]) -> Iterator[str]:
    """One line for each design; they are measured in turn."""
    with tempfile.TemporaryDirectory() as scratch:
        every, few = (
            Rival(client, name, read(Path(scratch), text)) for name, text in (("every", WORKLOAD), ("few", FEW))
        )
        for number in range(ROUNDS):
            for rival in (every, few):
                rival.measure(EVENTS + number * WRITES)
        yield every.row("by a parameter: an index over all events")
        yield few.row("by a constant: an index over errors")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print("| the statement asks | keys | index, KiB | a write in bulk, µs | a read, µs |\n|---|---|---|---|---|")
    with start_server() as server, MongoClient[dict[str, Any]](server.uri) as connection:
        for row in rows(connection):
            print(row)
