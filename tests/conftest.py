"""The real servers tests run on. Each starts when the first test of a worker asks for it, and ends with the worker.

A test that needs a server which cannot be had here is skipped and says why; with NESTLING_REQUIRE_SERVERS=1, as in CI,
it fails instead.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import hypothesis
import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.connection import connect
from nestling.common.errors import LibraryMissing, ServerNotFound
from nestling.common.server import Server, open_server
from nestling.executors.facts import pacing
from nestling.executors.migrate import migrating
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.pipeline import design
from tests.bundled_shop import shop_reading, write_shop
from tests.laws.tally import Counts, lines
from tests.servers import NotInstalled, mariadb_server, missing, postgresql_server
from tests.soaking import SOAKING

MEMORY_DISK = Path("/dev/shm")
ROOM_NEEDED = 8 << 30  # the servers of three workers grow to half of it
SERVER_FIXTURES = ("mariadb", "mongod", "postgresql")
PLACE = pytest.StashKey[tuple[int, int]]()
"""Which value of its parameter in turn a test has, and which combination of the others."""
Running = TypeVar("Running")

# No deadline for one example: servers answer when they answer. CI is the same on every run; `make soak` looks further.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=5000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure() -> None:
    """Let tests press Ctrl-C also where they were started in the background, which has children ignore it.

    Temporary files, and with them the servers' data, lie in memory where there is room: no test waits for a disk. No test asks
    the system's certificates, which MySQL's driver would read at each connection, for 25 ms.
    """
    os.environ["SSL_CERT_FILE"] = os.devnull
    if "TMPDIR" not in os.environ and MEMORY_DISK.is_dir() and shutil.disk_usage(MEMORY_DISK).free >= ROOM_NEEDED:
        os.environ["TMPDIR"] = str(MEMORY_DISK)
        tempfile.tempdir = None
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test with the servers it uses, so that `-m "not mariadb"` needs no marks by hand."""
    for item in items:
        for name in SERVER_FIXTURES:
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(name)
    _leave_to_the_soak(items)


def _leave_to_the_soak(items: list[pytest.Item]) -> None:
    """Of tests marked `in_turn("parameter")`, keep one value of that parameter for each combination of the others, in turn.

    All the others are marked `soak`: ten queries on four designs are tried ten times, not forty, and each design is in use.
    """
    rows: dict[tuple[object, ...], int] = {}
    values: dict[tuple[object, ...], dict[object, int]] = {}
    for item in items:
        if (mark := item.get_closest_marker("in_turn")) is None or not hasattr(item, "callspec"):
            continue
        others = {name: repr(value) for name, value in item.callspec.params.items()}
        value = others.pop(mark.args[0])
        function = (item.path, getattr(item, "originalname", item.name))
        known = values.setdefault(function, {})
        item.stash[PLACE] = (
            known.setdefault(value, len(known)),
            rows.setdefault((*function, *others.items()), len(rows)),
        )
    for item in items:
        if PLACE in item.stash:
            place, row = item.stash[PLACE]
            function = (item.path, getattr(item, "originalname", item.name))
            if row % len(values[function]) != place:
                item.add_marker("soak")


def pytest_collection_finish() -> None:
    """Leave the modules and the thousands of tests out of every search for garbage from here on."""
    gc.freeze()


@pytest.fixture(autouse=True)
def alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cutover waits until programs have noticed it, and whether others ask something of a server is seen in a moment.

    Not so in tests marked `beside`, in which there are others.
    """
    if request.node.get_closest_marker("beside") is None:
        monkeypatch.setattr(migrating, "TOLD_SECONDS", 0.0)
        monkeypatch.setattr(pacing, "WATCHED_SECONDS", 0.0)


@pytest.fixture(scope="session")
def mongod() -> Iterator[Server]:
    """One MongoDB for all tests of a worker: a replica set of one, so transactions and change streams work."""
    yield from _started(open_server())


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The SQLAlchemy URL of a superuser on a PostgreSQL server."""
    yield from _started(postgresql_server())


@pytest.fixture(scope="session")
def mariadb() -> Iterator[str]:
    """The SQLAlchemy URL of a user with all rights on a MariaDB server."""
    yield from _started(mariadb_server())


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the system's Chromium."""
    return shutil.which("chromium") or missing("chromium is not installed (Debian: apt-get install chromium)")


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node.js, which runs the scripts made for mongosh as far as they need no server."""
    return shutil.which("node") or missing("node is not installed (Debian: apt-get install nodejs)")


@pytest.fixture(scope="session")
def mongo_client(mongod: Server) -> Iterator[MongoClient[dict[str, Any]]]:
    """A client of the worker's MongoDB."""
    with connect(mongod.uri) as client:
        yield client


@pytest.fixture
def database(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Database[dict[str, Any]]]:
    """A fresh MongoDB database, dropped after the test."""
    name = f"test_{uuid.uuid4().hex}"
    yield mongo_client[name]
    mongo_client.drop_database(name)


@pytest.fixture(scope="session")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundled shop's `shop.db` and `workload.sql`; not to be written to."""
    folder = tmp_path_factory.mktemp("shop")
    write_shop(folder)
    return folder


@pytest.fixture(scope="session")
def shop_read(shop_folder: Path) -> Reading:
    """What is read of the bundled shop and its workload."""
    return shop_reading(shop_folder)


@pytest.fixture(scope="session")
def shop_design(shop_read: Reading) -> Callable[[str], Proposal]:
    """Its design by a strategy, made once: the optimal one takes seconds to find and weigh."""
    return cache(partial(design, shop_read))


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Iterator[Counts]:
    """Counts of what a law was tried on; all are printed together at the end of the run."""
    counts: Counts = Counter()
    yield counts
    request.node.user_properties.append(("tally", [[*name, count] for name, count in counts.items()]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the laws were tried on, of all workers."""
    counts: Counts = Counter()
    for report in (each for reports in terminalreporter.stats.values() for each in reports):
        for name, rows in getattr(report, "user_properties", ()) if getattr(report, "when", "") == "teardown" else ():
            counts.update({(table, what): number for table, what, number in rows} if name == "tally" else {})
    for line in lines(counts, whole=SOAKING):
        terminalreporter.write_line(line)


def _started(server: AbstractContextManager[Running]) -> Iterator[Running]:
    """Yield a running server, or skip (in CI: fail) with the reason it cannot be had."""
    try:
        running = server.__enter__()
    except (NotInstalled, ServerNotFound, LibraryMissing) as error:
        missing(str(error))
    try:
        yield running
    finally:
        server.__exit__(None, None, None)
