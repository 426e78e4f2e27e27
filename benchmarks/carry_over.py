"""How long a migration takes to carry one change over, when changes come one at a time.

    .venv/bin/python -m benchmarks.carry_over [--changes N] [--orders N] [--beside FOLDER] [--rounds N]

Orders and their lines move from one design to the other. Then one document after the other is changed. Measured is the time from
when the change is at hand to when the new design has it and the state of the migration is saved.

`--beside`: another checkout of nestling, say of an earlier commit (`git worktree add FOLDER COMMIT`). Both are measured by turns,
each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pymongo.database import Database

from benchmarks.load import generate
from nestling.common.connection import connect
from nestling.common.server import start_server
from nestling.executors.migrate.follow import ChangeFollower
from nestling.pipeline import design, inspect, load, migrate

PAIRS = {
    ("normalized", "embedded"): ("line", {"$inc": {"quantity": 1}}),
    ("embedded", "normalized"): ("order", {"$inc": {"line.0.quantity": 1}}),
}
"""Two designs, the collection of the first that is written to, and the change."""
REST_SECONDS = 0.02
"""Until a change is at hand."""


@contextmanager
def one_at_a_time(
    database: Database[Any], collection: str, change: dict[str, Any], changes: int
) -> Iterator[list[float]]:
    """While it lasts, a migration first gets so many changes one after the other; yields the seconds of each."""
    drain, seconds = ChangeFollower.drain, list[float]()

    def measured(self: ChangeFollower) -> None:
        for number in range(len(seconds), changes):
            database[collection].update_one({"_id": 10 * number + 1}, change)
            time.sleep(REST_SECONDS)
            carried, start = self.changes, 0.0
            while self.changes == carried:
                start = time.perf_counter()
                self.step()
            seconds.append(time.perf_counter() - start)
        drain(self)

    with patch.object(ChangeFollower, "drain", measured):
        yield seconds


def measured(orders: int, changes: int) -> dict[str, float]:
    """The median seconds of a change, by pair of designs."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, start_server() as server, connect(server.uri) as client:
        generate(Path(folder) / "orders.db", orders)
        address = f"sqlite:///{folder}/orders.db"
        reading, database = inspect(address), client["carry_over"]
        for (old, new), (collection, change) in PAIRS.items():
            client.drop_database(database.name)
            moves = design(reading, old), design(reading, new)
            load(moves[0], address, database, check=False)
            migrate(*moves, database, may_lose=["indexes"])
            with one_at_a_time(database, collection, change, changes) as seconds:
                assert migrate(*moves, database, may_lose=["indexes"]).equal
            found[f"{old} to {new}"] = statistics.median(seconds)
    return found


def apart(folder: Path, chosen: argparse.Namespace) -> dict[str, float]:
    """What is measured of the checkout in a folder, by a process of its own."""
    command = [sys.executable, "-m", "benchmarks.carry_over", "--json"]
    command += ["--changes", str(chosen.changes), "--orders", str(chosen.orders)]
    environment = os.environ | {"PYTHONPATH": f"{folder / 'src'}{os.pathsep}{Path.cwd()}"}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=100)
    parser.add_argument("--orders", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if chosen.json:
        print(json.dumps(measured(chosen.orders, chosen.changes)))
        return
    if chosen.beside is None:
        for name, seconds in measured(chosen.orders, chosen.changes).items():
            print(f"{name}: {seconds * 1e3:.1f} ms a change")
        return
    rounds = [(apart(chosen.beside, chosen), apart(Path.cwd(), chosen)) for _ in range(chosen.rounds)]
    print("| | beside, ms a change | here, ms a change | ratio |\n|---|---|---|---|")
    for name in rounds[0][0]:
        there, here = (statistics.median(each[side][name] for each in rounds) for side in (0, 1))
        print(f"| {name} | {there * 1e3:.1f} | {here * 1e3:.1f} | {there / here:.1f} |")


if __name__ == "__main__":
    main()
