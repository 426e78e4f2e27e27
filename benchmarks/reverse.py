"""Every SQLite database of a folder × designs: load, look at what is there, and read model and design back; a Markdown table.

    .venv/bin/python -m benchmarks.reverse [FOLDER] [--strategy NAME …] [--validators] [--verbose]

Told are the entities and relationships found, of how many; how many more are not in the data (no row, no value, nothing that
tells them from others: `untold.py`); those no schema declares, though the column is called as the key it refers to, and those
nothing declares; how many structures of the design read back differ from the one loaded (homes, forms, references, copies,
buckets, indexes: all that documents tell); and how many rows come back by it, of how many. Validators are dropped before anything
is read unless told otherwise: most databases have none.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pymongo import MongoClient

from benchmarks.cases import unpacked
from benchmarks.untold import untold_entities, untold_relationships
from nestling.common.connection import connect
from nestling.common.errors import NestlingError
from nestling.common.server import open_server
from nestling.executors.facts import Amount, Budget, gather
from nestling.pipeline import OPTIMAL, design, inspect, load
from nestling.sources.mongo import live_database
from nestling.strategies import strategy_names
from tests import shared_cases
from tests.likeness import likeness
from tests.rows_read_back import rows_read_back, without_validators
from tests.shared_cases import required

CASES = shared_cases.CASES / "sql"
HEAD = (
    "database",
    "design",
    "found",
    "not in the data",
    "undeclared",
    "invented",
    "differences",
    "rows back",
    "seconds",
)


def main() -> int:
    """Run and print; 1 when rows are lost, or less than 95 % of what documents tell is found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CASES)
    parser.add_argument("--strategy", action="append", choices=(*strategy_names(), OPTIMAL))
    parser.add_argument("--validators", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", action="append", default=[], help="databases to take")
    options = parser.parse_args()
    required(options.folder)
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    sums = [0, 0, 0, 0, 0, 0]
    with open_server() as server, connect(server.uri) as client, tempfile.TemporaryDirectory() as scratch:
        for folder in sorted(path for path in options.folder.iterdir() if path.is_dir()):
            if not options.only or folder.name in options.only:
                for strategy in options.strategy or strategy_names():
                    found = _case(client, folder, strategy, Path(scratch), options)
                    sums = [mine + more for mine, more in zip(sums, found, strict=True)]
    there, missed, lacking, undeclared, invented, lost = sums
    print(
        f"\n{there - missed} of {there} entities and relationships found, {lacking} more are not in the data; ", end=""
    )
    print(f"{undeclared} found that only names declare, {invented} invented, {lost} rows lost")
    return 0 if not lost and not invented and there - missed >= 0.95 * there else 1


def _case(
    client: MongoClient[Any], folder: Path, strategy: str, scratch: Path, options: argparse.Namespace
) -> tuple[int, int, int, int, int, int]:
    source = f"sqlite:///{unpacked(folder, scratch)}"
    workload = folder / "workload.sql"
    reading = inspect(source, workload=workload if workload.exists() else None)
    proposal = design(reading, strategy)
    database = client[f"reverse_{folder.name}_{strategy}"]
    try:
        load(proposal, source, database, check=False)
        if not options.validators:
            without_validators(database)
        began = time.perf_counter()
        found = live_database(gather(client, [database.name], Budget(seconds=120.0, amount=Amount(), structure=True)))
        seconds = time.perf_counter() - began
        silent = dict(untold_entities(reading, proposal.design))
        unclear = dict(untold_relationships(reading, proposal.design, database))
        alike = likeness(proposal.design, found.in_place.design, silent, unclear)
        rows, equal, told = rows_read_back(database, proposal.design, found.in_place.design, silent)
    except NestlingError as error:
        print(f"| {folder.name} | {strategy} | failed: {error} |")
        return 0, 0, 0, 0, 0, 0
    finally:
        client.drop_database(database.name)
    lacking, missed = alike.not_in_the_data, alike.told_and_missed
    there = alike.asked - len(lacking)
    share = f"{there - len(missed)} of {there}"
    more = (len(lacking), len(alike.undeclared), len(alike.invented), len(alike.differences))
    cells = (folder.name, strategy, share, *more, f"{equal} of {rows}")
    print("| " + " | ".join(map(str, (*cells, f"{seconds:.1f}"))) + " |", flush=True)
    if options.verbose:
        for word, each in (
            ("missed", missed),
            ("not in the data", [f"{each}: {why}" for each, why in lacking.items()]),
            ("undeclared", alike.undeclared),
            ("invented", alike.invented),
            ("differs", alike.differences),
            ("", told),
        ):
            print(
                "\n".join(f"    {word} {item}" for item in each) or f"    nothing {word}", file=sys.stderr, flush=True
            )
    return there, len(missed), len(lacking), len(alike.undeclared), len(alike.invented), rows - equal


if __name__ == "__main__":
    sys.exit(main())
