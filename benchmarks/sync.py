"""How far behind, and how fast, the background sync is: beside a bare change stream reader and a hand-written ordered bulk.

`python -m benchmarks.sync` runs three trials on an embedded MongoDB, purchases with a copy of their customer's name:

- **lag**: an application renames customers at half the rate the server takes from it; in the same run a bare reader and
  `nestling sync` (a process of its own) follow. Lag is from the server's own time of the change to its being read, and to the
  copies' having been written;
- **throughput**: renames that nobody has followed yet, then followed at once, beside an ordered bulk of the same updates of the
  copies (majority writes, 1,000 at a time), interleaved;
- **fan-out**: a customer with 100,000 purchases is renamed while others are: the lag of the others.

Everything shares the machine's cores, the writer among them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pymongo import InsertOne, UpdateOne, WriteConcern
from pymongo.database import Database

from benchmarks.processor_time import undisturbed_seconds
from nestling.common.connection import connect
from nestling.common.server import Server, start_server
from nestling.executors.changes import Watching, follow
from nestling.executors.sync import Metrics, SyncOptions, sync
from nestling.ir.text import read_proposal
from nestling.pipeline import sync_plan
from tests.small_shop import small_shop

DESIGN = small_shop(indexes="[{collection: purchases, keys: [customer_id]}]")
BULK = 1_000


def filled(database: Database[Any], customers: int, copies: int) -> None:
    """So many customers with so many purchases each."""
    database.client.drop_database(database.name)
    database.purchases.create_index("customer_id")
    for start in range(0, customers, BULK):
        some = range(start, min(start + BULK, customers))
        database.customers.insert_many([{"_id": c, "name": f"name {c}"} for c in some])
        purchases = [
            InsertOne({"_id": c * copies + n, "customer_id": c, "total": n, "customer": {"name": f"name {c}"}})
            for c in some
            for n in range(copies)
        ]
        database.purchases.bulk_write(purchases, ordered=False)


@contextmanager
def synced(uri: str, folder: Path) -> Iterator[Callable[[], dict[str, Any]]]:
    """`nestling sync` as a process of its own; yields what reads its metrics."""
    (folder / "design.yaml").write_text(DESIGN)
    status = folder / "status.json"
    command = [sys.executable, "-m", "nestling", "sync", str(folder / "design.yaml"), uri, "--status-file", str(status)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def read() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(status.read_text()) if status.exists() else {}
        return found

    try:
        while read().get("state") != "following" or read().get("waiting"):
            time.sleep(0.1)
        yield read
    finally:
        running.terminate()
        running.wait()


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else 0.0


def bare_reader(database: Database[Any], stop: threading.Event, lags: list[float]) -> None:
    """Reads, and does nothing."""
    with follow(database, Watching(("customers",))) as stream:
        while not stop.is_set():
            for change in stream.take(500, 0.25).changes:
                assert change.wall is not None, "only servers before 6.0 do not say when"
                now = datetime.now(UTC).replace(tzinfo=None)
                lags.append((now - change.wall).total_seconds() * 1000)


def copied_name(database: Database[Any], **which: int) -> object:
    """What a purchase says its customer is called."""
    purchase = database.purchases.find_one(which)
    assert purchase is not None
    return purchase["customer"]["name"]


def rename(database: Database[Any], number: int, customers: int) -> None:
    database.customers.update_one({"_id": number % customers}, {"$set": {"name": f"new {number}"}})


def lag(uri: str, database: Database[Any], folder: Path, seconds: float) -> None:
    customers = 2_000
    filled(database, customers, 2)
    end, count = time.monotonic() + 3, 0
    while time.monotonic() < end:
        rename(database, count, customers)
        count += 1
    ceiling = count / 3
    rate = ceiling / 2
    lags: list[float] = []
    stop = threading.Event()
    with synced(uri, folder) as status:
        thread = threading.Thread(target=bare_reader, args=(database, stop, lags))
        thread.start()
        time.sleep(1)
        begin = time.monotonic()
        for number in range(int(rate * seconds)):
            wait = begin + number / rate - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            rename(database, number + 1_000_000, customers)
        took = time.monotonic() - begin
        time.sleep(2.5)
        found = status()
    stop.set()
    thread.join()
    bare = quantile(lags, 0.5), quantile(lags, 0.99)
    print(f"lag: {int(rate * seconds):,} renames at {int(rate * seconds) / took:,.0f}/s (alone {ceiling:,.0f}/s)")
    print(f"  bare reader  p50 {bare[0]:.1f} ms, p99 {bare[1]:.1f} ms")
    print(
        f"  nestling     p50 {found['lag_p50_ms']:.1f} ms, p99 {found['lag_p99_ms']:.1f} ms ({found['written']:,} copies)"
    )
    print(f"  p99 ratio    {found['lag_p99_ms'] / max(bare[1], 0.001):.2f}")


def throughput(server: Server, database: Database[Any], changes: int, copies: int, rounds: int) -> None:
    plan = sync_plan(read_proposal(DESIGN, "shop.yaml").design)
    filled(database, changes, copies)
    sync(database, plan, SyncOptions(once=True))
    by_hand = database.get_collection("purchases", write_concern=WriteConcern("majority"))
    walls, least = [], []
    for number in range(rounds):
        changed = [UpdateOne({"_id": c}, {"$set": {"name": f"round {number} {c}"}}) for c in range(changes)]
        for start in range(0, changes, BULK):
            database.customers.bulk_write([*changed[start : start + BULK]], ordered=False)
        updates = [
            UpdateOne({"_id": c * copies + n}, {"$set": {"customer": {"name": f"hand {number} {c}"}}})
            for c in range(changes)
            for n in range(copies)
        ]

        def ours() -> None:
            report = sync(database, plan, SyncOptions(once=True), metrics=Metrics())
            assert report.written == changes * copies, report

        def theirs(updates: list[UpdateOne] = updates) -> None:
            for start in range(0, len(updates), BULK):
                by_hand.bulk_write(updates[start : start + BULK], ordered=True)

        begin = time.monotonic()
        mine = undisturbed_seconds(ours, server.pid)
        middle = time.monotonic()
        hand = undisturbed_seconds(theirs, server.pid)
        walls.append((time.monotonic() - middle) / (middle - begin))
        least.append((mine, hand))
    ours_seconds, theirs_seconds = (statistics.median(each) for each in zip(*least, strict=True))
    count = changes * copies
    print(f"throughput: {changes:,} changes with {copies} copies each, {rounds} rounds; undisturbed, then by the clock")
    print(f"  nestling     {count / ours_seconds:,.0f} copies/s")
    print(f"  ordered bulk {count / theirs_seconds:,.0f} copies/s")
    ratios = [hand / mine for mine, hand in least]
    print(f"  ratio        {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    print(f"  by the clock {statistics.median(walls):.2f} ({min(walls):.2f} to {max(walls):.2f})")


def fan_out(uri: str, database: Database[Any], folder: Path, copies: int) -> None:
    filled(database, 1_000, 1)
    for start in range(0, copies, 10_000):
        some = range(start, min(start + 10_000, copies))
        database.purchases.insert_many(
            [{"_id": -1 - n, "customer_id": 0, "total": n, "customer": {"name": "name 0"}} for n in some]
        )
    with synced(uri, folder) as status:
        database.customers.update_one({"_id": 0}, {"$set": {"name": "changed"}})
        begin = time.monotonic()
        lags: list[float] = []
        number = 1
        while copied_name(database, _id=-copies) != "changed":
            customer = 1 + number % 999
            database.customers.update_one({"_id": customer}, {"$set": {"name": f"new {number}"}})
            asked = time.monotonic()
            while copied_name(database, customer_id=customer) != f"new {number}":
                time.sleep(0.001)
            lags.append((time.monotonic() - asked) * 1000)
            number += 1
        took = time.monotonic() - begin
        time.sleep(1.5)
        assert status()["written"] >= copies
    print(f"fan-out: one change with {copies:,} copies took {took:.1f} s; meanwhile {len(lags):,} other changes")
    print(f"  their copies were right after p50 {quantile(lags, 0.5):.1f} ms, p99 {quantile(lags, 0.99):.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--changes", type=int, default=20_000)
    parser.add_argument("--copies", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fan-out", type=int, default=100_000)
    asked = parser.parse_args()
    with start_server() as server, connect(server.uri) as client, tempfile.TemporaryDirectory() as name:
        uri, folder = server.uri.replace("/?", "/sync_benchmark?"), Path(name)
        database = client["sync_benchmark"]
        throughput(server, database, asked.changes, asked.copies, asked.rounds)
        lag(uri, database, folder, asked.seconds)
        fan_out(uri, database, folder, asked.fan_out)


if __name__ == "__main__":
    main()
