"""Migrations between every pair of designs of every shared case, under concurrent writes, beside a plain `$out` copy.

    .venv/bin/python -m benchmarks.migrate [CASE …] [--strategy NAME …] [--orders N]

For each pair: how long the backfill takes (documents built, before indexes), how long the server takes to copy the very same
documents with `$out`, and the share of that speed; how long the whole migration takes with its cutover while a client writes
some rows a second; and whether both designs were equal in the end, as the migration itself finds with the old design fenced.
Without CASE: the shared cases (`docs/cases.md`) there are, and orders with their lines made for it, large enough for a rate.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

from pymongo.database import Database

from benchmarks.cases import CASES, unpacked
from benchmarks.load import generate
from nestling import Store
from nestling.common.connection import connect
from nestling.common.errors import GapError, NestlingError
from nestling.common.server import start_server
from nestling.ir.model import Entity
from nestling.ir.proposal import Proposal
from nestling.ir.types import TypeName
from nestling.pipeline import design, inspect, load, migrate
from nestling.planner.migration import kept_collections

STRATEGIES = ("normalized", "embedded", "tree")
WRITE_PAUSE_SECONDS = 0.05
SAMPLED_ROWS = 200
HEAD = (
    "case",
    "from",
    "to",
    "rows",
    "backfill s",
    "$out s",
    "share of its speed",
    "whole s",
    "writes",
    "carried over",
    "equal",
)


@dataclass
class Writes:
    """A client that changes one attribute of random rows, in a thread."""

    store: Store
    entities: list[tuple[Entity, str, list[dict[str, object]]]]
    done: int = 0
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Until told to stop, or the old design takes no writes any more."""
        chance = random.Random(1)
        while self.entities and not self.stop.wait(WRITE_PAUSE_SECONDS):
            entity, attribute, rows = chance.choice(self.entities)
            row = chance.choice(rows)
            where = " AND ".join(f'"{name}" = :k{place}' for place, name in enumerate(entity.key))
            values = {f"k{place}": row[name] for place, name in enumerate(entity.key)}
            sql = f'UPDATE "{entity.name}" SET "{attribute}" = :v WHERE {where}'
            try:
                self.store.execute(sql, v=chance.choice(rows)[attribute], **values)
                self.done += 1
            except GapError:
                self.entities = [each for each in self.entities if each[0] is not entity]
            except NestlingError:
                return


@contextmanager
def writing(made: Proposal, database: Database[Any]) -> Iterator[Writes]:
    """Writes for as long as the block lasts."""
    store, entities = Store(made, database), []
    for entity in made.design.model.entities:
        free = [
            a.name
            for a in entity.attributes
            if a.type.name in (TypeName.INTEGER, TypeName.TEXT) and _is_free(made, entity, a.name)
        ]
        if entity.key and free:
            names = ", ".join(f'"{name}"' for name in (*entity.key, free[0]))
            try:
                found = list(store.execute(f'SELECT {names} FROM "{entity.name}" LIMIT {SAMPLED_ROWS}'))
            except GapError:
                continue
            if found:
                entities.append((entity, free[0], found))
    writes = Writes(store, entities)
    thread = threading.Thread(target=writes.run)
    thread.start()
    try:
        yield writes
    finally:
        writes.stop.set()
        thread.join()


def _is_free(made: Proposal, entity: Entity, name: str) -> bool:
    """Whether an attribute links nothing and is not unique."""
    linked = {a for link in made.design.model.parents_of(entity.name) for a in link.child_attributes}
    linked |= {a for link in made.design.model.children_of(entity.name) for a in link.parent_attributes}
    return name not in linked and name not in entity.key and all(name not in group for group in entity.uniques)


@dataclass
class Clock:
    """When the migration began to build documents, and when it had built them all."""

    began: float = 0.0
    built: float = 0.0

    def watch(self, what: str, rows: int, total: int | None) -> None:
        """What a migration tells."""
        del rows, total
        if what == "migrating indexes":
            self.built = time.perf_counter()
        elif not self.built and not self.began:
            self.began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """How long building took."""
        return self.built - self.began if self.began else 0.0


def pair(case: str, address: str, names: tuple[str, str], made: dict[str, Proposal], database: Database[Any]) -> bool:
    """Load one design, migrate to the other, copy the result; prints a line."""
    old, new = made[names[0]], made[names[1]]
    database.client.drop_database(database.name)
    load(old, address, database, check=False)
    database.client.admin.command("fsync")
    clock, start = Clock(), time.perf_counter()
    with writing(old, database) as writes:
        report = migrate(old, new, database, cutover=True, may_lose=["indexes"], watch=clock.watch)
    whole = time.perf_counter() - start
    kept = kept_collections(old.design, new.design)
    moved = [store.name for store in new.design.stores if store.collection.name not in kept]
    database.client.admin.command("fsync")
    begun = time.perf_counter()
    for name in moved:
        database[name].aggregate([{"$out": f"copy of {name}"}]).close()
    copied = time.perf_counter() - begun
    share = f"{copied / clock.seconds:.0%}" if clock.seconds and moved else "–"
    cells = (
        case,
        *names,
        f"{sum(report.rows.values()):,}",
        f"{clock.seconds:.2f}",
        f"{copied:.2f}",
        share,
        f"{whole:.1f}",
    )
    print(
        "| " + " | ".join((*cells, f"{writes.done:,}", f"{report.changes:,}", "yes" if report.equal else "NO")) + " |",
        flush=True,
    )
    return report.equal


def sources(chosen: list[str], folder: Path, orders: int) -> Iterator[tuple[str, str, Path | None]]:
    """(Case, address, workload) of the shared cases, then of made orders."""
    for each in sorted(path for path in CASES.iterdir() if path.is_dir()) if CASES.is_dir() else ():
        if not chosen or each.name in chosen:
            workload = each / "workload.sql"
            yield each.name, f"sqlite:///{unpacked(each, folder)}", workload if workload.exists() else None
    if not chosen or "orders" in chosen:
        generate(folder / "orders.db", orders)
        yield "orders", f"sqlite:///{folder / 'orders.db'}", None


def main() -> int:
    """Run and print; 1 when anything is not equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--orders", type=int, default=60_000)
    chosen = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD), flush=True)
    equal = True
    with tempfile.TemporaryDirectory() as folder, start_server() as server, connect(server.uri) as client:
        for case, address, workload in sources(chosen.cases, Path(folder), chosen.orders):
            reading = inspect(address, workload=workload)
            made = {name: design(reading, name) for name in chosen.strategy or STRATEGIES}
            for names in permutations(made, 2):
                try:
                    equal &= pair(case, address, names, made, client["migrate_benchmark"])
                except NestlingError as error:
                    print(f"| {case} | {names[0]} | {names[1]} | refused: {str(error).splitlines()[0]} |", flush=True)
    return 0 if equal else 1


if __name__ == "__main__":
    raise SystemExit(main())
