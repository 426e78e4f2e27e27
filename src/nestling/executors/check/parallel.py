"""Runs checks that only read two at a time, each with its own cursor; those that share a screen run one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import TypeAlias

from nestling.executors.check.checkpoint import CheckProgress
from nestling.ir.drift import CompiledCheck
from nestling.ir.watching import Watch

THREADS = 2
RunPart: TypeAlias = Callable[[Sequence[CompiledCheck], Watch | None, Event], CheckProgress]
"""Does some checks and tells of them, until it is stopped."""


def together(part: RunPart, checks: Sequence[CompiledCheck], report: Watch | None, total: int) -> CheckProgress:
    """All checks by `part`; what they found is in their order. `total`: documents to look at, for `report`."""
    groups, told, stopped = _groups(checks), _Told(report, total), Event()
    with ThreadPoolExecutor(THREADS, "check") as pool:
        started = [pool.submit(part, group, told.of(n), stopped) for n, group in enumerate(groups)]
        try:
            done = [each.result() for each in started]
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return _joined(done, checks)


def _groups(checks: Sequence[CompiledCheck]) -> list[list[CompiledCheck]]:
    """The checks grouped by equal screens, in the order of the first of each group."""
    groups: list[list[CompiledCheck]] = []
    for each in checks:
        same = next((group for group in groups if each.screen is not None and group[0].screen == each.screen), None)
        if same is None:
            groups.append([each])
        else:
            same.append(each)
    return groups


def _joined(done: Sequence[CheckProgress], checks: Sequence[CompiledCheck]) -> CheckProgress:
    verdicts = {key: verdict for each in done for key, verdict in each.verdicts.items()}
    places = {each.check.key: place for place, each in enumerate(checks)}
    findings = sorted((drift for each in done for drift in each.findings), key=lambda drift: places[drift.check])
    unfinished = {key for each in done for key in each.unfinished}
    return CheckProgress(
        {key: verdicts[key] for key in places}, findings, places.keys() - unfinished, unfinished=unfinished
    )


class _Told:
    """What the groups tell, added up."""

    def __init__(self, report: Watch | None, total: int) -> None:
        self._report, self._total = report, total
        self._done: dict[int, int] = {}
        self._lock = Lock()

    def of(self, group: int) -> Watch | None:
        """What one group tells with."""
        report = self._report
        if report is None:
            return None

        def tell(what: str, done: int, total: int | None) -> None:
            del total
            with self._lock:
                self._done[group] = done
                whole = sum(self._done.values())
                report(what, whole, max(self._total, whole))

        return tell
