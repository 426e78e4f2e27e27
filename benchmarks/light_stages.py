"""A read of one parent's children out of its array, beside a `find` of their documents by an index: what the stages add.

`python -m benchmarks.light_stages` prints a Markdown table: both in turn on one server, the fastest and the median of many runs.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from pymongo import MongoClient

from nestling.common.server import start_server
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.pipeline import design
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from tests.people import people

SQL = "SELECT id, name FROM pet WHERE person_id = :id"


def main() -> None:
    """Print the times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    inside, apart = _times(runs)
    print("| | fastest µs | median µs |\n|---|---|---|")
    for name, found in (("in the parent's array", inside), ("documents of their own", apart)):
        print(f"| {name} | {1e6 * min(found):.0f} | {1e6 * statistics.median(found):.0f} |")
    fastest, median = min(inside) / min(apart), statistics.median(inside) / statistics.median(apart)
    print(f"| ratio | {fastest:.2f} | {median:.2f} |")


def _times(runs: int) -> tuple[list[float], list[float]]:
    """Seconds of each run on either design, in turn."""
    with (
        tempfile.TemporaryDirectory() as folder,
        start_server() as server,
        MongoClient[dict[str, Any]](server.uri) as client,
    ):
        reading = people(Path(folder), f'pets: {{sql: "{SQL}", rate: 50/s}}')
        reads = [_compiled(design(reading, strategy)) for strategy in ("embedded", "normalized")]
        database = client["light_stages"]
        pets = [{"_id": n, "person_id": n // 2, "name": "n" * 40} for n in range(2000)]
        database.pet.insert_many(pets)
        database.pet.create_index("person_id")
        database.person.insert_many(
            {"_id": n, "name": "p", "pet": [{"id": p["_id"], "name": p["name"]} for p in pets[2 * n : 2 * n + 2]]}
            for n in range(1000)
        )
        times: tuple[list[float], list[float]] = ([], [])
        for run in range(runs):
            for read, found in zip(reads, times, strict=True):
                start = perf_counter()
                rows = list(run_read(database, read, {"id": run % 1000}))
                found.append(perf_counter() - start)
                assert len(rows) == 2
        return times


def _compiled(proposal: Proposal) -> CompiledRead:
    query = translate(SQL, proposal.design.model, "postgresql")
    read = compiled_read(plan_read(query, proposal.design, statistics=proposal.statistics), name="pets", sql=SQL)  # type: ignore[arg-type]
    assert isinstance(read, CompiledRead)
    return read


if __name__ == "__main__":
    main()
