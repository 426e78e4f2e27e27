"""Where the prices the search goes by differ from those of what is compiled: `python -m benchmarks.price_gap [WORKLOAD …]`.

For each workload in `benchmarks/workloads`, and the designs `chosen`, `normalized` and `embedded` of each: what an execution of
each statement costs by the options (`planner/options`), and by the plan it is compiled to (`planner/work`), the largest factors
between them first. Needs no server: only `model.yaml` and `workload.sql` are read.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.weigh import statement_costs
from nestling.pipeline import design, inspect
from nestling.pipeline.designing import posed, priced
from nestling.pipeline.proving.statements import predicted
from nestling.planner.options.in_place import with_in_place

WORKLOADS = Path(__file__).parent / "workloads"
DESIGNS = ("chosen", "normalized", "embedded")


@dataclass(frozen=True, slots=True)
class Gap:
    """One statement on one design: seconds an execution by the search's prices and by what is compiled."""

    workload: str
    design: str
    statement: str
    rate: float
    search: float
    compiled: float

    @property
    def factor(self) -> float:
        """How many times the one is the other, at least 1."""
        return max(self.search / self.compiled, self.compiled / self.search)

    @property
    def weight(self) -> float:
        """Seconds a second that lie between them."""
        return abs(self.search - self.compiled) * self.rate


def names() -> list[str]:
    """The workloads there are."""
    return sorted(path.parent.name for path in WORKLOADS.glob("*/model.yaml"))


def read(name: str) -> Reading:
    """The model, statistics and statements of a workload."""
    return inspect(str(WORKLOADS / name / "model.yaml"), workload=WORKLOADS / name / "workload.sql")


def gaps(name: str, designs: Iterable[str] = DESIGNS) -> Iterator[Gap]:
    """Every statement on every design that both can price."""
    reading = read(name)
    known, profile, candidates, _ = posed(reading, None, None)
    for each in designs:
        made = design(reading) if each == "chosen" else design(reading, each)
        there = with_in_place(made.design, candidates)
        problem = priced(known, profile, there.candidates)
        if evaluate(problem, there.chosen) is None:
            continue
        search, compiled = dict(statement_costs(problem, there.chosen)), predicted(made, reading)
        for statement in reading.workload.statements:
            other = compiled[statement.name]
            if other is not None and search.get(statement.name):
                rate = statement.rate_per_second
                mine = search[statement.name]
                yield Gap(name, each, statement.name, rate, mine, other)


def modes(name: str, made: Proposal) -> Iterator[str]:
    """How the search answers each step on a design, with its price."""
    known, profile, candidates, _ = posed(read(name), None, None)
    there = with_in_place(made.design, candidates)
    problem = priced(known, profile, there.candidates)
    found = evaluate(problem, there.chosen)
    assert found is not None, "the design is allowed"
    for step in problem.steps:
        mode = step.modes[found.modes[step.statement, step.name]]
        yield f"{step.statement}, {step.name}: {mode.text} {mode.cost * 1e6:,.0f} µs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", choices=[*names(), []], help="all unless named")
    parser.add_argument("--worst", type=int, default=40, help="lines shown")
    asked = parser.parse_args()
    found = [gap for name in asked.workloads or names() for gap in gaps(name)]
    print("| workload | design | statement | search µs | compiled µs | factor |\n|---|---|---|---|---|---|")
    for gap in sorted(found, key=lambda each: -each.factor)[: asked.worst]:
        shown = f"{gap.search * 1e6:,.0f} | {gap.compiled * 1e6:,.0f} | {gap.search / gap.compiled:.2f}"
        print(f"| {gap.workload} | {gap.design} | {gap.statement} | {shown} |")
    print(
        "\n| design | statements | within 1.5× | within 2× | within 4× | seconds a second apart / compiled |\n|---|---|---|---|---|---|"
    )
    for each in DESIGNS:
        some = [gap for gap in found if gap.design == each]
        if not some:
            continue
        within = " | ".join(f"{sum(gap.factor <= limit for gap in some) / len(some):.0%}" for limit in (1.5, 2, 4))
        apart = sum(gap.weight for gap in some) / sum(gap.compiled * gap.rate for gap in some)
        print(f"| {each} | {len(some)} | {within} | {apart:.0%} |")


if __name__ == "__main__":
    main()
