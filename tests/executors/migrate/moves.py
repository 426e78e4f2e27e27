"""A database that moves from one design to another while statements run on it, beside a SQLite file that gets the same ones."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.common.errors import ConstraintError, WriteError
from nestling.emitters.mql import aggregation
from nestling.executors.migrate import MigrationReport
from nestling.executors.migrate.state import States
from nestling.executors.verify import verify
from nestling.ir.design import Design
from nestling.ir.migration import Loss
from nestling.ir.proposal import Proposal
from nestling.ir.text import write_proposal
from nestling.pipeline import migrating
from nestling.planner.homes.views import home_views
from nestling.planner.reads import ReadGap
from tests.generators.worlds import World
from tests.generators.writes import Writer
from tests.planner.upkeep.settled import differences
from tests.write_traces import Trace, trace

PAUSE_SECONDS = 0.02
PATIENCE_SECONDS = 600.0
RUNS = 200
"""How often a process is started again before a migration counts as stuck."""


class Moving:
    """A world loaded by the design `old`, on its way to `new`. Statements are drawn by `seed`."""

    def __init__(
        self, world: World, old: Design, new: Design, database: Database[Any], folder: Path, seed: int = 0
    ) -> None:
        self.run: Trace = trace(old, world.rows, database, folder)
        model = self.run.design.model  # with floats for decimals
        self.old, self.new = self.run.design, Design(model, new.collections, new.indexes)
        self.database, self.folder = database, folder
        self.chance = random.Random(seed)
        self._ended = False
        self._writer = Writer(model, self.run.connection, self.chance)

    def write(self) -> bool:
        """Run a random statement on both sides; False when the old design takes none any more.

        The fence refuses no DELETE, so an application pauses those: this one pauses all of its statements.
        """
        state = States(self.database).read()
        if state is not None and state.fences:
            return False
        sql = self._writer.statement()
        try:
            self.run.run(sql)
        except ConstraintError:
            raise
        except WriteError as error:
            self.run.gaps.append((sql, str(error)))
            return "validator refuses" not in str(error)
        return True

    def between(
        self, *, cutover: bool = True, each: int = 2, may_lose: frozenset[Loss] = frozenset()
    ) -> MigrationReport:
        """Migrate, with statements whenever the migration tells how far it is."""
        is_open = True

        def watch(what: str, rows: int, total: int | None) -> None:
            nonlocal is_open
            del rows, total
            for _ in range(each if is_open else 0):
                is_open = self.write() and is_open
            is_open = is_open and not what.endswith("cutover")

        return self._migrate(watch, cutover=cutover, may_lose=may_lose)

    def beside(self, *, cutover: bool = True) -> MigrationReport:
        """Migrate in a thread, with statements all the while."""
        with ThreadPoolExecutor(1) as threads:
            done = threads.submit(self._migrate, None, cutover=cutover)
            self._write_until(done.done)
            return done.result()

    def killed(self, uri: str, times: int, most_seconds: float) -> int:
        """Migrate in processes that are killed at random moments, until one comes to the end; returns how many were killed."""
        files = [self.folder / name for name in ("old.yaml", "new.yaml")]
        for file, design in zip(files, (self.old, self.new), strict=True):
            file.write_text(write_proposal(Proposal("", design)), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "tests.executors.migrate.migrating_process",
            uri,
            self.database.name,
            *map(str, files),
        ]
        killed = 0
        for _ in range(RUNS):
            seconds = self.chance.uniform(0.3, most_seconds) if killed < times else PATIENCE_SECONDS
            killed += self._killed_after(seconds, command)
            if self._ended:
                return killed
        raise AssertionError("the migration does not end")

    def _killed_after(self, seconds: float, command: list[str]) -> bool:
        """Run a process for so long, with statements all the while; whether it had to be killed."""
        end = time.monotonic() + seconds
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            self._write_until(lambda: process.poll() is not None or time.monotonic() > end)
            is_alive = process.poll() is None
            process.kill()
            _, said = process.communicate()
        assert is_alive or process.returncode == 0, said
        self._ended = not is_alive
        return is_alive

    def _migrate(
        self,
        watch: Callable[[str, int, int | None], None] | None,
        *,
        cutover: bool,
        may_lose: frozenset[Loss] = frozenset(),
    ) -> MigrationReport:
        old, new = Proposal("", self.old), Proposal("", self.new)
        return migrating.migrate(
            old,
            new,
            self.database,
            cutover=cutover,
            may_lose={Loss.INDEXES, *may_lose},
            watch=watch,
        )

    def _write_until(self, ended: Callable[[], bool]) -> None:
        is_open = True
        while not ended():
            is_open = is_open and self.write()
            time.sleep(PAUSE_SECONDS)

    def check(self) -> None:
        """The new design holds what SQLite holds, and everything in it is what its homes imply."""
        homes = {entity: aggregation(view) for entity, view in home_views(self.new).items()}
        report = verify(self.new.model, homes, self.run.source, self.database)
        assert report.equal, "\n".join([*self.run.done[-30:], *map(repr, report.differences)])
        with suppress(ReadGap):
            found = differences(self.new, self.database)
            assert not found, "\n".join([*self.run.done[-30:], *map(repr, found)])
