"""The measured rounds: the same block on every rival, in another order of rivals each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from time import perf_counter

from nestling.executors.drive import Run, Shape, closed, counters
from nestling.ir.trace import Block, Tracer, mix
from nestling.ir.workload import Workload
from nestling.pipeline.proving.check import ask_again
from nestling.pipeline.proving.contender import Contender, in_race
from nestling.pipeline.proving.effort import Effort
from nestling.pipeline.watching import Watch

FIRST_SIZE = 60
"""Executions of the block that warms up and tells how long a block takes."""
MOST_SIZE = 20_000
ASKED_AGAIN = 20
"""Reads a round whose digests differ that are asked again; more of them tell nothing new."""

Kept = dict[str, tuple[Run, ...]]


class Rounds:
    """Runs rounds until the effort is spent; what it has found is with the contenders."""

    def __init__(
        self,
        contenders: list[Contender],
        workload: Workload,
        tracer: Tracer,
        shapes: Mapping[str, Shape],
        effort: Effort,
        watch: Watch | None,
    ) -> None:
        self._contenders, self._workload, self._tracer = contenders, workload, tracer
        self._shapes, self._effort, self._watch = dict(shapes), effort, watch
        self._chance = Random(effort.seed)  # noqa: S311 - an order of rivals, not a secret
        self.done = 0
        self.differed = 0

    def run(self) -> None:
        """Warm up, choose the size of blocks, measure."""
        first = mix(self._workload, FIRST_SIZE)
        began = perf_counter()
        self._round(self._tracer.block(first), "warming up", lambda each, runs: None)
        counts = self._fitting(self._means(), perf_counter() - began, first)
        for number in range(1, self._effort.rounds + 1):
            if self._effort.cache_ratio is not None:
                settle = {name: max(1, count // 4) for name, count in counts.items()}
                self._round(self._tracer.block(settle), f"round {number}: settling", lambda each, runs: None)
            label = f"round {number} of {self._effort.rounds}"
            self._round(self._tracer.block(counts), label, self._keep)
            self.done = number

    def _means(self) -> dict[str, float]:
        """Seconds of each statement, summed over rivals, in the block that warmed up."""
        return {name: sum(times) for name, times in self._first.items()}

    def _round(self, block: Block, label: str, keep: Callable[[Contender, tuple[Run, ...]], None]) -> None:
        racing = in_race(self._contenders)
        self._chance.shuffle(racing)
        found: Kept = {}
        alone = self._effort.clients == 1
        for each in racing:
            if self._watch is not None:
                self._watch(f"{label}: {each.name}", 0, None)
            before = counters(each.database)
            runs = closed(each.running, block, clients=self._effort.clients, shapes=self._shapes if alone else None)
            each.counted += counters(each.database) - before
            each.writes += sum(1 for run in runs if self._writes(run.call.statement))
            found[each.name] = runs
            if failed := next((run for run in runs if run.failed), None):
                each.out(f"`{failed.call.statement}` fails: {failed.failed}")
            else:
                keep(each, runs)
        self._first = _seconds(found)
        if alone:
            self._compare(block, found)

    def _writes(self, statement: str) -> bool:
        known = self._workload.statement(statement)
        return known is not None and known.kind.writes

    def _keep(self, each: Contender, runs: tuple[Run, ...]) -> None:
        by_statement: dict[str, list[float]] = {}
        for run in runs:
            by_statement.setdefault(run.call.statement, []).append(run.seconds)
        for name, seconds in by_statement.items():
            each.seconds.setdefault(name, []).extend(seconds)
        statements = self._workload.statements
        total = sum(one.rate_per_second for one in statements)
        weighted = sum(one.rate_per_second * _mean(by_statement[one.name]) for one in statements)
        each.weights.append(weighted / total)

    def _fitting(self, sums: Mapping[str, float], elapsed: float, first: Mapping[str, int]) -> dict[str, int]:
        """Counts of a block for which all rounds take the effort's seconds, by what the first block took."""
        settling = 1.25 if self._effort.cache_ratio is not None else 1.0
        wanted = self._effort.seconds / (self._effort.rounds * settling)
        overhead = elapsed / max(sum(sums.values()), 1e-9)
        size = FIRST_SIZE
        counts = dict(first)
        while size < MOST_SIZE:
            larger = mix(self._workload, round(size * 1.25))
            seconds = overhead * sum(count * sums[name] / first[name] for name, count in larger.items())
            if seconds > wanted:
                break
            size, counts = round(size * 1.25), larger
        return counts

    def _compare(self, block: Block, found: Kept) -> None:
        """Look again where rivals gave other digests; a write that changed other rows cannot be asked again."""
        names = [each.name for each in in_race(self._contenders)]
        differing = [place for place in range(len(block)) if len({found[name][place].digest for name in names}) > 1]
        for each in in_race(self._contenders):
            each.compared.update(run.call.statement for run in found[each.name])
        self.differed += len(differing)
        for place in (place for place in differing if self._writes(block[place].statement)):
            self._judge_write(block, place, found)
        reads = [place for place in differing if not self._writes(block[place].statement)]
        for place in reads[:ASKED_AGAIN]:
            ask_again(self._contenders, block[place], self._shapes[block[place].statement])

    def _judge_write(self, block: Block, place: int, found: Kept) -> None:
        racing = in_race(self._contenders)
        votes = Counter(found[each.name][place].digest for each in racing)
        right = votes.most_common(1)[0][0]
        for each in racing:
            if found[each.name][place].digest != right:
                each.out(f"`{block[place].statement}` changes other rows than on the other designs")


def _seconds(found: Kept) -> dict[str, list[float]]:
    every: dict[str, list[float]] = {}
    for runs in found.values():
        for run in runs:
            every.setdefault(run.call.statement, []).append(run.seconds)
    return every


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
