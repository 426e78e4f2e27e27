"""One run of law 6: an application writes while things break; once all is drained, every copy is what its source implies, and the
homes are what a SQL engine holds that saw the same acknowledged writes.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.emitters.mql import aggregation
from nestling.executors.sync import SyncOptions, sync
from nestling.executors.sync.lease import COLLECTION
from nestling.executors.verify import verify
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.freshness import Level
from nestling.ir.model import Model
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal, write_proposal
from nestling.pipeline.syncing import sync_plan
from nestling.planner.homes.views import home_views
from nestling.planner.upkeep import upkeeps_of
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.row_source import SqlDatabase
from tests.cases.pattern_case import PatternCase
from tests.chaos.client import UNKNOWN
from tests.chaos.replica_set import ReplicaSet
from tests.planner.upkeep.settled import differences
from tests.write_traces import trace

STATEMENTS = 25
LEASE_SECONDS = 2
FAULTS = (
    *("sync", "sync", "client", "second sync", "rewind", "conflict"),
    *("primary", "step down", "stall", "cut", "disk"),
)
CLOCK_SECONDS = (-3600, -10, 10, 3600)
CLIENT_SECONDS = 120.0


@dataclass
class Told:
    """What a run did: faults by kind, statements by what came of them."""

    faults: Counter[str] = field(default_factory=Counter)
    statements: Counter[str] = field(default_factory=Counter)
    written: int = 0


@dataclass
class Mirror:
    """The SQL engine that sees the acknowledged writes: a SQLite file."""

    path: Path
    model: Model

    def apply(self, sql: str) -> None:
        """A write that was acknowledged."""
        import sqlite3
        from contextlib import closing

        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(sql)

    def equals(self, design: Design, database: Database[Any]) -> str:
        """What the homes and this do not agree on; nothing when they are equal."""
        source = SqlDatabase(parse_address(f"sqlite:///{self.path}"), self.model)
        homes = {entity: aggregation(view) for entity, view in home_views(design).items()}
        report = verify(self.model, homes, source, database)
        return "" if report.equal else "\n".join(map(str, report.differences))


class Run:
    """A design loaded into a set, an application and a sync beside it."""

    def __init__(self, case: PatternCase, seed: int, servers: ReplicaSet, folder: Path) -> None:
        self.random, self.servers, self.folder, self.seed = Random(seed), servers, folder, seed
        self.told = Told()
        self.faults = (*FAULTS, *(["clock"] * 6 if servers.has_clocks else []))
        self.client: MongoClient[Any] = MongoClient(servers.uri)
        self.name = f"chaos_{uuid.uuid4().hex[:12]}"
        self.database = self.client[self.name]
        proposal = _lagging(case.proposal) if seed % 2 else case.proposal
        loaded = trace(proposal.design, case.rows, self.database, folder)
        loaded.connection.close()
        self.design = loaded.design
        self.file = folder / "design.yaml"
        self.file.write_text(write_proposal(Proposal("chaos", self.design)), encoding="utf-8")
        self.mirror = Mirror(folder / "source.db", self.design.model)
        self.points: list[Any] = []
        self.syncs: list[subprocess.Popen[bytes]] = []
        self._seen = 0

    # --- the whole -------------------------------------------------------------------------------------------------------

    def whole(self, faults: int) -> Told:
        """Write under faults, drain, and see whether the law holds."""
        try:
            self._start_sync(images=self.random.random() < 0.5)
            left = faults
            for attempt in range(faults + 1):
                done, left = self._write_under_faults(attempt, left)
                if done:
                    break
            self._settle()
            self._law()
            return self.told
        finally:
            for each in self.syncs:
                each.kill()
                each.wait()
            self.servers.heal()
            self.client.drop_database(self.name)
            self.client.close()

    def _write_under_faults(self, attempt: int, left: int) -> tuple[bool, int]:
        """Run the application once; it may be killed, or give up. Returns whether it came to its end, and the faults left."""
        writer = self._start_client(attempt)
        end = time.monotonic() + CLIENT_SECONDS
        while writer.poll() is None:
            assert time.monotonic() < end, "the application hangs"
            time.sleep(self.random.uniform(0.05, 0.5))
            self._note_point()
            if left:
                left -= 1
                self._fault(self.random.choice(self.faults), writer)
        assert writer.returncode in (0, UNKNOWN, -signal.SIGKILL), (self.folder / "client.err").read_text()[-3000:]
        self._replay(died=writer.returncode != 0)
        return writer.returncode == 0, left

    def _law(self) -> None:
        plan = sync_plan(self.design)
        report = sync(self.database, plan, SyncOptions(once=True, remove=True, lease_seconds=LEASE_SECONDS))
        self.told.written += report.written
        assert report.clean
        snapshots = {each.id for each in upkeeps_of(self.design) if each.freshness.level is Level.SNAPSHOT}
        found = [each for each in differences(self.design, self.database) if each[0] not in snapshots]
        assert not found, f"seed {self.seed}: copies differ: {found}"
        wrong = self.mirror.equals(self.design, self.database)
        assert not wrong, f"seed {self.seed}: homes differ: {wrong}"

    # --- the application -------------------------------------------------------------------------------------------------

    def _start_client(self, attempt: int) -> subprocess.Popen[bytes]:
        own = self.folder / "client.db"
        shutil.copy(self.mirror.path, own)
        order = {
            "design": str(self.file),
            "sqlite": str(own),
            "uri": self.servers.uri,
            "database": self.name,
            "log": str(self.folder / "client.log"),
            "seed": self.seed * 1_000 + attempt,
            "count": STATEMENTS,
        }
        (self.folder / "order.json").write_text(json.dumps(order))
        with (self.folder / "client.err").open("wb") as errors:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.client", str(self.folder / "order.json")], stderr=errors
            )

    def _replay(self, *, died: bool) -> None:
        """Have the mirror see what was acknowledged; of the last statement the homes tell whether it was done."""
        lines = (self.folder / "client.log").read_text(encoding="utf-8").splitlines() if self._log_is_there() else []
        found = [json.loads(line) for line in lines[self._seen :]]
        self._seen = len(lines)
        open_one: str | None = None
        for what, sql in found:
            if what == "asked":
                open_one = sql
                continue
            self.told.statements[what] += 1
            if what == "done":
                self.mirror.apply(sql)
            open_one = open_one if what == "unknown" else None
        if open_one is not None:
            assert died
            self._resolve(open_one)

    def _log_is_there(self) -> bool:
        return (self.folder / "client.log").exists()

    def _resolve(self, sql: str) -> None:
        """Nobody was told what became of a statement: it was done, or not, and nothing in between."""
        self._settle()
        time.sleep(0.5)
        before = self.mirror.equals(self.design, self.database)
        if not before:
            self.told.statements["unknown: not done"] += 1
            return
        with suppress(Exception):
            self.mirror.apply(sql)
        after = self.mirror.equals(self.design, self.database)
        assert not after, f"seed {self.seed}: neither before nor after `{sql}`:\n{before}\n--\n{after}"
        self.told.statements["unknown: done"] += 1

    # --- what goes wrong -------------------------------------------------------------------------------------------------

    def _fault(self, kind: str, writer: subprocess.Popen[bytes]) -> None:
        self.told.faults[kind] += 1
        primary = self.servers.primary() if kind in ("primary", "stall", "cut", "disk", "clock") else None
        match kind:
            case "sync":
                self._kill_sync()
                self._start_sync()
            case "second sync":
                self._start_sync()
            case "client":
                writer.kill()
            case "rewind":
                self._rewind()
            case "step down":
                self.servers.step_down()
            case "conflict":
                self._conflict()
            case "primary" if primary is not None:
                primary.kill()
                time.sleep(self.random.uniform(0.2, 1.5))
                primary.start()
            case "stall" if primary is not None:
                primary.proxy.stall()
                time.sleep(self.random.uniform(0.2, 3.0))
                primary.proxy.flow()
            case "cut" if primary is not None:
                primary.proxy.cut()
            case "disk" if primary is not None:
                primary.refuse_writes()
                time.sleep(self.random.uniform(0.2, 1.5))
                primary.start()
            case "clock" if primary is not None:
                primary.set_clock(self.random.choice(CLOCK_SECONDS))

    def _rewind(self) -> None:
        """What was followed already comes once more: the sync is killed and set back to an earlier point."""
        self._kill_sync()
        if self.points:
            with suppress(PyMongoError):
                point = self.random.choice(self.points)
                self.database[COLLECTION].update_one({}, {"$set": {"point": point}})
        self._start_sync()

    def _conflict(self) -> None:
        """Somebody's open transaction is in the way for a moment, and changes nothing in the end."""
        names = [name for name in self.database.list_collection_names() if not name.startswith(("_", "system", "fs."))]
        with suppress(PyMongoError), self.client.start_session() as session, session.start_transaction():
            for name in names:
                collection = self.database.get_collection(name, codec_options=CODEC)
                for document in collection.find(session=session, limit=3):
                    collection.update_one({"_id": document["_id"]}, {"$set": {"_in_the_way": 1}}, session=session)
            time.sleep(self.random.uniform(0.05, 0.5))
            session.abort_transaction()

    # --- the sync --------------------------------------------------------------------------------------------------------

    def _start_sync(self, *, images: bool = False) -> None:
        uri = self.servers.uri.replace("/?", f"/{self.name}?")
        options = ["--remove", "--lease", str(LEASE_SECONDS)]
        command = [sys.executable, "-m", "nestling", "sync", str(self.file), uri, *options]
        with (self.folder / "sync.err").open("ab") as errors:
            self.syncs.append(
                subprocess.Popen(
                    [*command, *(["--pre-images"] if images else [])], stdout=subprocess.DEVNULL, stderr=errors
                )
            )

    def _kill_sync(self) -> None:
        for each in self.syncs:
            each.kill()
            each.wait()
        self.syncs.clear()

    def _note_point(self) -> None:
        with suppress(PyMongoError):
            found = self.database.get_collection(COLLECTION, codec_options=CODEC).find_one({"point": {"$exists": True}})
            if found is not None:
                self.points.append(found["point"])

    def _settle(self) -> None:
        self.servers.heal()
        self._kill_sync()


def _lagging(proposal: Proposal) -> Proposal:
    """The design with what follows in transactions following in the background instead."""
    text = write_proposal(proposal).replace("freshness: transaction", "freshness: async(1s)")
    return read_proposal(text, "lagging.yaml")


@contextmanager
def chaos_run(case: PatternCase, seed: int, servers: ReplicaSet, folder: Path) -> Iterator[Run]:
    """A run with a folder of its own."""
    own = folder / f"{case.name}-{seed}"
    own.mkdir()
    yield Run(case, seed, servers, own)
    shutil.rmtree(own, ignore_errors=True)
