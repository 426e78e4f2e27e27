"""A replica set of three on loopback whose members can be killed, stalled and told to step down.

Members know each other, and clients know them, by their proxies' ports: a stalled proxy is a member nobody can reach.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from nestling.common.binary import find_mongod
from nestling.common.supervised import Supervised, free_port, supervised
from tests.chaos.proxy import Proxy

NAME = "chaos"
ELECTION_MILLISECONDS = 2_000
TRANSACTION_SECONDS = 3
"""How long the transaction of a client that was killed may be in the way of others."""
START_SECONDS = 60.0
DIES_SECONDS = 10.0
CLOCK_LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1")
"""Where Debian's package libfaketime, and others', lies."""


class Member:
    """One server with its data and its proxy."""

    def __init__(self, folder: Path, clock_library: Path | None) -> None:
        self._folder, self._port = folder, free_port()
        (folder / "data").mkdir()
        self.proxy = Proxy(self._port)
        self._clock, self._clock_library = folder / "clock", clock_library
        self._running: ExitStack | None = None
        self._process: Supervised | None = None

    @property
    def host(self) -> str:
        """How it is known."""
        return f"127.0.0.1:{self.proxy.port}"

    def start(self) -> None:
        """Run it on its data, and wait until it listens."""
        command = [
            *self._with_a_clock(),
            *(str(find_mongod().path), "--dbpath", str(self._folder / "data"), "--replSet", NAME),
            *("--bind_ip", "127.0.0.1", "--port", str(self._port), "--nounixsocket"),
            *("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "256", "--quiet"),
            *("--setParameter", "diagnosticDataCollectionEnabled=false"),
            *("--setParameter", f"transactionLifetimeLimitSeconds={TRANSACTION_SECONDS}"),
        ]
        self._running = ExitStack()
        run_directory = Path(tempfile.mkdtemp(prefix="nestling-chaos-"))
        self._process = self._running.enter_context(
            supervised(command, run_directory=run_directory, stop_signal=signal.SIGKILL)
        )
        started = self._process.wait_for("waiting for connections", timeout_seconds=START_SECONDS)
        assert started, self._process.log_text()[-2000:]

    def kill(self) -> None:
        """SIGKILL it."""
        assert self._process is not None
        assert self._running is not None
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)
        self._running.close()
        self._running = None
        self.proxy.cut()

    def refuse_writes(self) -> None:
        """Let the operating system refuse all it writes to files, as on a full disk, until it has given up."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (0, 0))
        end = time.monotonic() + DIES_SECONDS
        while not self._process.ended() and time.monotonic() < end:
            time.sleep(0.05)
        self.kill()

    def set_clock(self, seconds: int) -> None:
        """Let its clock, if it has one of its own, be so far ahead from now on, or behind."""
        self._clock.write_text(f"{seconds:+}\n")

    def _with_a_clock(self) -> tuple[str, ...]:
        if self._clock_library is None:
            return ()
        self.set_clock(0)
        told = (f"FAKETIME_TIMESTAMP_FILE={self._clock}", "FAKETIME_CACHE_DURATION=1", "DONT_FAKE_MONOTONIC=1")
        return ("env", f"LD_PRELOAD={self._clock_library}", *told)

    @property
    def runs(self) -> bool:
        """Whether it has been started and not killed."""
        return self._running is not None

    def close(self) -> None:
        """End it for good."""
        if self._running is not None:
            self.kill()
        self.proxy.close()


def find_clock_library() -> Path | None:
    """What gives a program a clock of its own, None where it is not installed."""
    return next((path for pattern in CLOCK_LIBRARIES for path in Path("/").glob(pattern.lstrip("/"))), None)


class ReplicaSet:
    """The three; with the library that fakes clocks each has one of its own, and is several times slower."""

    def __init__(self, folder: Path, clock_library: Path | None = None) -> None:
        self.has_clocks = clock_library is not None
        self.members: list[Member] = []
        for number in range(3):
            (folder / str(number)).mkdir()
            self.members.append(Member(folder / str(number), clock_library))

    @property
    def uri(self) -> str:
        """How to reach them, whoever is primary; patient enough for an election."""
        hosts = ",".join(member.host for member in self.members)
        return f"mongodb://{hosts}/?replicaSet={NAME}&serverSelectionTimeoutMS=20000&socketTimeoutMS=20000"

    def begin(self) -> None:
        """Start and initiate them."""
        for member in self.members:
            member.start()
        config = {
            "_id": NAME,
            "version": 1,
            "members": [{"_id": number, "host": member.host} for number, member in enumerate(self.members)],
            "settings": {"electionTimeoutMillis": ELECTION_MILLISECONDS, "heartbeatIntervalMillis": 500},
        }
        with MongoClient[Any](self.members[0].host, directConnection=True) as client:
            client.admin.command("replSetInitiate", config)
        self.heal()

    def primary(self) -> Member | None:
        """Who says that it is the primary; None while nobody does."""
        for member in self.members:
            if member.runs:
                with suppress(PyMongoError), _direct(member) as client:
                    if client.admin.command("hello").get("isWritablePrimary"):
                        return member
        return None

    def step_down(self) -> None:
        """Tell the primary not to be it any more."""
        member = self.primary()
        if member is not None:
            with suppress(PyMongoError), _direct(member) as client:
                client.admin.command("replSetStepDown", 3, secondaryCatchUpPeriodSecs=1, force=True)

    def heal(self, within_seconds: float = 90.0) -> None:
        """Start whoever is down, let all traffic flow, and wait until all three are well."""
        for member in self.members:
            member.proxy.flow()
            member.set_clock(0)
            if not member.runs:
                member.start()
        end = time.monotonic() + within_seconds
        while time.monotonic() < end:
            with suppress(PyMongoError), MongoClient[Any](self.uri) as client:
                states = [each["stateStr"] for each in client.admin.command("replSetGetStatus")["members"]]
                if sorted(states) == ["PRIMARY", "SECONDARY", "SECONDARY"]:
                    return
            time.sleep(0.1)
        raise AssertionError("the replica set does not recover")

    def close(self) -> None:
        """End them."""
        for member in self.members:
            member.close()


def _direct(member: Member) -> MongoClient[Any]:
    return MongoClient(
        member.host, directConnection=True, serverSelectionTimeoutMS=1000, socketTimeoutMS=5000, connectTimeoutMS=1000
    )


@contextmanager
def replica_set(clock_library: Path | None = None) -> Iterator[ReplicaSet]:
    """A running set, gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="nestling-chaos-"))
    found = ReplicaSet(folder, clock_library)
    try:
        found.begin()
        yield found
    finally:
        found.close()
        shutil.rmtree(folder, ignore_errors=True)
