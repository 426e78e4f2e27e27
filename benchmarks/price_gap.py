"""Where the prices the search goes by differ from those of what is compiled: `python -m benchmarks.price_gap [WORKLOAD …]`.

For each workload in `benchmarks/workloads`, and the designs `chosen`, `normalized` and `embedded` of each: what an execution of
each statement costs by the options (`planner/options`), and by the plan it is compiled to (`planner/work`), the largest factors
between them first. Needs no server: only `model.yaml` and `workload.sql` are read. `--random N`: of N random models instead.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nestling.ir.proposal import OPTIMAL
from nestling.ir.reading import Reading
from nestling.pipeline import inspect
from tests.least_cost import designed
from tests.planner.options.spoken_readings import spoken_reading
from tests.two_prices import TwoPrices, two_prices

WORKLOADS = Path(__file__).parent / "workloads"
DESIGNS = ("chosen", "normalized", "embedded")
FACTORS = (1.5, 2.0, 4.0)


@dataclass(frozen=True, slots=True)
class Line:
    """One statement on one design."""

    workload: str
    design: str
    statement: str
    rate: float
    prices: TwoPrices


def names() -> list[str]:
    """The workloads there are."""
    return sorted(path.parent.name for path in WORKLOADS.glob("*/model.yaml"))


def lines(name: str) -> Iterator[Line]:
    """Every statement of a workload on every design that both can price."""
    yield from _lines(name, inspect(str(WORKLOADS / name / "model.yaml"), workload=WORKLOADS / name / "workload.sql"))


def _lines(name: str, reading: Reading) -> Iterator[Line]:
    rates = {statement.name: statement.rate_per_second for statement in reading.workload.statements}
    for each in DESIGNS:
        made = designed(reading, OPTIMAL if each == "chosen" else each)
        for statement, prices in two_prices(reading, made).items():
            yield Line(name, each, statement, rates[statement], prices)


def random_lines(seed: int) -> Iterator[Line]:
    """Every statement of a random model on every design."""
    yield from _lines(f"random {seed}", spoken_reading(seed))


def summary(design_name: str, found: list[Line]) -> str:
    """How many statements agree on a design."""
    some = [line for line in found if line.design == design_name]
    within = [sum(line.prices.factor <= limit for line in some) / max(len(some), 1) for limit in FACTORS]
    apart = sum(abs(line.prices.search - line.prices.compiled) * line.rate for line in some)
    total = sum(line.prices.compiled * line.rate for line in some)
    cells = (design_name, f"{len(some)}", *(f"{share:.0%}" for share in within), f"{apart / total:.0%}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", choices=[*names(), []], help="all unless named")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random models in place of workloads")
    parser.add_argument("--worst", type=int, default=40, help="lines shown")
    asked = parser.parse_args()
    if asked.random:
        found = [line for seed in range(asked.random) for line in random_lines(seed)]
    else:
        found = [line for name in asked.workloads or names() for line in lines(name)]
    print("| workload | design | statement | search µs | compiled µs | search / compiled |\n|---|---|---|---|---|---|")
    for line in sorted(found, key=lambda each: -each.prices.factor)[: asked.worst]:
        search, compiled = line.prices.search, line.prices.compiled
        shown = f"{search * 1e6:,.0f} | {compiled * 1e6:,.0f} | {search / compiled:.2f}"
        print(f"| {line.workload} | {line.design} | {line.statement} | {shown} |")
    within = " | ".join(f"within {limit:g}×" for limit in FACTORS)
    print(f"\n| design | statements | {within} | seconds a second apart / compiled |\n|---|---|---|---|---|---|")
    for each in DESIGNS:
        print(summary(each, found))


if __name__ == "__main__":
    main()
