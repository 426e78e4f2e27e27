"""Run a server program for as long as this process lives, and no longer: the parent's side of `supervisor.py`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.common import supervisor
from nestling.common.errors import Problem, ServerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

POLL_SECONDS = 0.01
"""How often a starting server's log is read; what a start takes longer than it must is half of this on average."""


@dataclass(frozen=True, slots=True)
class Supervised:
    """A running server program and the directory it may write to."""

    run_directory: Path
    pid: int

    def log_text(self) -> str:
        """Return what the server has written to its output lately; nothing once it has been cleared away."""
        return "".join(map(self._text, (supervisor.OLD_LOG, supervisor.LOG)))

    def _text(self, name: str) -> str:
        try:
            return (self.run_directory / name).read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def exit_code(self) -> int | None:
        """Return what the server ended with, the negative number of a signal that ended it; None where nobody can tell."""
        text = self._text(supervisor.EXIT)
        return int(text) if text else None

    def lives(self) -> bool:
        """Say whether there is a process: where its supervisor was killed, nobody reports its end."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return not self.ended()

    def ended(self) -> bool:
        """Say whether the server is gone."""
        return (self.run_directory / supervisor.EXIT).exists() or not self.run_directory.exists()

    def wait_for(self, phrase: str, *, timeout_seconds: float) -> bool:
        """Wait until the log holds `phrase` (in any case); False when the server ended or did not say it in time."""
        end = time.monotonic() + timeout_seconds
        while time.monotonic() < end:
            gone = self.ended()  # looked at before the log: a server may say its phrase and end
            if phrase.casefold() in self.log_text().casefold():
                return True
            if gone:
                return False
            time.sleep(POLL_SECONDS)
        return False


@contextmanager
def supervised(
    command: Sequence[str],
    *,
    run_directory: Path,
    stop_signal: signal.Signals = signal.SIGTERM,
    grace_seconds: float = 10.0,
) -> Iterator[Supervised]:
    """Run `command` under a supervisor; on leaving, or when this process dies in any way, it ends.

    The run directory becomes the working directory, takes the log and is removed in the end, so that temporary data
    belongs into it. Raises ServerError when it cannot be run at all.
    """
    order = {
        "parent": os.getpid(),
        "command": list(command),
        "run_directory": str(run_directory),
        "stop_signal": int(stop_signal),
        "grace_seconds": grace_seconds,
    }
    watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", supervisor.__file__, json.dumps(order)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in a terminal is for us: we close the server when we are done with it
    )
    try:
        yield Supervised(run_directory, _pid(watcher, run_directory))
    finally:
        if watcher.stdin is not None:
            watcher.stdin.close()
        watcher.wait()
        shutil.rmtree(run_directory, ignore_errors=True)


def _pid(watcher: subprocess.Popen[bytes], run_directory: Path) -> int:
    """Wait for the supervisor to say the server's process id."""
    while not (run_directory / supervisor.PID).exists():
        if (run_directory / supervisor.EXIT).exists():
            raise ServerError(Problem((run_directory / supervisor.LOG).read_text(errors="replace").strip()))
        if watcher.poll() is not None:
            raise ServerError(Problem(f"the supervisor ended with exit code {watcher.returncode}"))
        time.sleep(POLL_SECONDS)
    return int((run_directory / supervisor.PID).read_text())


def free_port() -> int:
    """Return a loopback port that was free a moment ago; whoever uses it must be ready to be beaten to it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
