"""What the recorder takes of the application's thread, beside what the driver takes for the same command.

`python -m benchmarks.recording` prints a Markdown table: processor time of one thread on one server, a mean of many runs.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import thread_time
from typing import Any

from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.monitoring import CommandStartedEvent, CommandSucceededEvent

from nestling.common.server import start_server
from nestling.recorder import Recorder

COMMANDS: dict[str, Callable[[Collection[dict[str, Any]], int], object]] = {
    "a find by id": lambda things, n: things.find_one({"_id": n, "name": {"$ne": "x"}}),
    "a find of 200 documents": lambda things, _: things.find({"_id": {"$lt": 200}}).to_list(),
    "an update": lambda things, n: things.update_one({"_id": n}, {"$set": {"name": f"new {n}"}}),
}


class Timed(Recorder):
    """A recorder that knows how many seconds of its thread it has taken."""

    taken = 0.0

    def started(self, event: CommandStartedEvent) -> None:
        """Hear of a command."""
        start = thread_time()
        super().started(event)
        self.taken += thread_time() - start

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Hear of its answer."""
        start = thread_time()
        super().succeeded(event)
        self.taken += thread_time() - start


def main() -> None:
    """Print what a command takes, and what recording it adds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("| | recorder, µs | driver, µs | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, start_server() as server:
        recorder = Timed(Path(folder) / "capture.json")
        with recorder, MongoClient[dict[str, Any]](server.uri, event_listeners=[recorder]) as client:
            things = client["recording"]["things"]
            things.insert_many([{"_id": n, "name": f"thing {n}", "tags": ["a", "b"]} for n in range(runs)])
            for name, command in COMMANDS.items():
                before, start = recorder.taken, thread_time()
                for number in range(runs):
                    command(things, number)
                whole, taken = thread_time() - start, recorder.taken - before
                driver = whole - taken
                print(f"| {name} | {1e6 * taken / runs:.0f} | {1e6 * driver / runs:.0f} | {taken / driver:.2f} |")


if __name__ == "__main__":
    main()
