"""A MongoDB that can be told to refuse commands, as if its disk were full."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pymongo import MongoClient

from nestling.common.binary import find_mongod
from nestling.common.replica_set import NAME, become_primary
from nestling.common.supervised import free_port, supervised

START_SECONDS = 60.0
OUT_OF_DISK_SPACE = 14031


@contextmanager
def failing_server(folder: Path) -> Iterator[MongoClient[dict[str, Any]]]:
    """A client of a replica set of one that knows fail points."""
    port = free_port()
    (folder / "data").mkdir()
    command = [
        *(str(find_mongod().path), "--dbpath", str(folder / "data"), "--replSet", NAME, "--quiet"),
        *("--bind_ip", "127.0.0.1", "--port", str(port), "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25"),
        *("--oplogSize", "64", "--setParameter", "diagnosticDataCollectionEnabled=false"),
        *("--setParameter", "enableTestCommands=1"),
    ]
    run_directory = Path(tempfile.mkdtemp(prefix="nestling-failing-"))
    with supervised(command, run_directory=run_directory, stop_signal=signal.SIGKILL) as process:
        assert process.wait_for("waiting for connections", timeout_seconds=START_SECONDS), process.log_text()[-2000:]
        with MongoClient[dict[str, Any]]("127.0.0.1", port, directConnection=True) as client:
            become_primary(client, f"127.0.0.1:{port}", timeout_seconds=START_SECONDS)
            yield client


@contextmanager
def full_disk(client: MongoClient[dict[str, Any]], command: str, namespace: str) -> Iterator[None]:
    """While the block lasts, such commands on a collection are refused for want of room."""
    told = {"failCommands": [command], "errorCode": OUT_OF_DISK_SPACE, "namespace": namespace}
    client.admin.command("configureFailPoint", "failCommand", mode="alwaysOn", data=told)
    try:
        yield
    finally:
        client.admin.command("configureFailPoint", "failCommand", mode="off")
