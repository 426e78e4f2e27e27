"""The advisor's exam: how much faster the best of many designs is than the one nestling advises, measured on a real server.

`python benchmarks/regret.py` takes the workloads of `benchmarks/workloads/` one by one: rows are generated from the statistics in
`model.yaml`, the statements of `workload.sql` get values drawn from those rows, and the advised design runs against normalized,
embedded, tree, the experts' (`*.design.yaml` beside), those with one decision taken another way, and `--random` valid others.

Regret is the time of the mix on the advised design ÷ that on the best − 1. It has two parts: the *search gap* (a design the
cost model says is cheaper was not found) and the *model gap* (the model says another order than the server). `model`
is how well the order of the predicted costs agrees with the order of the measured times (Spearman, 1: wholly). `yardstick` is the
time on the best of normalized, embedded, tree and experts ÷ that on the advised: below 1, the advised loses.
`--writes 10` takes the rates of all writing statements times ten, `--scale` the rows, `--cache-ratio` bounds the server's cache.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from nestling.common.errors import NestlingError
from nestling.ir.proof import Proof, RivalFigures
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statistics import Statistics
from nestling.pipeline import design, inspect
from nestling.pipeline.drawing import bindings
from nestling.pipeline.generating import check_generated, generate, scaled_reading
from nestling.pipeline.proving import Effort, measured_server, prove
from nestling.pipeline.rivals import YARDSTICKS, rivals
from nestling.sources.front import open_rows

WORKLOADS = Path(__file__).parent / "workloads"
COLUMNS = (
    "workload",
    "rows",
    "designs",
    "advised, statements/s",
    "best",
    "regret",
    "by medians",
    "search gap",
    "model",
    "yardstick",
    "noise",
    "wrong",
)


@dataclass(frozen=True, slots=True)
class Exam:
    """One workload measured."""

    name: str
    proposals: dict[str, Proposal]
    proof: Proof
    experts: tuple[str, ...]

    def yardstick(self) -> float | None:
        """The time on the best design made by rule or hand, beside the advised one's."""
        names = {*YARDSTICKS, *self.experts}
        times = [each.times for each in self.counting() if each.name in names and each.times is not None]
        return min(times, default=None)

    def counting(self) -> list[RivalFigures]:
        """The designs that gave right answers to the end."""
        return [each for each in self.proof.designs if each.counts]

    def typical_regret(self) -> float | None:
        """The regret by each statement's median time instead of by all times: what a busy machine disturbs less."""
        times = {each.name: typical(each) for each in self.counting()}
        return times[self.proof.advised] / min(times.values()) - 1 if self.proof.advised in times else None

    def search_gap(self) -> float:
        """How much cheaper, by the model the search uses, the cheapest design tried is than the advised one."""
        costs = [made.costs.cost for made in self.proposals.values() if made.costs is not None]
        advised = self.proposals[self.proof.advised].costs
        return max(0.0, advised.cost / min(costs) - 1) if advised is not None and costs else 0.0

    def agreement(self) -> float | None:
        """How well the order of the predicted costs agrees with the order measured."""
        both = [
            (made.costs.cost, each.times)
            for each in self.counting()
            if (made := self.proposals[each.name]).costs is not None and each.times is not None
        ]
        return spearman([cost for cost, _ in both], [times for _, times in both]) if len(both) > 2 else None


def typical(figures: RivalFigures) -> float:
    """Seconds a second of the mix, every statement taking its median time."""
    return sum(each.rate_per_second * each.latency.p50 for each in figures.statements if each.latency is not None)


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """The correlation of ranks."""
    first, second = ranks(one), ranks(other)
    mean = (len(one) - 1) / 2
    top = sum((a - mean) * (b - mean) for a, b in zip(first, second, strict=True))
    spread = sum((a - mean) ** 2 for a in first) * sum((b - mean) ** 2 for b in second)
    return float(top / spread**0.5) if spread else 0.0


def ranks(values: Sequence[float]) -> list[float]:
    """The place of each value in order, equal ones sharing theirs."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def with_writes(reading: Reading, times: float) -> Reading:
    """The reading with the rates of writing statements so many times as high."""
    statements = tuple(
        replace(each, rate_per_second=each.rate_per_second * times) if each.kind.writes else each
        for each in reading.workload.statements
    )
    return replace(reading, workload=replace(reading.workload, statements=statements))


def with_measured(reading: Reading, found: Statistics) -> Reading:
    """The reading with what its model leaves open about attributes, measured on the rows."""
    known, _ = reading.statistics.merged(Statistics(found.entities))
    return replace(reading, statistics=known)


def examine(folder: Path, asked: argparse.Namespace) -> Exam:
    """Generate, design, measure one workload."""
    reading = inspect(str(folder / "model.yaml"), workload=folder / "workload.sql")
    reading = with_writes(scaled_reading(reading, asked.scale), asked.writes)
    with TemporaryDirectory(prefix="nestling-regret-") as place:
        address = generate(reading, Path(place) / "rows.db", seed=asked.seed)
        for difference in check_generated(reading, address):
            say(f"  generated: {difference}")
        reading = with_measured(reading, inspect(address).statistics)
        source = open_rows(address, reading.model)
        values = bindings(reading, source, seed=asked.seed)
        files = sorted(folder.glob("*.design.yaml"))
        made = dict(rivals(reading, design(reading), files=files, random=asked.random, seed=asked.seed))
        say(f"{folder.name}: {len(made)} designs")
        effort = Effort(
            seconds=asked.seconds * len(made),
            rounds=asked.rounds,
            checks=1,
            open_seconds=0,
            cache_ratio=asked.cache_ratio,
            seed=asked.seed,
        )
        with measured_server(None) as on:
            proof = prove(reading, made, lambda model: open_rows(address, model), values, on, effort=effort)
    return Exam(folder.name, made, proof, tuple(path.stem for path in files))


def row(exam: Exam) -> str:
    """A line of the table."""
    proof, counting = exam.proof, exam.counting()
    advised = proof.design(proof.advised)
    speed = advised.throughput if advised is not None else None
    cells = (
        exam.name,
        f"{proof.setting.rows:,}",
        f"{len(counting)}",
        f"{speed:,.0f}" if speed else "–",
        proof.best or "–",
        f"{proof.regret:.1%}" if proof.regret is not None else "–",
        f"{medians:.1%}" if (medians := exam.typical_regret()) is not None else "–",
        f"{exam.search_gap():.1%}",
        f"{agreement:.2f}" if (agreement := exam.agreement()) is not None else "–",
        f"{yardstick:.2f}×" if (yardstick := exam.yardstick()) is not None else "–",
        f"{proof.noise:.1%}",
        f"{len(proof.designs) - len(counting)}",
    )
    return "| " + " | ".join(cells) + " |"


def why(exam: Exam) -> Iterator[str]:
    """Where the advised design loses: the statements that take longer than on the best one, measured and predicted."""
    best, advised = exam.proof.design(exam.proof.best), exam.proof.design(exam.proof.advised)
    if best is None or advised is None or best.name == advised.name:
        return
    theirs = {each.name: each for each in best.statements}
    lost = []
    for mine in advised.statements:
        other = theirs.get(mine.name)
        if other is None or mine.latency is None or other.latency is None:
            continue
        difference = (mine.latency.mean - other.latency.mean) * mine.rate_per_second
        lost.append((difference, mine, other))
    for difference, mine, other in sorted(lost, key=lambda each: -abs(each[0]))[:4]:
        assert mine.latency is not None
        assert other.latency is not None
        said = f"{micro(mine.predicted)} and {micro(other.predicted)} predicted"
        yield (
            f"  {mine.name}: {micro(mine.latency.mean)} on {advised.name}, {micro(other.latency.mean)} on {best.name}; {said};"
            f" {difference * 1e3:+.2f} ms a second"
        )


def micro(seconds: float | None) -> str:
    """Seconds as microseconds."""
    return f"{seconds * 1e6:,.0f} µs" if seconds is not None else "–"


def summary(exams: Sequence[Exam]) -> str:
    """Median and 95th percentile of the regrets."""
    regrets = sorted(exam.proof.regret for exam in exams if exam.proof.regret is not None)
    if not regrets:
        return "nothing was measured"
    high = regrets[min(len(regrets) - 1, int(0.95 * len(regrets)))]
    yardsticks = [each for exam in exams if (each := exam.yardstick()) is not None]
    lost = sum(each < 1 - exam.proof.noise for exam in exams if (each := exam.yardstick()) is not None)
    return (
        f"median regret {regrets[len(regrets) // 2]:.1%}, p95 {high:.1%} over {len(regrets)} workloads;"
        f" loses to a yardstick by more than the noise on {lost} of {len(yardsticks)}"
    )


def as_json(exam: Exam) -> dict[str, object]:
    """The figures of one workload."""
    designs = {
        each.name: {
            "times": each.times,
            "throughput": each.throughput,
            "cost": costs.cost if (costs := exam.proposals[each.name].costs) is not None else None,
            "disqualified": each.disqualified,
            "statements": {
                one.name: {
                    "rate": one.rate_per_second,
                    "mean": one.latency.mean if one.latency is not None else None,
                    "p50": one.latency.p50 if one.latency is not None else None,
                    "predicted": one.predicted,
                }
                for one in each.statements
            },
        }
        for each in exam.proof.designs
    }
    return {
        "workload": exam.name,
        "best": exam.proof.best,
        "regret": exam.proof.regret,
        "noise": exam.proof.noise,
        "designs": designs,
        "notes": list(exam.proof.notes),
    }


def say(text: str) -> None:
    """To whoever watches; the table goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    known = sorted(path.parent.name for path in WORKLOADS.glob("*/model.yaml"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", choices=[*known, []], help="all unless named")
    parser.add_argument("--random", type=int, default=50, help="other valid designs")
    parser.add_argument("--seconds", type=float, default=6.0, help="of measuring for each design")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--scale", type=float, default=1.0, help="times as many rows")
    parser.add_argument("--writes", type=float, default=1.0, help="times the rates of writes")
    parser.add_argument("--cache-ratio", type=float, help="bytes of data for a byte of cache")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="a file for every figure")
    asked = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    exams: list[Exam] = []
    for name in asked.workloads or known:
        started = time.perf_counter()
        try:
            exams.append(examine(WORKLOADS / name, asked))
        except NestlingError as error:
            say(f"{name}: {error}")
            continue
        print(row(exams[-1]), flush=True)
        say("\n".join((f"{name}: {time.perf_counter() - started:.0f} s", *why(exams[-1]))))
        for each in exams[-1].proof.designs:
            if each.disqualified:
                say(f"  {each.name} does not count: {each.disqualified}")
        if asked.json is not None:
            asked.json.write_text(json.dumps([as_json(exam) for exam in exams], indent=1), encoding="utf-8")
    print(f"\n{summary(exams)}")


if __name__ == "__main__":
    main()
