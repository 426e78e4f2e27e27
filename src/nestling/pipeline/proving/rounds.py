"""The measured rounds: the same block on every rival, slice by slice, with the rivals in a new order each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from random import Random
from time import perf_counter

from nestling.executors.drive import AnswerShape, TimedExecution, counters, run_in_order
from nestling.ir.trace import Block, Tracer, mix
from nestling.ir.watching import Watch
from nestling.ir.workload import Workload
from nestling.pipeline.proving.contender import Contender, in_race
from nestling.pipeline.proving.effort import Effort
from nestling.pipeline.proving.side_by_side import ask_again

FIRST_SIZE = 60
"""Most executions in the warm-up block, which also shows how long a block takes."""
WARMING_BLOCKS = 3
"""How often it runs: twice to warm up, once on each rival alone for the server's counters."""
SMALLEST_SIZE, MOST_SIZE = 10, 20_000
"""Executions in a round."""
LEAST_READS, LEAST_WRITES = 10, 5
"""Executions of a seldom statement in all rounds together."""
SLICE = 8
"""Executions on one rival before the next one's turn."""
FEWEST_ROUNDS = 4
"""Fewest rounds for a confidence interval."""
ASKED_AGAIN = 20
"""Most reads per round that are repeated because their digests differ; more would show nothing new."""

_Kept = Mapping[str, Sequence[TimedExecution]]


class Rounds:
    """Runs rounds until the effort is spent, and stores the results in the contenders."""

    def __init__(
        self,
        contenders: list[Contender],
        workload: Workload,
        tracer: Tracer,
        shapes: Mapping[str, AnswerShape],
        effort: Effort,
        watch: Watch | None,
        *,
        began: float,
    ) -> None:
        self._contenders, self._workload, self._tracer = contenders, workload, tracer
        self._shapes, self._effort, self._watch = dict(shapes), effort, watch
        self._chance = Random(effort.seed)  # noqa: S311 - an order of rivals, not a secret
        self._until = began + effort.within_seconds
        self.done = 0

    def run(self) -> None:
        """Warm up, choose the size of blocks, measure."""
        first, took, sums = self._warmed_up()
        overhead = took / max(sum(count * sums[name] for name, count in first.items()), 1e-9)
        wanted = self._fitting({name: overhead * seconds for name, seconds in sums.items()})
        self._counting(first)
        for number in range(1, self._effort.rounds + 1):
            if self.done >= FEWEST_ROUNDS and perf_counter() > self._until:
                break
            counts = {name: _part(total, number, self._effort.rounds) for name, total in wanted.items()}
            label = f"round {number} of {self._effort.rounds}"
            if self._effort.cache_ratio is not None:
                self._round(self._tracer.block(counts), f"{label}, settling", keep=False)
            self._round(self._tracer.block(counts), label, keep=True)
            self.done = number

    def _warmed_up(self) -> tuple[dict[str, int], float, dict[str, float]]:
        """Return a warm-up block as large as time allows, its seconds, and the seconds of each statement on all rivals.

        Each statement comes once. If that takes longer than the warm-up may, nothing is added: all answers have been compared
        before.
        """
        once = mix(self._workload, 0, least_reads=1, least_writes=1)
        took, sums = self._timed(once)
        fitting = int(self._effort.warming_seconds / WARMING_BLOCKS / max(took / len(once), 1e-9))
        if fitting < len(once):
            return once, took, sums
        wanted = mix(self._workload, min(fitting, FIRST_SIZE))
        first = wanted if sum(wanted.values()) <= fitting else once
        self._timed(first)
        return first, *self._timed(first)

    def _timed(self, counts: Mapping[str, int]) -> tuple[float, dict[str, float]]:
        began = perf_counter()
        runs = self._round(self._tracer.block(counts), "warming up", keep=False)
        return perf_counter() - began, _sums(runs)

    def _round(self, block: Block, label: str, *, keep: bool) -> _Kept:
        """Run a block on all rivals slice by slice, so that a busy moment of the machine affects all of them alike."""
        alone = self._effort.clients == 1
        whole = not alone or self._effort.cache_ratio is not None
        step = len(block) if whole else SLICE
        found: dict[str, list[TimedExecution]] = {each.name: [] for each in in_race(self._contenders)}
        if self._watch is not None:
            self._watch(label, 0, None)
        for start in range(0, len(block), step):
            racing = in_race(self._contenders)
            self._chance.shuffle(racing)
            for each in racing:
                runs = self._slice(each, block[start : start + step])
                found[each.name] += runs
        if keep:
            for each in in_race(self._contenders):
                each.rounds.append(_by_statement(found[each.name]))
        if alone:
            self._compare(block, found)
        return found

    def _slice(self, each: Contender, calls: Block) -> tuple[TimedExecution, ...]:
        alone = self._effort.clients == 1
        runs = run_in_order(each.running, calls, clients=self._effort.clients, shapes=self._shapes if alone else None)
        if failed := next((run for run in runs if run.failed), None):
            each.out(f"`{failed.call.statement}` fails: {failed.failed}")
        return runs

    def _counting(self, counts: Mapping[str, int]) -> None:
        """A block on each rival alone, for the server's counters around it."""
        block = self._tracer.block(counts)
        found: dict[str, list[TimedExecution]] = {}
        for each in in_race(self._contenders):
            before = counters(each.database)
            found[each.name] = list(self._slice(each, block))
            each.counted += counters(each.database) - before
            each.writes += sum(1 for call in block if self._writes(call.statement))
        if self._effort.clients == 1:
            self._compare(block, found)

    def _writes(self, statement: str) -> bool:
        known = self._workload.statement(statement)
        return known is not None and known.kind.writes

    def _fitting(self, sums: Mapping[str, float]) -> dict[str, int]:
        """How often each statement is executed in all rounds together, for them to take the effort's seconds.

        `sums` are the seconds of one execution on all rivals together, by the first block.
        """
        rounds = self._effort.rounds
        seconds = self._effort.seconds / (2.0 if self._effort.cache_ratio is not None else 1.0)
        size = SMALLEST_SIZE
        counts = mix(self._workload, size * rounds, least_reads=LEAST_READS, least_writes=LEAST_WRITES)
        while size < MOST_SIZE:
            size = round(size * 1.25)
            larger = mix(self._workload, size * rounds, least_reads=LEAST_READS, least_writes=LEAST_WRITES)
            if sum(count * sums[name] for name, count in larger.items()) > seconds:
                break
            counts = larger
        return counts

    def _compare(self, block: Block, found: _Kept) -> None:
        """Look again where rivals gave other digests; a write that changed other rows cannot be asked again."""
        names = [each.name for each in in_race(self._contenders)]
        differing = [place for place in range(len(block)) if len({found[name][place].digest for name in names}) > 1]
        for each in in_race(self._contenders):
            each.compared.update(run.call.statement for run in found[each.name])
        for place in (place for place in differing if self._writes(block[place].statement)):
            self._judge_write(block, place, found)
        reads = [place for place in differing if not self._writes(block[place].statement)]
        for place in reads[:ASKED_AGAIN]:
            ask_again(self._contenders, block[place], self._shapes[block[place].statement])

    def _judge_write(self, block: Block, place: int, found: _Kept) -> None:
        racing = in_race(self._contenders)
        votes = Counter(found[each.name][place].digest for each in racing)
        right = votes.most_common(1)[0][0]
        for each in racing:
            if found[each.name][place].digest != right:
                each.out(f"`{block[place].statement}` changes different rows than on the other designs")


def _sums(found: _Kept) -> dict[str, float]:
    """Seconds an execution of each statement takes on average, summed over rivals."""
    sums: dict[str, float] = {}
    for runs in found.values():
        times = Counter(run.call.statement for run in runs)
        for run in runs:
            sums[run.call.statement] = sums.get(run.call.statement, 0.0) + run.seconds / times[run.call.statement]
    return sums


def _by_statement(runs: Sequence[TimedExecution]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for run in runs:
        found.setdefault(run.call.statement, []).append(run.seconds)
    return found


def _part(total: int, number: int, rounds: int) -> int:
    """How many of `total` executions are in round `number`, when they are spread evenly; the first round has at least one."""
    return ceil(total * number / rounds) - ceil(total * (number - 1) / rounds)
