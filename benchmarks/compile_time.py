"""How long a statement takes to compile: SQL to algebra, to steps, to MQL – on a model of 50 entities.

    .venv/bin/python -m benchmarks.compile_time [--statements N] [--rounds N] [--seed N] [--profile]

The model and the statements are made by the seed: 0 to 6 joins along foreign keys (inner and left), filters, groups with HAVING,
subqueries (EXISTS, IN, scalar), sorting and limits. Each statement is compiled `rounds` times on each design; its
time is the median, in processor time, so that what else the machine does does not count.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from nestling.emitters.mql.read import compiled_read
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.reading import Reading
from nestling.ir.statements import algebra as a
from nestling.ir.types import Type
from nestling.pipeline import design
from nestling.pipeline.converting import default_price
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate

DESIGNS = ("normalized", "embedded")
ENTITIES, PARENTS, MOST_JOINS = 50, 3, 6
KINDS = ("integer", "text(40)", "timestamp", "decimal(10,2)", "text", "float")
MEDIAN_MS, P99_MS = 5.0, 50.0


def model(choices: random.Random) -> Model:
    """Entities with an own key, ten attributes, and foreign keys to up to three earlier ones (and one to itself)."""
    entities: list[Entity] = []
    links: list[Relationship] = []
    for number in range(ENTITIES):
        attributes = [Attribute("id", Type.parse("integer"), nullable=False)]
        attributes += [
            Attribute(f"a{place}", Type.parse(KINDS[place % len(KINDS)]), place % 2 == 0) for place in range(10)
        ]
        parents = choices.sample(range(number), min(number, choices.randint(0, PARENTS)))
        for parent in [*parents, *([number] if number % 10 == 5 else [])]:
            name = f"e{parent}_id"
            attributes.append(Attribute(name, Type.parse("integer"), nullable=parent == number))
            links.append(Relationship(f"e{number}_to_e{parent}", f"e{parent}", f"e{number}", ("id",), (name,)))
        entities.append(Entity(f"e{number}", tuple(attributes), ("id",)))
    return Model("generated", tuple(entities), tuple(links))


@dataclass
class Writer:
    """Writes statements over a model."""

    model: Model
    choices: random.Random

    def statement(self) -> str:
        """One SELECT."""
        pick = self.choices
        tables = self._walk(pick.randint(0, MOST_JOINS))
        text = f"FROM {tables[0][0]} t0"
        for place, (entity, on, kind) in enumerate(tables[1:], start=1):
            text += f" {kind} {entity} t{place} ON {on}"
        aliases = [f"t{place}" for place in range(len(tables))]
        conditions = [self._condition(pick.choice(aliases)) for _ in range(pick.randint(0, 4))]
        if pick.random() < 0.35:
            conditions.append(self._subquery(pick.choice(aliases)))
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        if pick.random() < 0.4:
            key = f"{pick.choice(aliases)}.a1"
            having = " HAVING COUNT(*) > 1" if pick.random() < 0.5 else ""
            outputs = (
                f"{key} AS k, COUNT(*) AS n, SUM({pick.choice(aliases)}.a0) AS s, AVG({pick.choice(aliases)}.a5) AS v"
            )
            return f"SELECT {outputs} {text}{where} GROUP BY {key}{having} ORDER BY n DESC, k LIMIT 10"
        outputs = ", ".join(f"{alias}.a{pick.randrange(10)} AS o{place}" for place, alias in enumerate(aliases))
        order = f" ORDER BY {pick.choice(aliases)}.a2 DESC LIMIT 20" if pick.random() < 0.5 else ""
        return f"SELECT {outputs}, t0.a0 + 1 AS plus, COALESCE(t0.a4, 'none') AS c {text}{where}{order}"

    def _walk(self, joins: int) -> list[tuple[str, str, str]]:
        tables = [(self.choices.choice(self.model.entities).name, "", "")]
        for _ in range(joins):
            near = [
                (place, link)
                for place, (entity, _, _) in enumerate(tables)
                for link in self.model.relationships
                if entity in (link.parent, link.child)
            ]
            if not near:
                break
            place, link = self.choices.choice(near)
            new, entity = f"t{len(tables)}", tables[place][0]
            upward = link.child == entity
            child, parent = (f"t{place}", new) if upward else (new, f"t{place}")
            on = f"{child}.{link.child_attributes[0]} = {parent}.id"
            kind = "LEFT JOIN" if self.choices.random() < 0.25 else "JOIN"
            tables.append((link.parent if upward else link.child, on, kind))
        return tables

    def _condition(self, alias: str) -> str:
        return self.choices.choice(
            (
                f"{alias}.a0 > {self.choices.randrange(100)}",
                f"{alias}.a1 LIKE 'x%'",
                f"{alias}.a3 BETWEEN 1 AND 50",
                f"{alias}.a4 IN ('a', 'b', 'c')",
                f"({alias}.a5 < 2.5 OR {alias}.a2 IS NULL)",
                f"{alias}.id = :id",
            )
        )

    def _subquery(self, alias: str) -> str:
        entity = self.choices.choice(self.model.entities).name
        return self.choices.choice(
            (
                f"EXISTS (SELECT 1 FROM {entity} s WHERE s.id = {alias}.a0 AND s.a1 = 'x')",
                f"{alias}.id NOT IN (SELECT s.a0 FROM {entity} s WHERE s.a0 IS NOT NULL)",
                f"{alias}.a0 > (SELECT AVG(s.a0) FROM {entity} s WHERE s.a1 = {alias}.a1)",
            )
        )


def main() -> int:
    """Print the table; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--statements", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", action="store_true", help="where the time goes, over all statements")
    options = parser.parse_args()
    choices = random.Random(options.seed)
    made = model(choices)
    statements = [Writer(made, choices).statement() for _ in range(options.statements)]
    print(
        "| design | statements | translate ms | plan ms | render ms | median ms | p99 ms | worst ms |\n|---|"
        + "---|" * 7
    )
    missed = False
    for name in DESIGNS:
        chosen = design(Reading(made), name).design
        if options.profile:
            _profile(statements, chosen)
        times = [_times(sql, chosen, options.rounds) for sql in statements]
        totals = sorted(sum(each) for each in times)
        median, p99 = statistics.median(totals), totals[round(0.99 * len(totals)) - 1]
        parts = (statistics.median(each[part] for each in times) for part in range(3))
        cells = (name, len(totals), *(f"{1e3 * value:.2f}" for value in (*parts, median, p99, totals[-1])))
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        missed |= 1e3 * median > MEDIAN_MS or 1e3 * p99 > P99_MS
    return 1 if missed else 0


def _times(sql: str, of: Design, rounds: int) -> tuple[float, ...]:
    """Median seconds of translating, planning and rendering."""
    found = []
    for _ in range(rounds):
        gc.collect(0)
        began = time.process_time()
        query = translate(sql, of.model, "sqlite")
        translated = time.process_time()
        assert isinstance(query, a.Query)
        plan = plan_read(query, of, price=default_price)
        planned = time.process_time()
        compiled_read(plan, sql=sql)
        found.append((translated - began, planned - translated, time.process_time() - planned))
    return tuple(statistics.median(part) for part in zip(*found, strict=True))


def _profile(statements: list[str], of: Design) -> None:
    def all_of_them() -> None:
        for sql in statements:
            query = translate(sql, of.model, "sqlite")
            assert isinstance(query, a.Query)
            compiled_read(plan_read(query, of, price=default_price), sql=sql)

    _shown(all_of_them)


def _shown(work: Callable[[], None]) -> None:
    profile = cProfile.Profile()
    profile.runcall(work)
    pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    sys.exit(main())
