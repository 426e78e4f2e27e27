"""How long something takes when nobody else is there: the wall clock, or the processor time of server and client if less.

On a busy machine the wall clock counts the turns of others, which long runs never escape. Processor time does not. Of the server
only the threads that answer clients count, not its work in the background.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

NANOSECONDS = 1e-9


def undisturbed_seconds(run: Callable[[], object], server: int | None) -> float:
    """Seconds of one run; `server`: the process id of the server it asks, None when it cannot be told."""
    of_server, of_client, began = _used(server), time.process_time(), time.perf_counter()
    run()
    wall, client = time.perf_counter() - began, time.process_time() - of_client
    after = _used(server)
    if after is None or of_server is None or after < of_server:  # a thread that has ended takes its time with it
        return wall
    return min(wall, client + after - of_server)


def _used(process: int | None) -> float | None:
    """Processor seconds of a server's threads for clients so far, where the kernel says (Linux)."""
    found = [_thread(each) for each in Path(f"/proc/{process}/task").glob("*")] if process else []
    return sum(found) * NANOSECONDS if found else None


def _thread(thread: Path) -> int:
    try:
        answers = (thread / "comm").read_text().startswith("conn")
        return int((thread / "schedstat").read_text().split()[0]) if answers else 0
    except OSError:
        return 0
