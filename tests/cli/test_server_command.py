"""`nestling server`: the embedded MongoDB as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from nestling.common.connection import connect
from nestling.common.errors import ConnectionFailed
from nestling.common.server import Server
from tests.cli.commands import nestling, started


def _uri(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _stopped(process: subprocess.Popen[str], number: signal.Signals) -> str:
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out == ""
    assert "Traceback" not in err
    return err


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_runs_until_it_is_told_to_stop(mongod: Server, number: signal.Signals) -> None:
    """Its URI is all of stdout, the server answers there, and after the signal it is gone."""
    process = started("server")
    uri = _uri(process)
    with connect(uri) as client:
        assert client.admin.command("ping")["ok"] == 1
    err = _stopped(process, number)
    assert "temporary data" in err
    assert err.endswith("Stopping.\n")
    with pytest.raises(ConnectionFailed):
        connect(uri, selection_seconds=1.0)


@pytest.mark.thorough
def test_data_is_kept_in_its_directory(mongod: Server, tmp_path: Path) -> None:
    """What was written is there when the server is started again on the same directory."""
    for expected in (0, 1):
        process = started("server", "--data-dir", tmp_path / "data")
        with connect(_uri(process)) as client:
            assert client["kept"]["things"].count_documents({}) == expected
            client["kept"]["things"].insert_one({"number": expected})
        _stopped(process, signal.SIGTERM)


@pytest.mark.thorough
def test_two_servers_cannot_share_a_directory(mongod: Server, tmp_path: Path) -> None:
    """The second says that the directory is in use."""
    process = started("server", "--data-dir", tmp_path / "data")
    assert _uri(process)
    done = nestling("server", "--data-dir", tmp_path / "data")
    _stopped(process, signal.SIGTERM)
    assert (done.code, done.out) == (2, "")
    assert "another running mongod uses this data directory" in done.err


@pytest.mark.thorough
def test_json_shape(mongod: Server, tmp_path: Path) -> None:
    """`--json` tells where it is, which version, from where, and where the data lies."""
    process = started("server", "--json", "--data-dir", tmp_path / "data")
    assert process.stdout is not None
    text = ""
    while not text.endswith("}\n"):
        text += process.stdout.readline()
    found = json.loads(text)
    assert set(found) == {"uri", "version", "origin", "data_directory"}
    assert found["data_directory"] == str(tmp_path / "data")
    _stopped(process, signal.SIGINT)


def test_a_mongod_that_dies_ends_the_command(mongod: Server, tmp_path: Path) -> None:
    """When mongod is killed from outside, the command says by what, shows the end of its log, and keeps it beside the data."""
    process = started("server", "--data-dir", tmp_path / "data")
    port = _uri(process).split(":")[2].split("/")[0]
    _kill_mongod(port)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert (
        "mongod has stopped unexpectedly: killed by signal 9 (SIGKILL): out of memory?; the end of its log:\n    "
        in err
    )
    log = tmp_path / "data" / "nestling-mongod.log"
    assert f"start it again; its full log is in {log}" in err
    assert "waiting for connections" in log.read_text().lower()


def _kill_mongod(port: str) -> None:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"mongod") and port.encode() in words:
                os.kill(int(entry.name), signal.SIGKILL)
                return
    raise AssertionError(f"no mongod listens on port {port}")


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    """A data directory below a file is refused in words."""
    (tmp_path / "file").write_text("")
    done = nestling("server", "--data-dir", tmp_path / "file" / "data")
    assert done.code == 2
    assert "data directory cannot be created" in done.err
