"""From which share of matching documents on an index makes a statement slower than a scan, on a real server.

`python -m benchmarks.index_share` prints a Markdown table: a `$group` behind a `$match`, and a count, with and without the index
on what they match.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from pymongo import MongoClient
from pymongo.collection import Collection

from nestling.common.server import start_server

DOCUMENTS = 100_000
ROUNDS = 7
SHARES = (1, 5, 10, 20, 30, 40, 50, 70, 90)
"""Percent of the documents that match."""

Payments = Collection[dict[str, Any]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    given = parser.parse_args()
    with start_server() as server, MongoClient[dict[str, Any]](server.uri) as client:
        payments = client.share.payments
        payments.insert_many(map(_document, range(given.documents)))
        print("| documents that match | `$group`, scan | `$group`, index | count, scan | count, index |")
        print("|---|---|---|---|---|")
        scans = [[_milliseconds(ask, payments, share) for ask in (_group, _count)] for share in SHARES]
        for share in SHARES:
            payments.create_index(f"of_{share}")
        for share, (group, count) in zip(SHARES, scans, strict=True):
            by_index = [_milliseconds(ask, payments, share) for ask in (_group, _count)]
            print(f"| {share} % | {group:.1f} ms | {by_index[0]:.1f} ms | {count:.1f} ms | {by_index[1]:.1f} ms |")


def _document(number: int) -> dict[str, Any]:
    """A payment of some 300 bytes; of each share its field says whether it is of those that match."""
    place = number * 7_919 % 100  # spread over the collection
    shares = {f"of_{share}": place < share for share in SHARES}
    return {"_id": number, "tenant": number % 50, "amount": number, "note": "n" * 120, **shares}


def _group(payments: Payments, share: int) -> None:
    list(
        payments.aggregate(
            [{"$match": {f"of_{share}": True}}, {"$group": {"_id": "$tenant", "sum": {"$sum": "$amount"}}}]
        )
    )


def _count(payments: Payments, share: int) -> None:
    payments.count_documents({f"of_{share}": True})


def _milliseconds(ask: Callable[[Payments, int], None], payments: Payments, share: int) -> float:
    """The best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        ask(payments, share)
        best = min(best, time.perf_counter() - begun)
    return 1_000 * best


if __name__ == "__main__":
    main()
