"""How a mongod ended, according to its exit code and its log."""

from __future__ import annotations

import json
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from nestling.common.errors import Problem, ServerError
from nestling.common.files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from nestling.common.supervised import Supervised

KEPT_LOG = "nestling-mongod.log"
"""The log of a server that ended by itself, in its data directory; that of the next one takes its place."""
LOG_LINES_SHOWN = 5
LAST_LINES = 50
"""Only trouble within so many last lines can be the reason for the server's end."""
MOST_SHOWN = 240
"""Characters of a line: mongod puts whole backtraces into one."""
REPORT_SECONDS = 1.0
"""How long the supervisor may take to say how its server ended; a tenth of that is usual."""


def ended_by_itself(process: Supervised, data: Path, *, is_kept: bool) -> ServerError:
    """Say how a server that nobody here has stopped came to its end; keeps its log where its data is kept."""
    end = time.monotonic() + REPORT_SECONDS
    while not process.ended() and time.monotonic() < end:
        time.sleep(0.01)
    code, log = process.exit_code(), process.log_text()
    said = f": {exit_words(code)}" if code is not None else ""
    move = "start it again"
    if is_kept:
        with suppress(OSError):
            write_whole(data / KEPT_LOG, log.encode())
            move += f"; its full log is in {data / KEPT_LOG}"
    if code == -signal.SIGKILL:
        move = f"check with `dmesg` whether memory ran out, and {move}"
    what = f"mongod has stopped unexpectedly{said}; the end of its log:\n{log_end(log, LAST_LINES)}"
    return ServerError(Problem(what, where=str(data), next_move=move))


def exit_words(code: int) -> str:
    """The exit code of a process in words; it is negative where a signal ended it."""
    if code >= 0:
        return f"exit code {code}" + (", as after a request to stop" if code == 0 else "")
    try:
        name = f" ({signal.Signals(-code).name})"
    except ValueError:
        name = ""
    return f"killed by signal {-code}{name}" + (": out of memory?" if code == -signal.SIGKILL else "")


def log_end(log: str, among: int | None = None) -> str:
    """The last lines of the log that tell of trouble, or just the last lines when none of the last so many does."""
    lines = [line for line in log.splitlines() if line.strip()]
    entries = [_log_entry(line) for line in (lines[-among:] if among else lines)]
    troubles = [text for severity, text in entries if severity in ("F", "E")]
    shown = troubles or [text for _, text in entries]
    return "\n".join(f"    {_cut(text)}" for text in shown[-LOG_LINES_SHOWN:]) or "    (the log is empty)"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} …"


def _log_entry(line: str) -> tuple[str, str]:
    """Take the severity and what a person wants to read from one line of mongod's JSON log."""
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return ("", line)
    attributes = f" {json.dumps(entry['attr'])}" if entry.get("attr") else ""
    return (entry.get("s", ""), f"{entry.get('msg', line)}{attributes}")
