"""The advisor's exam: how much faster the best of many designs is than the one nestling advises, measured on a real server.

`python -m benchmarks.regret` takes the workloads of `benchmarks/workloads/` one by one: rows are generated from the statistics in
`model.yaml`, the statements of `workload.sql` get values drawn from those rows, and the advised design runs against normalized,
embedded, tree, the experts' (`*.design.yaml` beside), those with one decision taken another way, and `--random` valid others.

Regret is the time of the mix on the advised design ÷ that on the best − 1. It has two parts: the *search gap* (by how much the
cheapest of the designs tried undercuts the advised one by the search's own prices: it was overlooked) and the *model gap* (the
regret of the design that costs least by these prices: the server says another order). The model is asked twice: `search` and
`compiled` are how well the order of the search's prices, and of the prices of what the statements are compiled to, agrees with
the order measured (Spearman, 1: wholly), and `by compiled` is the regret of the design the latter would have picked. `yardstick`
is the time on the best of normalized, embedded, tree and experts ÷ that on the advised: below 1, the advised loses.

`--writes 10` takes the rates of all writing statements times ten, `--scale` the rows, `--cache-ratio` bounds the server's cache;
`--sweep writes`, `data` and `cache` (several may be given) go through several such settings, a line each in the same table.
The best of many is in part the luckiest: the `--finalists` fastest, the advised design and the yardsticks run once more against
each other, four times as long, and regret, yardstick and noise are of that final.

`--again first.json` compares with an earlier run's figures: designs agree whose two times are no further apart than the error
bars of both allow.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.exam import Exam, as_json, why
from benchmarks.exam_again import again
from benchmarks.exam_settings import SWEEPS, Variation, variations
from nestling.common.errors import NestlingError
from nestling.ir.proof import Proof
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statistics import Statistics
from nestling.pipeline import design, inspect
from nestling.pipeline.generating import check_generated, generate, scaled_reading
from nestling.pipeline.parameter_values import bindings
from nestling.pipeline.proving import Effort, measured_server, prove
from nestling.pipeline.rivals import rivals
from nestling.sources.front import open_rows

WORKLOADS = Path(__file__).parent / "workloads"
COLUMNS = (
    "workload",
    "setting",
    "rows",
    "designs",
    "advised, statements/s",
    "best",
    "regret",
    "by medians",
    "search gap",
    "model gap",
    "search",
    "compiled",
    "by compiled",
    "yardstick",
    "noise",
    "wrong",
)


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


def examine(folder: Path, setting: Variation, asked: argparse.Namespace) -> Exam:
    """Generate, design, measure one workload."""
    reading = inspect(str(folder / "model.yaml"), workload=folder / "workload.sql")
    reading = with_writes(scaled_reading(reading, setting.scale), setting.writes)
    with TemporaryDirectory(prefix="nestling-regret-") as place:
        address = generate(reading, Path(place) / "rows.db", seed=asked.seed)
        for difference in check_generated(reading, address):
            say(f"  generated: {difference}")
        reading = with_measured(reading, inspect(address).statistics)
        source = open_rows(address, reading.model)
        values = bindings(reading, source, seed=asked.seed)
        files = sorted(folder.glob("*.design.yaml"))
        made = dict(rivals(reading, design(reading), files=files, random=asked.random, seed=asked.seed))
        say(f"{folder.name}, {setting}: {len(made)} designs")
        experts = tuple(path.stem.removesuffix(".design") for path in files)

        def measured(designs: Mapping[str, Proposal], seconds: float, rounds: int) -> Proof:
            effort = Effort(
                seconds=seconds * len(designs),
                rounds=rounds,
                checks=1,
                open_seconds=0,
                cache_ratio=setting.cache_ratio,
                seed=asked.seed,
            )
            with measured_server(None) as on:
                return prove(reading, designs, lambda model: open_rows(address, model), values, on, effort=effort)

        heats = Exam(folder.name, made, measured(made, asked.seconds, asked.rounds), experts, str(setting))
        again = heats.finalists(asked.finalists)
        return replace(heats, final=measured(again, 4 * asked.seconds, 3 * asked.rounds)) if asked.finalists else heats


def row(exam: Exam) -> str:
    """A line of the table."""
    proof, counting = exam.proof, exam.counting()
    advised = proof.design(proof.advised)
    speed = advised.throughput if advised is not None else None
    cells = (
        exam.name,
        exam.setting,
        f"{proof.setting.rows:,}",
        f"{len(counting)}",
        f"{speed:,.0f}" if speed else "–",
        proof.best or "–",
        share(proof.regret),
        share(exam.typical_regret()),
        f"{exam.search_gap():.1%}",
        share(exam.model_gap()),
        correlation(exam.search_agreement()),
        correlation(exam.agreement(exam.compiled())),
        share(exam.compiled_regret()),
        f"{yardstick:.2f}×" if (yardstick := exam.yardstick()) is not None else "–",
        f"{proof.noise:.1%}",
        f"{len(exam.measured()) - len(counting)}",
    )
    return "| " + " | ".join(cells) + " |"


def share(value: float | None) -> str:
    """A share as a percentage."""
    return f"{value:.1%}" if value is not None else "–"


def correlation(value: float | None) -> str:
    """A correlation to two places."""
    return f"{value:.2f}" if value is not None else "–"


def summary(exams: Sequence[Exam]) -> str:
    """Median and 95th percentile of the regrets."""
    regrets = sorted(exam.proof.regret for exam in exams if exam.proof.regret is not None)
    if not regrets:
        return "nothing was measured"
    high = regrets[min(len(regrets) - 1, int(0.95 * len(regrets)))]
    yardsticks = [each for exam in exams if (each := exam.yardstick()) is not None]
    lost = sum(each < 1 - exam.proof.noise for exam in exams if (each := exam.yardstick()) is not None)
    return (
        f"median regret {regrets[len(regrets) // 2]:.1%}, p95 {high:.1%} over {len(regrets)} lines;"
        f" loses to a yardstick by more than the noise on {lost} of {len(yardsticks)}"
    )


def say(text: str) -> None:
    """To whoever watches; the table goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    known = sorted(path.parent.name for path in WORKLOADS.glob("*/model.yaml"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", choices=[*known, []], help="all unless named")
    parser.add_argument("--random", type=int, default=50, help="other valid designs, or all where there are fewer")
    parser.add_argument("--seconds", type=float, default=6.0, help="of measuring for each design")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--finalists", type=int, default=4, help="fastest designs that run again; 0: none")
    parser.add_argument("--scale", type=float, default=1.0, help="times as many rows")
    parser.add_argument("--writes", type=float, default=1.0, help="times the rates of writes")
    parser.add_argument("--cache-ratio", type=float, help="bytes of data for a byte of cache")
    parser.add_argument("--sweep", choices=SWEEPS, action="append", default=[], help="settings to go through as well")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", type=Path, help="the --json of an earlier run, to compare with")
    parser.add_argument("--json", type=Path, help="a file for every figure")
    asked = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    exams: list[Exam] = []
    base = Variation(asked.writes, asked.scale, asked.cache_ratio)
    for name, setting in product(asked.workloads or known, variations(base, asked.sweep)):
        started = time.perf_counter()
        try:
            exams.append(examine(WORKLOADS / name, setting, asked))
        except NestlingError as error:
            say(f"{name}, {setting}: {error}")
            continue
        print(row(exams[-1]), flush=True)
        say("\n".join((f"{name}: {time.perf_counter() - started:.0f} s", *why(exams[-1]))))
        for each in exams[-1].measured():
            if each.disqualified:
                say(f"  {each.name} does not count: {each.disqualified}")
        if asked.json is not None:
            asked.json.write_text(json.dumps([as_json(exam) for exam in exams], indent=1), encoding="utf-8")
    print(f"\n{summary(exams)}")
    if asked.again is not None:
        print("\n".join(again(json.loads(asked.again.read_text(encoding="utf-8")), [as_json(exam) for exam in exams])))


if __name__ == "__main__":
    main()
