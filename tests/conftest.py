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
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import hypothesis
import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.connection import connect
from nestling.common.errors import LibraryMissing, ServerNotFound
from nestling.common.server import Server, open_server
from nestling.executors import pacing
from nestling.executors.migrate import migrating
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from tests.bundled_shop import shop_reading, write_shop
from tests.designed_once import SHARED, designed
from tests.laws.tally import Counts, lines
from tests.servers import NotInstalled, mariadb_server, missing, postgresql_server
from tests.soaking import SOAKING, one_in, one_value_each

MEMORY_DISK = Path("/dev/shm")
ROOM_NEEDED = 8 << 30  # the servers of four workers grow to two thirds of it
SERVER_FIXTURES = ("mariadb", "mongod", "postgresql")
LEFT_OUT = ("soak", "thorough")
"""Marks of what `make test` does not run; `make thorough` runs the second, `make soak` both."""
EVERY_DAY = " and ".join(f"not {mark}" for mark in LEFT_OUT)
Running = TypeVar("Running")

# No deadline for one example: servers answer when they answer. CI is the same on every run; `make soak` looks further.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=5000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    """Run what is named as `file::test`, whatever its marks, and of other marks what is for every day.

    Let tests press Ctrl-C also where they were started in the background, which has children ignore it.

    Temporary files, and with them the servers' data, lie in memory where there is room: no test waits for a disk. No test asks
    the system's certificates, which MySQL's driver would read at each connection, for 25 ms. Workers, which inherit this
    process's environment, share a folder.
    """
    asked = config.option.markexpr
    if asked == EVERY_DAY and any("::" in each for each in config.args):
        config.option.markexpr = ""
    elif asked and not any(mark in asked for mark in LEFT_OUT):
        config.option.markexpr = f"({asked}) and {EVERY_DAY}"
    os.environ["SSL_CERT_FILE"] = os.devnull
    if "TMPDIR" not in os.environ and MEMORY_DISK.is_dir() and shutil.disk_usage(MEMORY_DISK).free >= ROOM_NEEDED:
        os.environ["TMPDIR"] = str(MEMORY_DISK)
        tempfile.tempdir = None
    if SHARED not in os.environ:
        os.environ[SHARED] = shared = tempfile.mkdtemp(prefix="nestling-tests-")
        config.add_cleanup(partial(shutil.rmtree, shared, ignore_errors=True))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test with the servers it uses, so that `-m "not mariadb"` needs no marks by hand."""
    for item in items:
        for name in SERVER_FIXTURES:
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(name)
    _leave_out(items)


def _leave_out(items: list[pytest.Item]) -> None:
    """Mark `thorough` what a run for every day leaves out of long tables of cases.

    Of tests marked `in_turn("parameter")` one value of that parameter stays for each combination of the others, in turn: ten
    queries on four designs are tried ten times, not forty, and each design is in use. Of those marked `one_in(n)` one of n
    neighbours stays, another one each time, and not the same in every table: the second of two servers has its turn, too.
    """
    tables: dict[tuple[Path, str], list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            tables.setdefault((item.path, item.originalname), []).append(item)
    for (path, name), cases in tables.items():
        kept = cases = [item for item in cases if not any(map(item.get_closest_marker, LEFT_OUT))]
        if not cases:
            continue
        if (mark := cases[0].get_closest_marker("in_turn")) is not None:
            kept = one_value_each(cases, mark.args[0])
        if (mark := cases[0].get_closest_marker("one_in")) is not None:
            kept = one_in(mark.args[0], kept, first=crc32(f"{path.stem} {name}".encode()))
        stays = {id(item) for item in kept}
        for item in cases:
            if id(item) not in stays:
                item.add_marker("thorough")


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
    return partial(designed, shop_read)


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
