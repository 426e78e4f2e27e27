"""The metrics of a running sync, as JSON and as Prometheus text."""

from __future__ import annotations

import json
import math
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Event, Lock, Thread

from nestling.common.errors import InputError, Problem
from nestling.common.files import write_whole
from nestling.executors.moment import now

LATEST = 20
"""Most copies named, among those that cannot be repaired and those left."""
LAGS_KEPT = 10_000
"""Of so many latest changes the quantiles of the lag are."""
RATE_SECONDS = 10.0
_COUNTERS = {
    "changes": "Changes taken from the stream.",
    "compared": "Documents whose copies were compared with what their sources imply.",
    "written": "Copies written because they differed.",
    "contended": "Copies that changed while they were compared, and were compared again.",
    "refused": "Copies the server refused to change.",
    "sourceless": "Copies whose source is gone, left as they are.",
    "retries": "Attempts repeated after a temporary error.",
    "full_refreshes": "Full comparisons of a copy or computed value.",
    "history_lost": "Times the server's history did not reach back to the resume point.",
}
_GAUGES = {
    "lag_ms": "Milliseconds from the last change to its effect.",
    "lag_p50_ms": "The median of the latest lags.",
    "lag_p99_ms": "The 99th percentile of the latest lags.",
    "lag_changes": "Changes read and not yet applied.",
    "applied_per_second": "Changes applied per second, recently.",
    "waiting": "Large refreshes that wait or run in the background.",
    "active": "1 while this instance holds the lease.",
    "epoch": "How often the lease has been taken.",
}


class Metrics:
    """Counters and gauges; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: Counter[str] = Counter()
        self._gauges: dict[str, float] = {}
        self._lags: deque[float] = deque(maxlen=LAGS_KEPT)
        self._applied: deque[tuple[float, int]] = deque()
        self._words: dict[str, object] = {"state": "starting"}
        self._refused: deque[tuple[str, str]] = deque(maxlen=LATEST)
        self._left: deque[str] = deque(maxlen=LATEST)

    def count(self, name: str, by: int = 1) -> None:
        """Increase a counter by so much."""
        assert name in _COUNTERS, name
        with self._lock:
            self._counts[name] += by

    def set(self, name: str, value: float) -> None:
        """A gauge has a value."""
        assert name in _GAUGES, name
        with self._lock:
            self._gauges[name] = value

    def say(self, **words: object) -> None:
        """Set values in words: the state, the resume point, when scheduled values were last computed."""
        with self._lock:
            self._words |= words

    def refuse(self, what: str, why: str) -> None:
        """Count a copy that cannot be repaired; the latest are named."""
        with self._lock:
            self._counts["refused"] += 1
            self._refused.append((what, why))

    def refused(self) -> dict[str, list[str]]:
        """The latest copies that cannot be repaired, by reason."""
        found: dict[str, list[str]] = {}
        with self._lock:
            for what, why in self._refused:
                found.setdefault(why, []).append(what)
        return found

    def leave(self, what: str) -> None:
        """Record a copy that is left because its source is gone; the latest are named."""
        with self._lock:
            self._counts["sourceless"] += 1
            self._left.append(what)

    def left_copies(self) -> list[str]:
        """The latest copies that were left as their source is gone."""
        with self._lock:
            return list(self._left)

    def applied(self, walls: list[datetime]) -> None:
        """Changes of these moments have had their effect."""
        at, moment = time.monotonic(), now()
        with self._lock:
            self._lags.extend((moment - wall).total_seconds() * 1000 for wall in walls)
            self._applied.append((at, len(walls)))
            while self._applied and self._applied[0][0] < at - RATE_SECONDS:
                self._applied.popleft()

    def counted(self, name: str) -> int:
        """The value of a counter."""
        with self._lock:
            return self._counts[name]

    def snapshot(self) -> dict[str, object]:
        """Everything, as one JSON object; its members are listed in the documentation of `nestling sync`."""
        with self._lock:
            gauges = dict.fromkeys(_GAUGES, 0.0) | self._gauges | self._measured()
            counts = {name: self._counts[name] for name in _COUNTERS}
            refusals = [": ".join(each) for each in self._refused]
            return {**self._words, **counts, **gauges, "refusals": refusals, "left_copies": list(self._left)}

    def _measured(self) -> dict[str, float]:
        ordered = sorted(self._lags)
        since = [count for at, count in self._applied if at >= time.monotonic() - RATE_SECONDS]
        return {
            "lag_ms": round(self._lags[-1], 3) if ordered else 0.0,
            "lag_p50_ms": round(_quantile(ordered, 0.5), 3),
            "lag_p99_ms": round(_quantile(ordered, 0.99), 3),
            "applied_per_second": round(sum(since) / RATE_SECONDS, 1),
        }


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(math.ceil(share * len(ordered)), len(ordered)) - 1] if ordered else 0.0


def prometheus(snapshot: Mapping[str, object], design: str) -> str:
    """The counters and gauges in Prometheus' text format."""
    label = json.dumps(design, ensure_ascii=False)
    lines: list[str] = []
    for kind, names in (("counter", _COUNTERS), ("gauge", _GAUGES)):
        for name, says in names.items():
            full = f"nestling_sync_{name}" + ("_total" if kind == "counter" else "")
            lines += [f"# HELP {full} {says}", f"# TYPE {full} {kind}", f"{full}{{design={label}}} {snapshot[name]}"]
    return "\n".join(lines) + "\n"


@contextmanager
def status_written(metrics: Metrics, path: Path, seconds: float) -> Iterator[None]:
    """Keep the snapshot in a file while the block runs, and write it once more at its end; it is never seen half written.

    Raises `InputError` if that is impossible.
    """
    over = Event()

    def write() -> None:
        while not over.wait(seconds):
            _write(path, metrics.snapshot())

    _write(path, metrics.snapshot())
    thread = Thread(target=write, name="status", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        _write(path, metrics.snapshot())


def _write(path: Path, snapshot: Mapping[str, object]) -> None:
    try:
        write_whole(path, (json.dumps(snapshot, default=str) + "\n").encode())
    except OSError as error:
        what, move = f"the metrics cannot be written: {error.strerror}", "choose a file that can be written"
        raise InputError(Problem(what, where=str(path), next_move=move)) from None
