"""A terminal, recorded: an application writes, its sync is killed and started again, and in the end every copy is right.

`python -m scripts.recording` really runs the commands, on an embedded MongoDB, and writes `docs/recordings/sync-killed.svg`.
"""

from __future__ import annotations

import io
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from nestling.common.server import start_server

TARGET = Path(__file__).parents[1] / "docs" / "recordings" / "sync-killed.svg"
SHOWN_URI = "mongodb://localhost/shop"
CUSTOMERS, PURCHASES, RENAMES = 200, 4_000, 600
WIDTH = 110
APPLICATION_SECONDS = 12.0

DESIGN = """\
nestling: 1
strategy: by hand
model:
  name: shop
  entities:
    customer: {key: [id], attributes: {id: integer!, name: text}}
    purchase: {key: [id], attributes: {id: integer!, customer_id: integer, total: integer}}
  relationships:
    purchases: {parent: customer, child: purchase, attributes: [customer_id]}
design:
  collections:
    customers:
      root: customer
      id: [id]
      computed: {bought: {count: purchases, freshness: async(5s)}}
    purchases:
      root: purchase
      id: [id]
      references: {purchases: parent-reference}
      copies: {customer: {of: "purchases:up", attributes: [name], as: object, freshness: async(5s)}}
  indexes: [{collection: purchases, keys: [customer_id]}]
"""
APPLICATION = """\
import sys, time
from pymongo import MongoClient
from nestling import Store

uri, customers, purchases, times, pause = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
with MongoClient(uri) as client:
    store = Store("design.yaml", client["shop"])
    for number in range(times):
        customer = number % customers
        store.execute("UPDATE customer SET name = :name WHERE id = :id", name=f"name {number}", id=customer)
        store.execute("INSERT INTO purchase VALUES (:id, :c, 1)", id=purchases + number, c=customer)
        time.sleep(pause)
print(f"application: renamed {times} customers, sold {times} things")
"""


class Terminal:
    """Commands run in a folder, and what is seen of them."""

    def __init__(self, folder: Path, uri: str) -> None:
        self._folder, self._uri = folder, uri
        self._console = Console(record=True, width=WIDTH, file=io.StringIO())
        self._began = time.monotonic()

    def run(self, command: str) -> str:
        """Run a command to its end; returns what it printed."""
        self._ask(command)
        done = subprocess.run(self._words(command), cwd=self._folder, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        self._show(said)
        self.note(f"exit code {done.returncode}")
        return said

    def begin(self, command: str) -> subprocess.Popen[str]:
        """Start a command beside the others."""
        self._ask(f"{command} &")
        return subprocess.Popen(
            self._words(command), cwd=self._folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def kill(self, running: subprocess.Popen[str]) -> None:
        """SIGKILL it, and show what it had said."""
        self._ask(f"kill -9 {running.pid}")
        running.send_signal(signal.SIGKILL)
        self._show(running.communicate()[0])

    def end(self, running: subprocess.Popen[str], number: signal.Signals | None = None) -> None:
        """Wait for it, after a signal if there is one, and show what it had said."""
        if number is not None:
            self._ask(f"kill -{number.name.removeprefix('SIG')} {running.pid}")
            running.send_signal(number)
        self._show(running.communicate()[0])

    def note(self, said: str) -> None:
        """A remark, with the seconds since the beginning."""
        self._console.print(Text(f"# {time.monotonic() - self._began:5.1f} s: {said}", "dim"))

    def svg(self, title: str) -> str:
        """The whole, as a picture."""
        return self._console.export_svg(title=title, unique_id="recording")

    def _ask(self, command: str) -> None:
        self._console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))

    def _show(self, said: str) -> None:
        lines = said.replace(self._uri, SHOWN_URI).rstrip().splitlines()
        for line in lines:
            self._console.print(Text(line))

    def _words(self, command: str) -> list[str]:
        programs = {"nestling": [sys.executable, "-m", "nestling"], "python": [sys.executable]}
        first, *others = command.replace(SHOWN_URI, self._uri).split()
        return [*programs[first], *others]


@contextmanager
def shop() -> Iterator[Path]:
    """A folder with a database, its design and an application."""
    with tempfile.TemporaryDirectory(prefix="nestling-") as name:
        folder = Path(name)
        (folder / "design.yaml").write_text(DESIGN)
        (folder / "application.py").write_text(APPLICATION)
        with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
            connection.executescript(
                "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);"
                "CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, total INTEGER);"
            )
            connection.executemany("INSERT INTO customer VALUES (?, ?)", [(n, f"first {n}") for n in range(CUSTOMERS)])
            rows = [(n, n % CUSTOMERS, n) for n in range(PURCHASES)]
            connection.executemany("INSERT INTO purchase VALUES (?, ?, ?)", rows)
        yield folder


def recorded() -> str:
    """The picture of a run; raises `AssertionError` when a copy is not what it must be."""
    os.environ["NO_COLOR"] = "1"
    with shop() as folder, start_server() as server:
        uri = server.uri.replace("/?", "/shop?")
        terminal = Terminal(folder, uri)
        terminal.run(f"nestling load design.yaml --from sqlite:///shop.db --to {SHOWN_URI}")
        sync = f"nestling sync design.yaml {SHOWN_URI} --lease 2"
        first = terminal.begin(sync)
        pause = APPLICATION_SECONDS / RENAMES
        application = terminal.begin(f"python application.py {SHOWN_URI} {CUSTOMERS} {PURCHASES} {RENAMES} {pause:g}")
        time.sleep(APPLICATION_SECONDS / 3)
        terminal.kill(first)
        time.sleep(APPLICATION_SECONDS / 4)
        terminal.note("nobody keeps the copies right")
        assert "customers.bought" in terminal.run(f"nestling check design.yaml {SHOWN_URI} --sample 30")
        second = terminal.begin(sync)
        terminal.end(application)
        terminal.run(f"nestling sync design.yaml {SHOWN_URI} --status")
        time.sleep(3)
        terminal.end(second, signal.SIGTERM)
        terminal.run(f"nestling check design.yaml {SHOWN_URI}")
        return terminal.svg("nestling sync, killed and started again")


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(recorded(), encoding="utf-8")
