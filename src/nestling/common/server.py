"""The MongoDB to work on: one that is named, or an embedded one that nestling starts and stops itself.

Looked for in this order: the URI given (`--to`), the environment's `NESTLING_MONGODB_URI`, a `mongod` on PATH, the
`mongod` in the wheel of the `embedded` extra. A started server is a replica set of one on a free loopback port, and
never outlives this process (`supervisor.py`).
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.common.binary import Binary, find_mongod
from nestling.common.connection import connect
from nestling.common.environment import VARIABLE
from nestling.common.errors import DataDirectoryInUse, LibraryMissing, Problem, ServerError
from nestling.common.redaction import redact
from nestling.common.replica_set import NAME, become_primary
from nestling.common.server_end import ended_by_itself, exit_words, log_end
from nestling.common.supervised import Supervised, free_port, supervised

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHE_GIGABYTES = 0.5
"""WiredTiger's cache. mongod's own default, half the machine, is too greedy for a guest (chosen, not measured)."""
OPLOG_MEGABYTES = 1024
"""Room for the change history; mongod's default, 5 % of the disk, may be far more than a scratch server deserves."""
COMMIT_MILLISECONDS = 5
"""How often the journal is written at the latest. Dropping a database waits for it: 6 ms, not 100 as by mongod's own interval."""
LISTEN_SECONDS = 120.0
"""How long a start may take. 0.5 s is usual; after a crash mongod replays its journal first."""
PRIMARY_SECONDS = 30.0
GRACE_SECONDS = 20.0
"""How long a server with a kept data directory gets to shut down cleanly; 1 s is usual."""
PORTS_TRIED = 5
OWN_FILES = frozenset({"WiredTiger", "WiredTiger.wt", "storage.bson", "mongod.lock"})
"""What tells a folder that mongod has used; the last it makes first of all."""
LOST_FOUND = "lost+found"
"""In the root of each disk of Linux, and nobody's."""


GIVEN = "given"
"""The origin of a server that was named by its URI."""


@dataclass(frozen=True, slots=True)
class Server:
    """A MongoDB that answers, and how it came to be used."""

    uri: str
    """How to reach it. May hold a password: print `text()` instead."""
    version: str
    """What the server says it is: "6.0.5"."""
    origin: str
    """"given", "NESTLING_MONGODB_URI", "mongod on PATH" or "bundled mongod 6.0.5"."""
    data_directory: Path | None = None
    """Where its data lies, when nestling started it."""
    pid: int | None = None
    """The process id of the server if nestling started it, else None."""
    process: Supervised | None = None
    """The running program, when nestling started it."""

    def text(self) -> str:
        """Say which server this is, without any password, and how it was found where nobody named it."""
        found = "" if self.origin == GIVEN else f" ({self.origin})"
        return f"MongoDB {self.version} at {redact(self.uri)}{found}"

    def end(self) -> ServerError | None:
        """Say how a server that nestling started ended by itself, with the end of its log; None while it runs.

        The log of one whose data is kept is put beside the data.
        """
        if self.process is None or self.data_directory is None or self.process.lives():
            return None
        is_kept = not self.data_directory.is_relative_to(self.process.run_directory)
        return ended_by_itself(self.process, self.data_directory, is_kept=is_kept)

    def __repr__(self) -> str:
        return f"<Server: {self.text()}>"


@contextmanager
def open_server(uri: str | None = None, *, data_directory: Path | None = None) -> Iterator[Server]:
    """Yield the server to work on: the named one, else the environment's, else an embedded one.

    A data directory asks for an embedded server, whatever the environment says. Raises ConnectionFailed,
    AuthenticationFailed or a ServerError.
    """
    if uri and data_directory:
        raise ValueError("a data directory is for an embedded server, not for one given by its URI")
    named = uri or (os.environ.get(VARIABLE) if data_directory is None else None)
    if not named:
        with start_server(data_directory=data_directory) as server:
            yield server
        return
    with connect(named) as client:
        version = client.server_info()["version"]
    yield Server(named, version, GIVEN if uri else VARIABLE)


@contextmanager
def start_server(*, data_directory: Path | None = None) -> Iterator[Server]:
    """Start an embedded MongoDB, ready to be written to, and stop it on leaving.

    Without a data directory its data is temporary and removed in the end; a given one is created if need be, kept, and
    can be used again. Raises a ServerError: ServerNotFound, LibraryMissing, DataDirectoryInUse, or one that shows the
    end of the server's log.
    """
    binary = find_mongod()
    with ExitStack() as stack:
        yield _ready(_on_some_port(stack, binary, data_directory), binary)


def _on_some_port(stack: ExitStack, binary: Binary, data_directory: Path | None) -> Server:
    for _ in range(PORTS_TRIED - 1):
        with suppress(_PortTaken):
            return stack.enter_context(_listening(binary, data_directory))
    return stack.enter_context(_listening(binary, data_directory))


class _PortTaken(ServerError):
    """Somebody else took the free port before mongod could."""


@contextmanager
def _listening(binary: Binary, data_directory: Path | None) -> Iterator[Server]:
    """Run mongod on a free port until it accepts connections."""
    if data_directory:
        _make(data_directory)
    run_directory = Path(tempfile.mkdtemp(prefix="nestling-"))
    data = data_directory.absolute() if data_directory else run_directory / "data"
    data.mkdir(exist_ok=True)
    port = free_port()
    command = [
        *(str(binary.path), "--dbpath", str(data), "--replSet", NAME),
        *("--bind_ip", "127.0.0.1", "--port", str(port), "--nounixsocket"),
        *("--wiredTigerCacheSizeGB", str(CACHE_GIGABYTES), "--oplogSize", str(OPLOG_MEGABYTES)),
        *("--setParameter", "diagnosticDataCollectionEnabled=false", "--quiet"),
        *("--journalCommitInterval", str(COMMIT_MILLISECONDS)),
    ]
    # Temporary data need not be shut down cleanly, which takes a second.
    stop_signal = signal.SIGTERM if data_directory else signal.SIGKILL
    with supervised(
        command, run_directory=run_directory, stop_signal=stop_signal, grace_seconds=GRACE_SECONDS
    ) as process:
        if not process.wait_for("waiting for connections", timeout_seconds=LISTEN_SECONDS):
            raise _failure(process, data)
        uri = f"mongodb://127.0.0.1:{port}/?directConnection=true"
        yield Server(uri, "", binary.origin, data, process.pid, process)


def _make(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True)
        found = {each.name for each in data.iterdir()} - {LOST_FOUND}
    except OSError as error:
        problem = Problem(f"the data directory cannot be created: {error.strerror}", where=str(data))
        raise ServerError(problem) from error
    if found and not found & OWN_FILES:
        what = "the data directory holds other files, but no MongoDB data"
        raise ServerError(Problem(what, where=str(data), next_move="choose an empty folder, or a new one"))


def _ready(server: Server, binary: Binary) -> Server:
    """Make a listening server a primary and fill in what it says of itself."""
    with connect(server.uri) as client:
        host, port = client.address or ("127.0.0.1", 0)
        become_primary(client, f"{host}:{port}", timeout_seconds=PRIMARY_SECONDS)
        version = client.server_info()["version"]
    origin = f"{binary.origin} {version}" if binary.origin.startswith("bundled") else binary.origin
    return replace(server, version=version, origin=origin)


def _failure(process: Supervised, data: Path) -> ServerError:
    """Read from the log why mongod did not start."""
    log = process.log_text()
    if library := re.search(r"error while loading shared libraries: ([^:\s]+)", log):
        return LibraryMissing(
            Problem(
                f"mongod needs the shared library {library[1]}, which this system lacks",
                next_move="install libcurl and OpenSSL 3: `apt-get install libcurl4 libssl3` on Debian and Ubuntu, `dnf install "
                "libcurl openssl-libs` on Fedora and similar systems",
            )
        )
    if "DBPathInUse" in log:
        return DataDirectoryInUse(
            Problem(
                "another running mongod uses this data directory",
                where=str(data),
                next_move="stop it, or choose another directory",
            )
        )
    taken = "Address already in use" in log
    what = f"mongod was not ready within {LISTEN_SECONDS:g} s"
    if process.ended():
        code = process.exit_code()
        what = "mongod did not start" + (f" ({exit_words(code)})" if code is not None else "")
    problem = Problem(f"{what}; the end of its log:\n{log_end(log)}", where=str(data))
    return (_PortTaken if taken else ServerError)(problem)
