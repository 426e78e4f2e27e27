"""Designs for real schemas, read from their DDL, with generated statistics and workloads; prints a Markdown table.

    .venv/bin/python -m benchmarks.ddl_designs [FOLDER] [--seed N] [--limit SECONDS] [--only NAME …]

Two statements for each table on average: reads by key or by a foreign key that join 0 to 3 tables along the declared keys,
inserts, updates and deletes, all written as SQL and read like any workload file. Everything counts but reading the DDL:
reading the statements, candidates, prices, search and proof; then, apart, weighing the decisions for their explanation. Each
schema runs in a process of its own.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from benchmarks.ddl import CASES
from benchmarks.design_scale import statistics_of
from nestling.ir.model import Cardinality, Entity, Model, Relationship
from nestling.ir.statistics import Quantity, Statistics
from nestling.optimizer import check, solve
from nestling.pipeline.designing import explained_proposal, posed_problem
from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload
from tests.shared_cases import required

STATEMENTS_PER_ENTITY = 2
MOST_HOPS = 3
READS = 0.7
HEAD = (
    "schema",
    "entities",
    "relationships",
    "statements",
    "not understood",
    "candidates",
    "modes",
    "processor s",
    "wall s",
    "explained, processor s",
    "cost s/s",
    "gap",
    "proved",
    "peak MB",
)


def workload_text(model: Model, chance: random.Random) -> str:
    """A workload file over a model; the same for the same chance."""
    around: dict[str, list[Relationship]] = {entity.name: [] for entity in model.entities}
    for link in model.relationships:
        around[link.parent].append(link)
        around[link.child].append(link)
    blocks = []
    for number in range(STATEMENTS_PER_ENTITY * len(model.entities)):
        entity = chance.choice(model.entities)
        said = _read(model, entity, around, chance) if chance.random() < READS else _write(entity, chance)
        blocks.append(f"-- name: s{number}, rate: {10 ** chance.uniform(-2, 3):.3f}/s\n{said};\n")
    return "\n".join(blocks)


def _read(model: Model, entity: Entity, around: dict[str, list[Relationship]], chance: random.Random) -> str:
    """A SELECT that walks along foreign keys from rows found by their key, or by a foreign key."""
    joins, last = [], (entity, "t0")
    shown = list(_shown(entity, "t0", chance))
    for number in range(1, chance.randint(0, MOST_HOPS) + 1):
        here, alias = last
        links = [link for link in around[here.name] if not link.is_self]
        if not links:
            break
        link, new = chance.choice(links), f"t{number}"
        down = link.parent == here.name
        there = model.entity(link.child if down else link.parent)
        ours, theirs = (link.parent_attributes, link.child_attributes)[:: 1 if down else -1]
        on = " AND ".join(f'{new}."{b}" = {alias}."{a}"' for a, b in zip(ours, theirs, strict=True))
        joins.append(f'JOIN "{there.name}" {new} ON {on}')
        shown += _shown(there, new, chance)
        last = there, new
    foreign = [link.child_attributes for link in around[entity.name] if link.child == entity.name]
    by = chance.choice([entity.key or (entity.attributes[0].name,), *foreign])
    return f'SELECT {", ".join(shown)} FROM "{entity.name}" t0 {" ".join(joins)} WHERE {_where(by, "t0.")}'


def _shown(entity: Entity, alias: str, chance: random.Random) -> Iterator[str]:
    count = min(len(entity.attributes), chance.randint(1, 3))
    yield from (f'{alias}."{each.name}"' for each in chance.sample(entity.attributes, count))


def _where(names: tuple[str, ...], alias: str = "") -> str:
    return " AND ".join(f'{alias}"{name}" = :{name}' for name in names)


def _write(entity: Entity, chance: random.Random) -> str:
    key = entity.key or (entity.attributes[0].name,)
    others = [each.name for each in entity.attributes if each.name not in key]
    kind = chance.choice(("insert", "update", "update", "delete"))
    if kind == "update" and others:
        name = chance.choice(others)
        return f'UPDATE "{entity.name}" SET "{name}" = :new WHERE {_where(key)}'
    if kind == "delete":
        return f'DELETE FROM "{entity.name}" WHERE {_where(key)}'
    names = [each.name for each in entity.attributes]
    columns, values = ", ".join(f'"{name}"' for name in names), ", ".join(f":{name}" for name in names)
    return f'INSERT INTO "{entity.name}" ({columns}) VALUES ({values})'


def statistics(model: Model, chance: random.Random) -> Statistics:
    """Counts and fan-outs; one row has one at most where the schema says so."""
    found = statistics_of(model, chance)
    single = {each.name for each in model.relationships if each.cardinality is Cardinality.ONE_TO_ONE}
    one = Quantity(1.0)
    links = tuple(
        (name, replace(known, mean=Quantity(min(known.mean.value, 1.0)), p99=one, maximum=one))
        if name in single and known.mean is not None
        else (name, known)
        for name, known in found.relationships
    )
    return replace(found, relationships=links)


def measure(path: Path, seed: int, limit: float) -> tuple[object, ...]:
    """One row of the table."""
    reading = read_ddl(path.read_text(encoding="utf-8", errors="replace"), path.parent.name, origin=path.name)
    chance = random.Random(seed)
    text = workload_text(reading.model, chance)
    known_sizes = statistics(reading.model, chance)
    began, began_cpu = time.perf_counter(), time.process_time()
    workload, gaps = parse_workload(text, reading.model)
    given = posed_problem(replace(reading, workload=workload, statistics=known_sizes, dialect="sqlite"), None, None)
    candidates, problem = given.candidates, given.problem
    solution = solve(problem, limit_seconds=limit)
    seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    explained_proposal(given, solution)
    explaining = time.process_time() - began_cpu - cpu
    check(problem, solution)
    model, modes = reading.model, sum(len(step.modes) for step in problem.steps)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    counts = (
        len(model.entities),
        len(model.relationships),
        len(workload.statements),
        len(gaps),
        len(candidates),
        modes,
    )
    proof = (f"{solution.cost:,.1f}", f"{solution.gap:.0e}", "yes" if solution.proved else "no", f"{peak:,.0f}")
    return path.parent.name, *counts, f"{cpu:.1f}", f"{seconds:.1f}", f"{explaining:.1f}", *proof


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CASES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--only", nargs="*", default=())
    given = parser.parse_args()
    required(given.folder)
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for path in sorted(given.folder.glob("*/schema.sql")):
        if given.only and path.parent.name not in given.only:
            continue
        with get_context("spawn").Pool(1) as pool:
            row = pool.apply(measure, (path, given.seed, given.limit))
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
