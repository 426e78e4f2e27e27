"""How long the search takes and what it proves, on generated instances of growing size.

`python -m benchmarks.optimize` builds problems shaped like those of real models and prints a Markdown table: entities on a ring
with shortcuts (Watts and Strogatz), each with one home – its own collection or inside the other side of a relationship that it
belongs to –, copies along relationships, indexes, and statements that read over 0 to 4 relationships or write. `--large` adds
1,000 entities, `--budget 0.8` allows only that share of the best design's bytes. Memory is the process's peak: each size runs in
a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import sys
import time
from dataclasses import dataclass

from nestling.ir.design_problem import (
    Charge,
    DesignProblem,
    Group,
    Limit,
    Mode,
    Needs,
    Solution,
    StatementStep,
    Structure,
)
from nestling.optimizer import check, solve, storage_budget, with_limits
from nestling.optimizer.formulation import formulation
from nestling.optimizer.presolve import presolve

SEEK, FETCH, BYTE, ROUND_TRIP, WRITE, INDEX_ENTRY = 1.2e-6, 1.3e-6, 2e-10, 1.2e-4, 2e-5, 4e-6
REWIRED = 0.2  # share of relationships that lead anywhere


@dataclass(frozen=True, slots=True)
class Link:
    """A generated relationship: `child` belongs to `parent`."""

    id: str
    parent: int
    child: int
    fan_out: float


@dataclass(frozen=True, slots=True)
class World:
    """A generated model: rows and bytes by entity, and who belongs to whom."""

    rows: list[float]
    row_bytes: list[float]
    links: list[Link]

    def links_of(self, entity: int) -> list[Link]:
        return [link for link in self.links if entity in (link.parent, link.child)]


def world(entities: int, relationships: int, seed: int) -> World:
    """A ring with shortcuts: relationships between neighbours, a share of them rewired."""
    chance = random.Random(seed)
    rows = [10 ** chance.uniform(2, 6) for _ in range(entities)]
    row_bytes = [chance.uniform(50, 800) for _ in range(entities)]
    links = []
    for place in range(relationships):
        child = place % entities
        parent = (child + 1 + place // entities) % entities
        if chance.random() < REWIRED:
            parent = chance.choice([other for other in range(entities) if other != child])
        links.append(Link(f"r{place}", parent, child, 10 ** chance.uniform(0, 2.5)))
    return World(rows, row_bytes, links)


def problem(entities: int, relationships: int, statements: int, seed: int = 1) -> DesignProblem:
    """The abstract problem of such a model with a random workload of reads and writes."""
    made = world(entities, relationships, seed)
    chance = random.Random(seed + 1)
    builder = ProblemBuilder(made)
    by_entity = {entity: made.links_of(entity) for entity in range(entities)}
    for place in range(statements):
        rate = 10 ** chance.uniform(-2, 3)
        if chance.random() < 0.7:
            builder.read(f"q{place}", rate, walk(chance, by_entity, entities), chance)
        else:
            builder.write(f"q{place}", rate, chance.randrange(entities), chance.random() < 0.5)
    return builder.problem()


def walk(chance: random.Random, by_entity: dict[int, list[Link]], entities: int) -> tuple[int, list[Link]]:
    """Where a read starts and the relationships it follows."""
    start = entity = chance.randrange(entities)
    links: list[Link] = []
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 4))):
        fresh = [link for link in by_entity[entity] if link not in links]
        if not fresh:
            break
        links.append(chance.choice(fresh))
        entity = links[-1].parent + links[-1].child - entity
    return start, links


class ProblemBuilder:
    """Writes down structures, steps and charges of a world."""

    def __init__(self, made: World) -> None:
        self.world = made
        self.structures: list[Structure] = []
        self.groups: list[Group] = []
        self.needs: list[Needs] = []
        self.steps: list[StatementStep] = []
        self.charges: list[Charge] = []
        self.limits: list[Limit] = []
        self.rates: dict[str, float] = {}
        self.homes: dict[int, list[tuple[str, Link | None]]] = {
            entity: [(f"own {entity}", None)] for entity in range(len(made.rows))
        }
        for link in made.links:
            self.homes[link.child].append((f"in {link.id}", link))
        for entity, homes in self.homes.items():
            for name, _ in homes:
                self.structures.append(Structure(name, name, made.rows[entity] * made.row_bytes[entity]))
            self.groups.append(Group(f"home of {entity}", tuple(name for name, _ in homes)))
        for link in made.links:
            self._candidates(link)
        self._no_cycles()

    def _candidates(self, link: Link) -> None:
        """A copy of the parent's attributes in the child, one of the newest children in the parent, an index on the reference."""
        rows, row_bytes = self.world.rows, self.world.row_bytes
        name = link.id
        self.structures += [
            Structure(f"parent copy {name}", name, rows[link.child] * 0.3 * row_bytes[link.parent]),
            Structure(f"subset {name}", name, rows[link.parent] * 10 * row_bytes[link.child]),
            Structure(f"index {name}", name, rows[link.child] * 20),
        ]
        self.needs.append(Needs(f"index {name}", (f"own {link.child}",)))

    def _no_cycles(self) -> None:
        """Two entities cannot be inside each other."""
        pairs = {(link.child, link.parent): link for link in self.world.links}
        for (child, parent), link in pairs.items():
            back = pairs.get((parent, child))
            if back is not None and child < parent:
                both = (f"in {link.id}", f"in {back.id}")
                self.groups.append(Group(f"cycle {link.id}", both, optional=True))

    def read(self, name: str, rate: float, path: tuple[int, list[Link]], chance: random.Random) -> None:
        """Find the start, then follow each relationship; how many rows arrive does not depend on how they were read."""
        self.rates[name] = rate
        entity, links = path
        reached = 10 ** chance.uniform(0, 1.5)
        modes = [
            Mode(home, (home,), ROUND_TRIP + reached * (SEEK + FETCH + self._width(entity, link)))
            for home, link in self.homes[entity]
        ]
        self.steps.append(StatementStep(name, "start", tuple(modes)))
        for place, link in enumerate(links):
            down = entity == link.parent
            self.steps.append(StatementStep(name, f"hop {place}", tuple(self._hop(link, down, reached, chance))))
            reached = min(reached * (link.fan_out if down else 1.0), 1e5)
            entity = link.child if down else link.parent

    def _width(self, entity: int, link: Link | None) -> float:
        """Seconds to read past what surrounds a row at home in another's document."""
        return BYTE * self.world.row_bytes[entity] * (1.0 if link is None else 1.0 + link.fan_out)

    def _hop(self, link: Link, down: bool, reached: float, chance: random.Random) -> list[Mode]:
        rows, row_bytes, name = self.world.rows, self.world.row_bytes, link.id
        inside = Mode("inside", (f"in {name}",), reached * BYTE * row_bytes[link.child] * link.fan_out)
        if down:
            scan = rows[link.child] * BYTE * row_bytes[link.child] * 5 + ROUND_TRIP
            seek = ROUND_TRIP + reached * (SEEK + link.fan_out * FETCH)
            modes = [inside, Mode("index", (f"index {name}",), seek)]
            modes += [
                Mode("scan", (home,), scan * (1 if other is None else 2)) for home, other in self.homes[link.child]
            ]
            if chance.random() < 0.3:
                modes.append(Mode("subset", (f"subset {name}",), reached * BYTE * 10 * row_bytes[link.child]))
            return modes
        fetch = ROUND_TRIP + reached * (SEEK + FETCH)
        modes = [inside]
        modes += [
            Mode("fetch", (home,), fetch + reached * self._width(link.parent, other))
            for home, other in self.homes[link.parent]
        ]
        if chance.random() < 0.4:
            modes.append(Mode("copy", (f"parent copy {name}",), reached * BYTE * 0.3 * row_bytes[link.parent]))
        return modes

    def write(self, name: str, rate: float, entity: int, insert: bool) -> None:
        """One row written at home, its indexes kept, its copies followed, documents around it rewritten."""
        self.rates[name] = rate
        row_bytes = self.world.row_bytes
        modes = [
            Mode(home, (home,), ROUND_TRIP + WRITE + self._width(entity, link) * 5) for home, link in self.homes[entity]
        ]
        self.steps.append(StatementStep(name, "write", tuple(modes)))
        for link in self.world.links_of(entity):
            if link.child == entity:
                self.charges.append(Charge(name, "subset", (f"subset {link.id}",), WRITE + SEEK))
                if insert:
                    self.charges.append(Charge(name, "index", (f"index {link.id}",), INDEX_ENTRY))
                    self.charges.append(Charge(name, "copy", (f"parent copy {link.id}",), SEEK + FETCH))
            else:
                grown = BYTE * row_bytes[link.child] * link.fan_out * 5
                homes = ((f"in {link.id}", home) for home, _ in self.homes[entity])
                self.charges += [Charge(name, "wider document", both, grown) for both in homes]
                if not insert:
                    self.charges.append(Charge(name, "copies", (f"parent copy {link.id}",), link.fan_out * WRITE))

    def problem(self) -> DesignProblem:
        return DesignProblem(
            tuple(self.structures),
            tuple(self.groups),
            tuple(self.needs),
            tuple(self.steps),
            tuple(self.charges),
            tuple(self.limits),
            self.rates,
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """One run."""

    size: tuple[int, int, int]
    columns: int
    rows: int
    build_seconds: float
    solution: Solution
    processor_seconds: float
    peak_bytes: int


def measure(size: tuple[int, int, int], seed: int, limit_seconds: float, budget: float | None) -> Measured:
    """Generate, solve and check one instance."""
    started = time.perf_counter()
    made = problem(*size, seed=seed)
    build_seconds = time.perf_counter() - started
    if budget is not None:
        free = solve(made, limit_seconds=limit_seconds)
        used = sum(structure.bytes for structure in made.structures if structure.id in free.chosen)
        made = with_limits(made, [storage_budget(made, budget * used)])
    started = time.process_time()
    solution = solve(made, limit_seconds=limit_seconds)
    processor_seconds = time.process_time() - started
    check(made, solution)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    model = formulation(presolve(made).problem)
    return Measured(size, len(model.cost), len(model.lower), build_seconds, solution, processor_seconds, peak)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--large", action="store_true", help="also 1,000 entities, 5,000 relationships, 10,000 statements"
    )
    parser.add_argument("--seeds", type=int, default=3, help="instances per size")
    parser.add_argument("--limit-seconds", type=float, default=60.0)
    parser.add_argument("--budget", type=float, help="share of the unlimited design's bytes that is allowed")
    asked = parser.parse_args()
    sizes = [(10, 50, 100), (30, 150, 300), (100, 500, 1_000), (300, 1_500, 3_000)]
    sizes += [(1_000, 5_000, 10_000)] if asked.large else []
    print(
        "| entities / relationships / statements | columns | rows | build s | solve s | CPU s | gap | proved | peak memory |"
    )
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    context = multiprocessing.get_context("spawn")
    for size in sizes:
        for seed in range(1, asked.seeds + 1):
            with context.Pool(1) as pool:
                found = pool.apply(measure, (size, seed, asked.limit_seconds, asked.budget))
            solution = found.solution
            print(
                f"| {' / '.join(f'{number:,}' for number in size)} | {found.columns:,} | {found.rows:,} "
                f"| {found.build_seconds:.2f} | {solution.seconds:.2f} | {found.processor_seconds:.2f} | {solution.gap:.1e} "
                f"| {'yes' if solution.proved else 'no'} | {found.peak_bytes / 1e6:,.0f} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
