"""One workload of the exam: the designs, what the model said of them, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nestling.ir.proof import YARDSTICKS, Proof, RivalFigures
from nestling.ir.proposal import Proposal


@dataclass(frozen=True, slots=True)
class Exam:
    """One workload measured: all designs in `heats`, and those that might be the best once more, for longer, in the `final`.

    Of many designs measured with some noise the fastest is in part the luckiest, so that only the final says who won. The times
    of `heats` are those of the designs that came no further.
    """

    name: str
    proposals: dict[str, Proposal]
    heats: Proof
    experts: tuple[str, ...]
    setting: str = ""
    final: Proof | None = None

    @property
    def proof(self) -> Proof:
        """The last word: the final, where there was one."""
        return self.final or self.heats

    def finalists(self, count: int) -> dict[str, Proposal]:
        """The advised design, those made by rule or hand, and the fastest `count` of the others."""
        order = sorted((times, name) for name, times in self.times().items())
        fixed = {self.proof.advised, *YARDSTICKS, *self.experts}
        rest = [name for _, name in order if name not in fixed][:count]
        return {name: made for name, made in self.proposals.items() if name in fixed or name in rest}

    def yardstick(self) -> float | None:
        """The time on the best design made by rule or hand, beside the advised one's."""
        names = {*YARDSTICKS, *self.experts}
        times = [each.times for each in self.counting() if each.name in names and each.times is not None]
        return min(times, default=None)

    def measured(self) -> list[RivalFigures]:
        """Every design's last figures."""
        again = {each.name for each in self.proof.designs}
        return [*self.proof.designs, *(each for each in self.heats.designs if each.name not in again)]

    def counting(self) -> list[RivalFigures]:
        """The designs that gave right answers to the end."""
        return [each for each in self.measured() if each.counts]

    def typical_regret(self) -> float | None:
        """The regret by each statement's median time instead of by all times: what a busy machine disturbs less."""
        times = {each.name: typical(each) for each in self.counting()}
        again = {name: times[name] for name in self._contested() if name in times}
        return times[self.proof.advised] / min(again.values()) - 1 if self.proof.advised in times else None

    def search_gap(self) -> float:
        """How much cheaper, by the model the search uses, the cheapest design tried is than the advised one."""
        costs = [made.costs.cost for made in self.proposals.values() if made.costs is not None]
        advised = self.proposals[self.proof.advised].costs
        return max(0.0, advised.cost / min(costs) - 1) if advised is not None and costs else 0.0

    def model_gap(self) -> float | None:
        """The regret of the design that costs least by the prices the search goes by: lost though nothing was overlooked."""
        costs = {name: made.costs.cost for name, made in self.proposals.items() if made.costs is not None}
        times = self.times()
        known = sorted(((cost, name != self.proof.advised, name) for name, cost in costs.items() if name in times))
        return times[known[0][2]] / self._shortest() - 1 if known else None

    def search_agreement(self) -> float | None:
        """How well the order of the prices the search goes by agrees with the order measured."""
        costs = {name: made.costs.cost for name, made in self.proposals.items() if made.costs is not None}
        return self.agreement(costs)

    def compiled(self) -> dict[str, float]:
        """The price of the mix by what its statements are compiled to, of designs that have one for each statement."""
        return {each.name: each.predicted for each in self.counting() if each.predicted is not None}

    def agreement(self, prices: Mapping[str, float]) -> float | None:
        """How well the order of some prices agrees with the order measured."""
        both = [(prices[name], times) for name, times in self.times().items() if name in prices]
        return spearman([price for price, _ in both], [times for _, times in both]) if len(both) > 2 else None

    def compiled_regret(self) -> float | None:
        """The regret of the design that costs least by what its statements are compiled to."""
        prices, times = self.compiled(), self.times()
        return times[min(prices, key=prices.__getitem__)] / self._shortest() - 1 if prices else None

    def times(self) -> dict[str, float]:
        """How long the mix takes, beside the advised design."""
        return {each.name: each.times for each in self.counting() if each.times is not None}

    def _contested(self) -> set[str]:
        return {each.name for each in self.proof.designs if each.counts}

    def _shortest(self) -> float:
        """The time of the winner, which is one of the last ones measured."""
        times, contested = self.times(), self._contested()
        return min(each for name, each in times.items() if name in contested)


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


def as_json(exam: Exam) -> dict[str, object]:
    """The figures of one workload."""
    designs = {
        each.name: {
            "times": each.times,
            "times_interval": [each.times_interval.low, each.times_interval.high] if each.times_interval else None,
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
        for each in exam.measured()
    }
    return {
        "workload": exam.name,
        "setting": exam.setting,
        "best": exam.proof.best,
        "regret": exam.proof.regret,
        "noise": exam.proof.noise,
        "designs": designs,
        "notes": list(exam.proof.notes),
    }
