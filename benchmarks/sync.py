"""How far behind, and how fast, the background sync is: beside a bare change stream reader and a hand-written ordered bulk.

`python -m benchmarks.sync` runs three trials on an embedded MongoDB, purchases with a copy of their customer's name:

- **lag**: an application renames customers at half the rate the server takes from it; in the same run a bare reader and
  `nestling sync` follow, each a process of its own. Lag is from the server's own time of the change to its being read, and to the
  copies' having been written;
- **throughput**: renames that nobody has followed yet, then followed at once, beside an ordered bulk of the same updates of the
  copies in a twin of their collection (majority writes, 1,000 at a time), interleaved;
- **fan-out**: customers are renamed one after the other, first alone, then beside one with 100,000 purchases: their lag.

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


def bare_reader(uri: str) -> None:
    """Reads until its input ends, and does nothing; then prints the lags in milliseconds."""
    lags: list[float] = []
    over = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        over.set()

    threading.Thread(target=wait, daemon=True).start()
    with connect(uri) as client, follow(client.get_default_database(), Watching(("customers",))) as stream:
        print("reading", flush=True)
        while not over.is_set():
            for change in stream.take(500, 0.25).changes:
                assert change.wall is not None, "only servers before 6.0 do not say when"
                now = datetime.now(UTC).replace(tzinfo=None)
                lags.append((now - change.wall).total_seconds() * 1000)
    print(json.dumps(lags), flush=True)


@contextmanager
def bare_read(uri: str) -> Iterator[Callable[[], list[float]]]:
    """A bare reader as a process of its own; yields what ends it and tells its lags."""
    command = [sys.executable, "-m", "benchmarks.sync", "--bare-reader", uri]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "reading\n"

        def ended() -> list[float]:
            found: list[float] = json.loads(running.communicate()[0])
            return found

        yield ended


def copied_name(database: Database[Any], **which: int) -> object:
    """What a purchase says its customer is called."""
    purchase = database.purchases.find_one(which)
    assert purchase is not None
    return purchase["customer"]["name"]


def rename(database: Database[Any], number: int, customers: int) -> None:
    database.customers.update_one({"_id": number % customers}, {"$set": {"name": f"new {number}"}})


def lag(uri: str, database: Database[Any], folder: Path, seconds: float, rounds: int) -> None:
    customers = 2_000
    filled(database, customers, 2)
    end, count = time.monotonic() + 3, 0
    while time.monotonic() < end:
        rename(database, count, customers)
        count += 1
    rate = count / 6
    print(f"lag: {rate * seconds:,.0f} renames at {rate:,.0f}/s (alone {2 * rate:,.0f}/s), {rounds} rounds")
    ratios = []
    for number in range(rounds):
        bare, ours = lagging(uri, database, folder, (rate, seconds), number, customers)
        print(f"  bare reader p50 {quantile(bare, 0.5):.1f} ms, p99 {quantile(bare, 0.99):.1f} ms; ", end="")
        print(f"nestling p50 {ours['lag_p50_ms']:.1f} ms, p99 {ours['lag_p99_ms']:.1f} ms ({ours['written']:,} copies)")
        ratios.append(ours["lag_p99_ms"] / max(quantile(bare, 0.99), 0.001))
    print(f"  p99 ratio   {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def lagging(
    uri: str, database: Database[Any], folder: Path, pace: tuple[float, float], number: int, customers: int
) -> tuple[list[float], dict[str, Any]]:
    """The bare reader's lags, and what the sync tells, after changes at a rate for some seconds."""
    rate, seconds = pace
    with synced(uri, folder) as status, bare_read(uri) as ended:
        begin = time.monotonic()
        for each in range(int(rate * seconds)):
            wait = begin + each / rate - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            rename(database, (number + 1) * 1_000_000 + each, customers)
        time.sleep(2.5)
        return ended(), status()


def throughput(server: Server, database: Database[Any], changes: int, copies: int, rounds: int) -> None:
    plan = sync_plan(read_proposal(DESIGN, "shop.yaml").design)
    filled(database, changes, copies)
    sync(database, plan, SyncOptions(once=True))
    database.purchases.aggregate([{"$out": "twins"}]).close()  # nobody follows what is written by hand
    database.twins.create_index("customer_id")
    by_hand = database.get_collection("twins", write_concern=WriteConcern("majority"))
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
        alone = [followed(database, number) for number in range(200)]
        database.customers.update_one({"_id": 0}, {"$set": {"name": "changed"}})
        begin, number = time.monotonic(), 1_000
        lags: list[float] = []
        while copied_name(database, _id=-copies) != "changed":
            lags.append(followed(database, number))
            number += 1
        took = time.monotonic() - begin
        time.sleep(1.5)
        assert status()["written"] >= copies
    print(f"fan-out: one change with {copies:,} copies took {took:.1f} s; meanwhile {len(lags):,} other changes")
    for when, found in (("before", alone), ("meanwhile", lags)):
        print(
            f"  {when}: copies were right after p50 {quantile(found, 0.5):.1f} ms, p99 {quantile(found, 0.99):.1f} ms"
        )


def followed(database: Database[Any], number: int) -> float:
    """Rename one of the other customers; milliseconds until the copy says so."""
    customer = 1 + number % 999
    database.customers.update_one({"_id": customer}, {"$set": {"name": f"new {number}"}})
    asked = time.monotonic()
    while copied_name(database, customer_id=customer) != f"new {number}":
        time.sleep(0.001)
    return (time.monotonic() - asked) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--changes", type=int, default=20_000)
    parser.add_argument("--copies", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fan-out", type=int, default=100_000)
    parser.add_argument("--bare-reader", metavar="URI", help="be the bare reader of another run")
    asked = parser.parse_args()
    if asked.bare_reader:
        bare_reader(asked.bare_reader)
        return
    with start_server() as server, connect(server.uri) as client, tempfile.TemporaryDirectory() as name:
        uri, folder = server.uri.replace("/?", "/sync_benchmark?"), Path(name)
        database = client["sync_benchmark"]
        throughput(server, database, asked.changes, asked.copies, asked.rounds)
        lag(uri, database, folder, asked.seconds, asked.rounds)
        fan_out(uri, database, folder, asked.fan_out)


if __name__ == "__main__":
    main()
