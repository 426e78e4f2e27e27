"""The supervisor: a tiny program that runs one server and never lets it outlive the process that asked for it.

It is started by `supervised.py` as a file of its own, with nothing but the standard library, so that it is up in
milliseconds. Each way a process can die is seen to:

- the *parent* holds the write end of the supervisor's stdin; whatever ends the parent, SIGKILL included, closes it;
- a forked child of the parent may hold that end longer, so the supervisor also looks whether it still has its parent;
- if the *supervisor* is killed, Linux kills the server for it (`PR_SET_PDEATHSIG`; macOS has no such thing).

Then the server gets its stop signal, after a grace SIGKILL, and the run directory (log, temporary data) is removed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

LOG = "log"
OLD_LOG = "log.old"
MOST_LOG_BYTES = 4 << 20
"""A log that is longer becomes the old one, so that a server that runs for months fills no disk."""
PID = "pid"
EXIT = "exit"
LOOK_SECONDS = 0.1
"""How often the supervisor looks after its server and its parent; the pipe's end is seen at once."""
PR_SET_PDEATHSIG = 1


def main(order: dict[str, Any]) -> None:
    """Run `order["command"]` until the parent goes, then stop it and remove `order["run_directory"]`."""
    run_directory = Path(order["run_directory"])
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, leave)
    server = None
    try:
        server = start(order, run_directory)
        watch(server, order["parent"], run_directory)
    finally:
        if server is not None:
            stop(server, order["stop_signal"], order["grace_seconds"])
        shutil.rmtree(run_directory, ignore_errors=True)


def leave(number: int, _frame: object) -> NoReturn:
    """Turn a signal into an ordinary exit, so that the server is stopped and the directory removed."""
    raise SystemExit(128 + number)


def start(order: dict[str, Any], run_directory: Path) -> subprocess.Popen[bytes] | None:
    """Start the server with its output in the log; None (and the reason in the log) when it cannot be executed."""
    with (run_directory / LOG).open("ab") as log:  # a server that appends goes on at the start of a log that was cut
        try:
            server = subprocess.Popen(
                order["command"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=run_directory,
                preexec_fn=die_with_the_supervisor,  # noqa: PLW1509 - this program has one thread
            )
        except (OSError, subprocess.SubprocessError) as error:
            log.write(f"{order['command'][0]}: {error}\n".encode())
            log.flush()  # whoever reads that it ended reads the reason next
            report(run_directory / EXIT, 127)
            return None
    report(run_directory / PID, server.pid)
    return server


def die_with_the_supervisor() -> None:
    """In the server, before it starts: ask Linux to kill it when the supervisor (which has one thread only) dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def watch(server: subprocess.Popen[bytes] | None, parent: int, run_directory: Path) -> None:
    """Return when the parent has closed the pipe or is gone; say so when the server ends before that."""
    reported = server is None
    while os.getppid() == parent:
        readable, _, _ = select.select([sys.stdin.buffer], [], [], LOOK_SECONDS)
        if readable and not os.read(0, 1024):
            return
        if not reported and server is not None and server.poll() is not None:
            report(run_directory / EXIT, server.returncode)
            reported = True
        bound(run_directory)


def bound(run_directory: Path) -> None:
    """Start a new log if the current one has become long; its contents are kept until that happens again."""
    log = run_directory / LOG
    with contextlib.suppress(OSError):
        if log.stat().st_size > MOST_LOG_BYTES:
            shutil.copyfile(log, run_directory / OLD_LOG)
            os.truncate(log, 0)


def report(path: Path, number: int) -> None:
    """Write a number for the parent to read, whole or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_text(str(number))
    draft.rename(path)


def stop(server: subprocess.Popen[bytes], stop_signal: int, grace_seconds: float) -> None:
    """Stop the server in its own way, and after the grace in ours."""
    if server.poll() is not None:
        return
    server.send_signal(stop_signal)
    end = time.monotonic() + grace_seconds
    while server.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    if server.poll() is None:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
