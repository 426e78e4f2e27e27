"""Every SQLite database of a folder × designs: load, look at what is there, and read model and design back; a Markdown table.

    .venv/bin/python -m benchmarks.reverse [FOLDER] [--strategy NAME …] [--validators] [--verbose]

Told are the entities and relationships found, of how many, those no schema declares, how many structures of the design read back
differ from the one loaded (homes, forms, references, copies, buckets, indexes: all that documents tell), and how many rows
come back by it, of how many. Validators are dropped before anything is read unless told otherwise: most databases have none.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database

from benchmarks.cases import unpacked
from nestling.common.connection import connect
from nestling.common.errors import NestlingError
from nestling.common.server import open_server
from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.model import Relationship
from nestling.ir.reading import Reading
from nestling.pipeline import OPTIMAL, design, inspect, load
from nestling.sources.mongo import read
from nestling.strategies import strategy_names
from tests.likeness import likeness
from tests.rows_read_back import rows_read_back

CASES = Path(__file__).parents[2] / "shared" / "cases" / "sql"
HEAD = ("database", "design", "entities", "relationships", "found", "undeclared", "differences", "rows back", "seconds")


def main() -> int:
    """Run and print; 1 when rows are lost, or less than 95 % of what documents tell is found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CASES)
    parser.add_argument("--strategy", action="append", choices=(*strategy_names(), OPTIMAL))
    parser.add_argument("--validators", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", action="append", default=[], help="databases to take")
    options = parser.parse_args()
    if not options.folder.is_dir():
        print(f"{options.folder} is not there; nothing to run")
        return 0
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    sums = [0, 0, 0, 0, 0, 0]
    with open_server() as server, connect(server.uri) as client, tempfile.TemporaryDirectory() as scratch:
        for folder in sorted(path for path in options.folder.iterdir() if path.is_dir()):
            if not options.only or folder.name in options.only:
                for strategy in options.strategy or strategy_names():
                    found = _case(client, folder, strategy, Path(scratch), options)
                    sums = [mine + more for mine, more in zip(sums, found, strict=True)]
    asked, told, missed, told_missed, invented, lost = sums
    print(f"\n{asked - missed} of {asked} entities and relationships found; ", end="")
    print(f"{told - told_missed} of the {told} that any value tells of; ", end="")
    print(f"{invented} that no schema declares, {lost} rows lost")
    return 0 if not lost and told - told_missed >= 0.95 * told else 1


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
            _without_validators(database)
        began = time.perf_counter()
        found = read(gather(client, [database.name], Budget(seconds=120.0, amount=Amount(), structure=True)))
        seconds = time.perf_counter() - began
        counts = {each.name: reading.statistics.entity(each.name).count for each in reading.model.entities}
        empty = [name for name, count in counts.items() if count is not None and not count.value]
        unset = [link.name for link in reading.model.relationships if _is_unset(reading, link)]
        alike = likeness(proposal.design, found.in_place.design, empty, unset)
        rows, equal, told = rows_read_back(database, proposal.design, found.in_place.design)
    except NestlingError as error:
        print(f"| {folder.name} | {strategy} | failed: {error} |")
        return 0, 0, 0, 0, 0, 0
    finally:
        client.drop_database(database.name)
    names = (len(alike.expected.entities), len(alike.expected.relationships))
    share = f"{alike.asked - len(alike.missed)} of {alike.asked}"
    cells = (folder.name, strategy, *names, share, len(alike.invented), len(alike.differences), f"{equal} of {rows}")
    print("| " + " | ".join(map(str, (*cells, f"{seconds:.1f}"))) + " |", flush=True)
    if options.verbose:
        for word, each in (
            ("missed", alike.missed),
            ("invented", alike.invented),
            ("differs", alike.differences),
            ("", told),
        ):
            print(
                "\n".join(f"    {word} {item}" for item in each) or f"    nothing {word}", file=sys.stderr, flush=True
            )
    return alike.asked, alike.told, len(alike.missed), alike.told_and_missed, len(alike.invented), rows - equal


def _is_unset(reading: Reading, link: Relationship) -> bool:
    """Whether a foreign key is NULL in every row."""
    known = dict(reading.statistics.entity(link.child).attributes)
    shares = [known[name].null_share for name in link.child_attributes if name in known]
    return any(share is not None and share.value == 1 for share in shares)


def _without_validators(database: Database[Any]) -> None:
    for name in database.list_collection_names():
        database.command("collMod", name, validator={})


if __name__ == "__main__":
    sys.exit(main())
