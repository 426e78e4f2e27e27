"""Start the servers the tests need, with data directories and ports of their own: Debian's SQL servers, a guarded `mongod`.

They run under nestling's own supervisor, so an interrupted test run leaves nothing behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
from pymongo import MongoClient

from nestling.common.binary import find_mongod
from nestling.common.replica_set import NAME
from nestling.common.supervised import Supervised, free_port, supervised

START_SECONDS = 60.0
PASSWORD = "nestling"
MARIADB_SETTINGS = [
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
    "--character-set-server=utf8mb4",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-buffer-pool-size=64M",
    "--skip-log-bin",
]
POSTGRESQL_SETTINGS = [
    "timezone=UTC",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "shared_buffers=64MB",
    "unix_socket_directories=",
    "listen_addresses=127.0.0.1",
]


class NotInstalled(Exception):
    """A server's programs are not on this machine."""


@contextmanager
def postgresql_server() -> Iterator[str]:
    """Run a PostgreSQL (UTF-8, C locale); yields the SQLAlchemy URL of a superuser on an empty database."""
    programs = _postgresql_programs()
    user = "postgres" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    run_directory = _run_directory(user)
    data = run_directory / "data"
    password_file = run_directory / "password"
    password_file.write_text(PASSWORD)
    locale = ["--encoding=UTF8", "--locale=C"]
    # SCRAM, as servers have it, computes for 10 ms at each of some thousand connections
    access = ["--username=nestling", "--auth=md5", f"--pwfile={password_file}"]
    _run([str(programs / "initdb"), "--no-sync", f"--pgdata={data}", *locale, *access], run_directory, user)
    port = free_port()
    settings = [part for setting in (*POSTGRESQL_SETTINGS, f"port={port}") for part in ("-c", setting)]
    command = [str(programs / "postgres"), "-D", str(data), *settings]
    with supervised(as_user(command, user), run_directory=run_directory, stop_signal=signal.SIGQUIT) as server:
        _wait(server, "database system is ready to accept connections")
        yield f"postgresql+psycopg://nestling:{PASSWORD}@127.0.0.1:{port}/postgres"


@contextmanager
def mariadb_server() -> Iterator[str]:
    """Run a MariaDB (utf8mb4); yields the SQLAlchemy URL of a user with all rights on an empty database."""
    install, daemon = _program("mariadb-install-db"), _program("mariadbd")
    user = "mysql" if os.geteuid() == 0 else None
    run_directory = _run_directory(user)
    data, temporary = f"--datadir={run_directory / 'data'}", run_directory / "temporary"
    temporary.mkdir()  # in one they share, a server that starts removes the tables of others
    shutil.chown(temporary, user) if user is not None else None
    quick = ["--skip-test-db", "--auth-root-authentication-method=normal"]
    _run([install, "--no-defaults", data, f"--tmpdir={temporary}", *quick], run_directory, user)
    first_statements = run_directory / "first.sql"
    first_statements.write_text(
        f"CREATE USER nestling IDENTIFIED BY '{PASSWORD}';\n"
        "GRANT ALL ON *.* TO nestling WITH GRANT OPTION;\n"
        "CREATE DATABASE nestling CHARACTER SET utf8mb4;\n"
    )
    port = free_port()
    places = [f"--port={port}", f"--socket={run_directory / 'socket'}", f"--pid-file={run_directory / 'mariadbd.pid'}"]
    places.append(f"--tmpdir={temporary}")
    command = [daemon, "--no-defaults", data, *places, f"--init-file={first_statements}", *MARIADB_SETTINGS]
    with supervised(as_user(command, user), run_directory=run_directory, stop_signal=signal.SIGKILL) as server:
        _wait(server, "ready for connections")
        yield f"mysql+pymysql://nestling:{PASSWORD}@127.0.0.1:{port}/nestling?charset=utf8mb4"


@contextmanager
def guarded_mongod(*, is_set: bool = False) -> Iterator[str]:
    """Run a `mongod` with access control, standalone or a set of one; yields its host and port. The user `root` may do all."""
    run_directory = _run_directory(None)
    port = free_port()
    places = [f"--dbpath={run_directory}", f"--port={port}", "--bind_ip=127.0.0.1", "--nounixsocket"]
    command = [str(find_mongod().path), "--auth", *places]
    if is_set:
        key = run_directory / "key"
        key.write_text(PASSWORD)
        key.chmod(0o600)
        command += [f"--replSet={NAME}", f"--keyFile={key}"]
    with supervised(command, run_directory=run_directory, stop_signal=signal.SIGKILL) as server:
        _wait(server, "waiting for connections")
        with MongoClient[dict[str, Any]](f"mongodb://127.0.0.1:{port}", directConnection=is_set) as client:
            if is_set:
                members = [{"_id": 0, "host": f"127.0.0.1:{port}"}]
                client.admin.command("replSetInitiate", {"_id": NAME, "members": members})
                while not client.admin.command("hello").get("isWritablePrimary"):
                    time.sleep(0.05)
            client.admin.command("createUser", "root", pwd=PASSWORD, roles=["root"])
        yield f"127.0.0.1:{port}"


def _postgresql_programs() -> Path:
    """Find the directory with initdb and postgres: Debian keeps it off PATH."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: int(place.parent.name), reverse=True)
    on_path = shutil.which("postgres")
    if on_path is not None:
        places.append(Path(on_path).resolve().parent)
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise NotInstalled("PostgreSQL's programs are not installed (Debian: apt-get install postgresql)")


def _program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise NotInstalled(f"{name} is not installed (Debian: apt-get install mariadb-server)")
    return found


def _run_directory(user: str | None) -> Path:
    directory = Path(tempfile.mkdtemp(prefix="nestling-test-"))
    if user is not None:
        shutil.chown(directory, user, user)
    return directory


def as_user(command: list[str], user: str | None) -> list[str]:
    """The command run as another user, by Linux's `setpriv`; killed with its parent, as changing the user forgets that."""
    if user is None:
        return command
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--pdeathsig=KILL", *command]


def _run(command: list[str], run_directory: Path, user: str | None) -> None:
    """Run a setup program to its end, as the server's user."""
    done = subprocess.run(as_user(command, user), cwd=run_directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(run_directory, ignore_errors=True)
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


def _wait(server: Supervised, phrase: str) -> None:
    if not server.wait_for(phrase, timeout_seconds=START_SECONDS):
        raise RuntimeError(f"the server did not start:\n{server.log_text()[-2000:]}")


def missing(reason: str) -> NoReturn:
    """Skip what needs a program that is not here; in CI, where all of them are, fail."""
    if os.environ.get("NESTLING_REQUIRE_SERVERS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
