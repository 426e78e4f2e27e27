"""The result of measuring rival designs on a server: figures for each design and statement, with intervals and the noise floor.

Times are in seconds, rates per second, sizes in bytes. An interval contains the true value in 95 of 100 such runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.quantity_words import counted

ADVISED = "chosen"
"""The name of nestling's recommended design among its rivals."""
YARDSTICKS = ("normalized", "embedded", "tree")
"""Strategies that need no costs, whose designs are measured next to every other."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval of a measured value."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Latency:
    """Quantiles of how long executions took, in seconds, of `runs` executions."""

    p50: float
    p95: float
    p99: float
    mean: float
    runs: int


@dataclass(frozen=True, slots=True)
class Examined:
    """What the server did for one execution on average, by its profiler.

    Counts requests, index keys and documents examined, documents changed, and index keys written.
    """

    requests: float
    keys: float
    documents: float
    documents_written: float
    keys_written: float


@dataclass(frozen=True, slots=True)
class StatementFigures:
    """One statement on one design; `predicted`: the cost model's seconds per execution (None: unknown).

    - `opened`: latencies in the open loop, from the moment an execution was due.
    - `compared`: answers that were compared with other designs; `stale`: those that lagged within what the requirements allow;
      `choices`: those that differ where SQL leaves a choice.
    - `asked`: executions side by side; `refused`: those that broke a constraint of the source.
    """

    name: str
    rate_per_second: float
    writes: bool
    latency: Latency | None = None
    predicted: float | None = None
    opened: Latency | None = None
    examined: Examined | None = None
    compared: int = 0
    stale: int = 0
    choices: int = 0
    asked: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Space:
    """Bytes on disk of documents and of indexes after loading, and bytes of both in the server's cache at the end."""

    data_bytes: int
    index_bytes: int
    cache_bytes: int = 0

    @property
    def disk_bytes(self) -> int:
        """Bytes on disk of documents and indexes together."""
        return self.data_bytes + self.index_bytes


@dataclass(frozen=True, slots=True)
class WritingCost:
    """What writing took: executions of writes, bytes in the server's journal, transactions committed and aborted."""

    writes: int
    journal_bytes: int
    committed: int
    aborted: int

    @property
    def journal_bytes_per_write(self) -> float:
        """Bytes in the journal for one execution of a write."""
        return self.journal_bytes / self.writes if self.writes else 0.0


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """Executions a second that were due and that were reached; `latency` counts from the moment each was due."""

    asked: float
    reached: float
    latency: Latency

    @property
    def kept_up(self) -> bool:
        """Whether the server answered as fast as was asked."""
        return self.reached >= 0.95 * self.asked


@dataclass(frozen=True, slots=True)
class CopyAges:
    """How long a copy had been behind its source when reads of the open loop used it, in seconds.

    `allowed`: how long its freshness allows. `reads`: how many were examined; in `behind` of them the copy was behind, in
    `late` by more than allowed. Quantiles are over all reads, with 0 for a copy that was right. `synced`: a background sync was
    running.
    """

    copy: str
    allowed: float
    synced: bool
    reads: int = 0
    behind: int = 0
    late: int = 0
    p50: float = 0.0
    p95: float = 0.0
    oldest: float = 0.0


@dataclass(frozen=True, slots=True)
class RivalFigures:
    """The figures of one design.

    - `disqualified`: why it does not count (empty: it does); `about`: how it differs from the chosen design.
    - `throughput`: statements of the mix per second. `times`: how many times as long the mix takes as on the chosen design,
      compared round by round. `predicted`: the cost model's seconds for an average statement of the mix.
    - `reverses`: the one decision that an ablation reverses.
    - `structures`: its collections, with a few words on what is special about each.
    """

    name: str
    about: str = ""
    disqualified: str = ""
    throughput: float | None = None
    interval: Interval | None = None
    times: float | None = None
    times_interval: Interval | None = None
    predicted: float | None = None
    space: Space | None = None
    upkeep: WritingCost | None = None
    load_seconds: float | None = None
    opened: OpenLoop | None = None
    statements: tuple[StatementFigures, ...] = ()
    copies: tuple[CopyAges, ...] = ()
    reverses: str = ""
    structures: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether it was measured to the end and gave right answers."""
        return not self.disqualified and self.throughput is not None

    @property
    def stale(self) -> int:
        """Number of answers that lagged within what the requirements allow."""
        return sum(each.stale for each in self.statements)


@dataclass(frozen=True, slots=True)
class Setting:
    """How it was measured: the server, its cache, the duration, the data and the mix.

    `left_out`: statements of the workload that could not be run, so nothing is proved for them.
    """

    server: str
    cache_bytes: int
    rows: int
    clients: int
    rounds: int
    seed: int
    seconds: float
    asked_per_second: float
    reading: str = ""
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class OtherAnswer:
    """A read for which designs gave a different answer than the source, with the values and both answers of one execution.

    `everywhere`: all designs gave the same answer, so the conversion of the statement is wrong, not a design.
    """

    statement: str
    values: tuple[tuple[str, object], ...]
    expected: str
    found: str
    designs: tuple[str, ...]
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class SourceComparison:
    """The designs' answers compared with the SQL source's, before anything was written.

    `product` is the kind of source (empty: it was not asked, and `why_not` says why). `answers` executions of `reads` reads
    were equal on all designs. The other reads, each with the reason, are in `choices` (answered differently where SQL leaves a
    choice), `not_compared` (unknown) and `differences` (answered wrongly).
    """

    product: str = ""
    answers: int = 0
    reads: int = 0
    choices: tuple[tuple[str, str], ...] = ()
    not_compared: tuple[tuple[str, str], ...] = ()
    differences: tuple[OtherAnswer, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """The whole proof.

    `noise`: how far apart two copies of one design were measured, as a share; smaller differences mean nothing. `source` says
    which answers equal the source's. `missing` says what was not measured after all (because a server died), or is empty.
    """

    setting: Setting
    designs: tuple[RivalFigures, ...]
    noise: float
    advised: str = ADVISED
    notes: tuple[str, ...] = ()
    missing: str = ""
    source: SourceComparison = SourceComparison(why_not="it was not queried")

    def design(self, name: str) -> RivalFigures | None:
        """Return the design with that name, if there is one."""
        return next((each for each in self.designs if each.name == name), None)

    @property
    def best(self) -> str:
        """The valid design on which the mix takes the least time, compared round by round; empty if there is none."""
        rated = [(each.times, each.name) for each in self.designs if each.counts and each.times is not None]
        return min(rated)[1] if rated else ""

    @property
    def regret(self) -> float | None:
        """How much longer the mix takes on the chosen design than on the best one, as a share; None if either is missing."""
        best, advised = self.design(self.best), self.design(self.advised)
        if best is None or not best.times or advised is None or not advised.counts:
            return None
        return 1 / best.times - 1

    @property
    def is_best(self) -> bool:
        """Whether no design is faster than the advised one by more than the noise and its own interval."""
        best = self.design(self.best)
        if best is None or best.times is None or best.times_interval is None:
            return False
        return best.name == self.advised or best.times > 1 - self.noise or best.times_interval.high >= 1

    @property
    def equal(self) -> bool:
        """Whether all designs gave the same answers, also as the source if it was asked, and ended with the same rows."""
        return not self.source.differences and not any(each.disqualified for each in self.designs)

    @property
    def choices(self) -> tuple[str, ...]:
        """The statements that designs answered differently where SQL leaves a choice."""
        found = (one.name for each in self.designs for one in each.statements if one.choices)
        return tuple(dict.fromkeys(found))

    @property
    def refused(self) -> tuple[str, ...]:
        """The statements that no execution was done of, as each broke a rule of the source."""
        asked = [one for each in self.designs for one in each.statements if one.asked]
        done = {one.name for one in asked if one.refused < one.asked}
        return tuple(dict.fromkeys(one.name for one in asked if one.name not in done))

    def __repr__(self) -> str:
        """The text for a shell: the designs, the best one, and whether their answers are equal."""
        names, best = ", ".join(each.name for each in self.designs), self.best or "none"
        same = "equal answers" if self.equal else "answers that differ"
        return f"<Proof of {counted(len(self.designs), 'design')} ({names}): best {best}, {same}>"

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        from nestling.ir.words.notebook import proof_html

        return proof_html(self)
