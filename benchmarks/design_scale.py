"""Time to a proved design on generated models: small-world graphs of entities, mixed reads and writes of 0 to 4 hops.

    .venv/bin/python -m benchmarks.design_scale [ENTITIES/RELATIONSHIPS/STATEMENTS …] [--seed N] [--limit SECONDS] [--chart]

Everything counts: proposing candidates, counting the work of every way to answer, pricing, building the program, solving it and
proving the optimum. A size runs in a process of its own, whose peak memory is shown.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from typing import TypeAlias

from nestling.cost import default_profile, price
from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.reading import Reading
from nestling.ir.rows import AggregateKind
from nestling.ir.situation import Thresholds, situation
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, RelationshipStatistics, Statistics
from nestling.ir.types import Type, TypeName
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement, StatementKind, Workload
from nestling.optimizer import check, solve
from nestling.patterns import propose
from nestling.planner.options import design_problem

Size: TypeAlias = tuple[int, int, int]
"""Entities, relationships and statements."""
SIZES: tuple[Size, ...] = (
    (10, 30, 50),
    (30, 100, 200),
    (100, 500, 1000),
    (300, 1500, 3000),
    (1000, 5000, 10000),
)
ATTRIBUTES = 6
REWIRED = 0.2
"""Share of the ring's links that go somewhere else (Watts and Strogatz)."""
READS = 0.7
HEAD = (
    "entities",
    "relationships",
    "statements",
    "candidates",
    "modes",
    "prepare s",
    "solve s",
    "prepare CPU s",
    "solve CPU s",
    "gap",
    "proved",
    "peak MB",
)


def model_of(entities: int, relationships: int, chance: random.Random) -> Model:
    """Entities on a ring, each referring to its nearest neighbours, some links rewired; parents come before their children."""
    names = [f"e{number}" for number in range(entities)]
    pairs: dict[tuple[int, int], None] = {}
    distance = 1
    while len(pairs) < relationships:
        for one in range(entities):
            other = (one + distance) % entities
            if chance.random() < REWIRED:
                other = chance.randrange(entities)
            parent, child = min(one, other), max(one, other)
            if parent != child and len(pairs) < relationships:
                pairs[parent, child] = None
        distance = distance % max(entities - 1, 1) + 1
    integer, text = Type(TypeName.INTEGER), Type(TypeName.TEXT)
    foreign: dict[int, list[str]] = {number: [] for number in range(entities)}
    for parent, child in pairs:
        foreign[child].append(f"e{parent}_id")
    made = tuple(
        Entity(
            name,
            (
                Attribute("id", integer, nullable=False),
                *(Attribute(f"a{n}", text) for n in range(ATTRIBUTES)),
                *(Attribute(key, integer, nullable=False) for key in foreign[number]),
            ),
            ("id",),
        )
        for number, name in enumerate(names)
    )
    links = tuple(
        Relationship(
            f"e{parent}_e{child}", f"e{parent}", f"e{child}", ("id",), (f"e{parent}_id",), Cardinality.ONE_TO_MANY, True
        )
        for parent, child in pairs
    )
    return Model("generated", made, links)


def statistics_of(model: Model, chance: random.Random) -> Statistics:
    """Counts and fan-outs, most of them small, some huge."""
    counts = {entity.name: float(round(10 ** chance.uniform(2, 6))) for entity in model.entities}
    entities = tuple(
        (
            entity.name,
            EntityStatistics(
                Quantity(counts[entity.name]),
                attributes=tuple(
                    (a.name, AttributeStatistics(average_bytes=Quantity(float(chance.choice((4, 8, 20, 80))))))
                    for a in entity.attributes
                ),
            ),
        )
        for entity in model.entities
    )
    links = []
    for link in model.relationships:
        mean = counts[link.child] / counts[link.parent]
        spread = chance.choice((2.0, 3.0, 10.0, 1000.0))
        links.append(
            (
                link.name,
                RelationshipStatistics(
                    mean=Quantity(mean),
                    p99=Quantity(max(mean * min(spread, 3), 1.0)),
                    maximum=Quantity(max(mean * spread, 1.0)),
                ),
            )
        )
    return Statistics(entities, tuple(links))


def statements_of(model: Model, count: int, chance: random.Random) -> Iterator[Statement]:
    """Reads that walk 0 to 4 hops from a key or a value, and writes."""
    around: dict[str, list[Relationship]] = {entity.name: [] for entity in model.entities}
    for link in model.relationships:
        around[link.parent].append(link)
        around[link.child].append(link)
    for number in range(count):
        start = chance.choice(model.entities).name
        rate = round(10 ** chance.uniform(-2, 3), 3)
        if chance.random() < READS:
            yield Statement(
                f"s{number}", "SELECT 1", StatementKind.SELECT, rate, accesses=tuple(_walk(start, around, chance))
            )
            continue
        kind = chance.choice((StatementKind.INSERT, StatementKind.UPDATE, StatementKind.UPDATE, StatementKind.DELETE))
        found = () if kind is StatementKind.INSERT else (AttributeFilter("id", Operator.EQUALITY),)
        written = (f"a{chance.randrange(ATTRIBUTES)}",) if kind is StatementKind.UPDATE else ()
        yield Statement(f"s{number}", "UPDATE", kind, rate, accesses=(Access(start, kind, written, found),))


def _walk(start: str, around: dict[str, list[Relationship]], chance: random.Random) -> Iterator[Access]:
    read = StatementKind.SELECT
    first = chance.choice(("id", "id", f"a{chance.randrange(ATTRIBUTES)}"))
    yield Access(start, read, ("id", *_shown(chance)), (AttributeFilter(first, Operator.EQUALITY),))
    here = start
    for _ in range(chance.randint(0, 4)):
        if not around[here]:
            return
        link = chance.choice(around[here])
        here = link.child if here == link.parent else link.parent
        aggregates = ((AggregateKind.COUNT, None),) if here == link.child and chance.random() < 0.1 else ()
        yield Access(here, read, () if aggregates else _shown(chance), via=link.name, aggregates=aggregates)
        if aggregates:
            return


def _shown(chance: random.Random) -> tuple[str, ...]:
    return tuple(sorted(f"a{n}" for n in chance.sample(range(ATTRIBUTES), chance.randint(1, 3))))


def reading_of(entities: int, relationships: int, statements: int, seed: int) -> Reading:
    """A generated model with its statistics and workload; the same for the same seed."""
    chance = random.Random(seed)
    model = model_of(entities, relationships, chance)
    statistics = statistics_of(model, chance)
    return Reading(model, Workload(tuple(statements_of(model, statements, chance))), statistics)


def measure(size: Size, seed: int, limit: float) -> tuple[object, ...]:
    """One row of the table."""
    entities, relationships, statements = size
    reading = reading_of(entities, relationships, statements, seed)
    began, began_cpu = time.perf_counter(), time.process_time()
    known = situation(reading, Thresholds())
    candidates = propose(known)
    problem = design_problem(known, candidates, partial(price, profile=default_profile()))
    prepared, prepared_cpu = time.perf_counter(), time.process_time()
    solution = solve(problem, limit_seconds=limit)
    solved, solved_cpu = time.perf_counter(), time.process_time()
    check(problem, solution)
    modes = sum(len(step.modes) for step in problem.steps)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = (prepared - began, solved - prepared, prepared_cpu - began_cpu, solved_cpu - prepared_cpu)
    proof = (f"{solution.gap:.1e}", "yes" if solution.proved else "no", f"{peak:,.0f}")
    return entities, relationships, statements, len(candidates), modes, *(f"{each:.1f}" for each in seconds), *proof


def _size(text: str) -> Size:
    entities, relationships, statements = map(int, text.split("/"))
    return entities, relationships, statements


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=SIZES, type=_size, metavar="ENTITIES/RELATIONSHIPS/STATEMENTS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--chart", action="store_true", help="also time against size as a Mermaid chart")
    given, rows = parser.parse_args(), list[tuple[object, ...]]()
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for size in given.sizes:
        with get_context("spawn").Pool(1) as pool:
            rows.append(pool.apply(measure, (size, given.seed, given.limit)))
        print("| " + " | ".join(map(str, rows[-1])) + " |", flush=True)
    if given.chart:
        print(chart(rows))
    return 0


def chart(rows: list[tuple[object, ...]]) -> str:
    """Processor seconds against statements, as Mermaid draws it."""
    seconds = [
        float(str(row[HEAD.index("prepare CPU s")])) + float(str(row[HEAD.index("solve CPU s")])) for row in rows
    ]
    sizes = ", ".join(f'"{row[HEAD.index("statements")]}"' for row in rows)
    lines = (
        "xychart-beta",
        '    title "Processor seconds to a proved design"',
        f'    x-axis "statements" [{sizes}]',
        '    y-axis "seconds"',
        f"    line [{', '.join(f'{each:.1f}' for each in seconds)}]",
    )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
