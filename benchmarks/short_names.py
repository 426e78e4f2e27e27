"""What short field names save on a real server: bytes of documents, what the design says of it, and bytes on disk.

`python -m benchmarks.short_names` prints a Markdown table of the shared cases that have a workload. Every case is designed at
least cost and loaded twice, with names as they are and with short ones; the server then counts.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pymongo import MongoClient

from benchmarks.cases import CASES, unpacked
from nestling import pipeline
from nestling.common.server import start_server
from nestling.ir.proposal import Proposal
from nestling.pipeline.designing import with_short_names
from tests.shared_cases import required

Sizes = tuple[int, int]
"""Bytes of all documents, and of their collections on disk once all is written there."""
SAID = re.compile(r"short field names save about ([\d,]+) bytes")


def rows(client: MongoClient[dict[str, Any]], folder: Path) -> Iterator[str]:
    """One line of the table for each database that has a workload."""
    with tempfile.TemporaryDirectory() as scratch:
        for workload in sorted(folder.glob("*/workload.sql")):
            yield _row(client, workload, unpacked(workload.parent, Path(scratch)))


def _row(client: MongoClient[dict[str, Any]], workload: Path, database: Path) -> str:
    address = f"sqlite:///{database}"
    reading = pipeline.inspect(address, workload=workload)
    plain = pipeline.design(reading)
    short = pipeline.design(with_short_names(reading))
    (note,) = (each for each in short.notes if SAID.search(each))
    found = SAID.search(note)
    assert found is not None
    said = int(found[1].replace(",", ""))
    (documents, disk), (fewer, less) = (_loaded(client, each, address) for each in (plain, short))
    shares = (1 - fewer / documents, said / documents, 1 - less / disk)
    return f"| {workload.parent.name} | {documents:,} | {' | '.join(f'{share:.1%}' for share in shares)} |"


def _loaded(client: MongoClient[dict[str, Any]], proposal: Proposal, address: str) -> Sizes:
    database = client["short_names"]
    client.drop_database(database.name)
    pipeline.load(proposal, address, database)
    client.admin.command("fsync")
    names = [name for name in database.list_collection_names() if not name.startswith("_nestling")]
    stats = [database.command("collStats", name) for name in names]
    return sum(int(each["size"]) for each in stats), sum(int(each["storageSize"]) for each in stats)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    folder = required(CASES)
    print("| case | bytes of documents | saved | said to be saved | saved on disk |\n|---|---|---|---|---|")
    with start_server() as server, MongoClient[dict[str, Any]](server.uri) as connection:
        for row in rows(connection, folder):
            print(row, flush=True)
