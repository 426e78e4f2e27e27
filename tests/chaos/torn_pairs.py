"""Readers that look for torn pairs – a source and its copy that do not agree – while others write."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from pymongo import MongoClient, ReadPreference
from pymongo.errors import PyMongoError
from pymongo.read_concern import ReadConcern

from nestling.common.errors import NestlingError
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal
from nestling.store import Store

CUSTOMERS, PURCHASES, LINES = 20, 200, 4
PAUSE_SECONDS = 0.05

DESIGN = """
nestling: 1
strategy: by hand
model:
  name: shop
  entities:
    customer: {key: [id], attributes: {id: integer!, name: text}}
    purchase: {key: [id], attributes: {id: integer!, customer_id: integer}}
    line: {key: [purchase_id, number], attributes: {purchase_id: integer!, number: integer!, quantity: integer!}}
  relationships:
    purchases: {parent: customer, child: purchase, attributes: [customer_id]}
    lines: {parent: purchase, child: line, attributes: [purchase_id], required: true}
design:
  collections:
    customers: {root: customer, id: [id]}
    purchases:
      root: purchase
      id: [id]
      embeddings: {lines: {of: lines, as: array}}
      references: {purchases: parent-reference}
      copies: {customer: {of: "purchases:up", attributes: [name], as: object, freshness: transaction}}
      computed:
        items: {count: lines, freshness: same-document}
        quantity: {sum: quantity, of: lines, freshness: same-document}
  indexes: [{collection: purchases, keys: [customer_id]}]
"""

Stages = list[dict[str, Any]]

ACROSS: Stages = [
    {"$lookup": {"from": "customers", "localField": "customer_id", "foreignField": "_id", "as": "source"}},
    {"$set": {"torn": {"$ne": ["$customer.name", {"$first": "$source.name"}]}}},
]
"""Whether a purchase's copy of its customer's name is torn from its source."""
WITHIN: Stages = [
    {
        "$set": {
            "torn": {
                "$or": [
                    {"$ne": ["$items", {"$size": {"$ifNull": ["$lines", []]}}]},
                    {"$ne": [{"$ifNull": ["$quantity", 0]}, {"$sum": "$lines.quantity"}]},
                ]
            }
        }
    },
]
"""Whether its count and its sum are torn from its lines."""
COUNTED: dict[str, Any] = {"$group": {"_id": None, "pairs": {"$sum": 1}, "torn": {"$sum": {"$cond": ["$torn", 1, 0]}}}}
KINDS: dict[str, tuple[Stages, ReadConcern]] = {
    "transaction": (ACROSS, ReadConcern("snapshot")),
    "same-document": (WITHIN, ReadConcern("local")),
}
"""Documents agree with each other at one moment; one document agrees with itself however it is read."""


def proposal() -> Proposal:
    """Purchases with their lines, a count and a sum of these, and a copy of their customer's name."""
    return read_proposal(DESIGN, "torn.yaml")


class Pairs:
    """A loaded database, and what has been read of it so far, by kind: pairs, and torn ones."""

    def __init__(self, uri: str, name: str) -> None:
        self._uri, self._name = uri, name
        self.seen: Counter[str] = Counter()
        self.torn: Counter[str] = Counter()
        self.written = 0
        self.failed = 0
        self.surprises: list[BaseException] = []
        self._over = threading.Event()

    def load(self) -> None:
        """Write all documents as they must be."""
        with MongoClient[dict[str, Any]](self._uri) as client:
            database = client.get_database(self._name)
            database.purchases.create_index("customer_id")
            database.customers.insert_many([{"_id": c, "name": "first"} for c in range(CUSTOMERS)])
            lines = [{"number": n, "quantity": n} for n in range(LINES)]
            database.purchases.insert_many(
                [
                    {
                        "_id": p,
                        "customer_id": p % CUSTOMERS,
                        "customer": {"name": "first"},
                        "lines": lines,
                        "items": LINES,
                        "quantity": sum(range(LINES)),
                    }
                    for p in range(PURCHASES)
                ]
            )

    @contextmanager
    def under_way(self, writers: int = 2) -> Iterator[None]:
        """Writers and readers of both kinds, on the primary and on others, for as long as the block lasts."""
        works = [(self._write, number) for number in range(writers)]
        threads = [threading.Thread(target=self._guarded, args=each) for each in works]
        threads += [threading.Thread(target=self._guarded, args=(self._read, kind)) for kind in KINDS]
        for each in threads:
            each.start()
        try:
            yield
        finally:
            self._over.set()
            for each in threads:
                each.join()

    @property
    def least_seen(self) -> int:
        """Pairs read of the kind of which the fewest have been."""
        return min(self.seen[kind] for kind in KINDS)

    def _guarded(self, work: Any, what: object) -> None:
        try:
            with MongoClient[dict[str, Any]](self._uri) as client:
                work(client, what)
        except BaseException as error:
            self.surprises.append(error)

    def _write(self, client: MongoClient[dict[str, Any]], seed: int) -> None:
        """Rename customers, change lines, add and remove some; what a failover refuses is left."""
        chance, store = Random(seed), Store(proposal(), client[self._name])
        number = LINES
        while not self._over.is_set():
            number += 1
            line = {"p": chance.randrange(PURCHASES), "n": number * 10 + seed}
            todo = (
                ("UPDATE customer SET name = :x WHERE id = :c", {"x": f"{seed}-{number}", "c": number % CUSTOMERS}),
                ("INSERT INTO line (purchase_id, number, quantity) VALUES (:p, :n, 5)", line),
                ("UPDATE line SET quantity = :q WHERE purchase_id = :p AND number = :n", {**line, "q": number % 9}),
                ("DELETE FROM line WHERE purchase_id = :p AND number = :n", line),
            )
            for sql, values in todo:
                try:
                    self.written += store.execute(sql, **values).affected or 0
                except (PyMongoError, NestlingError):
                    self.failed += 1

    def _read(self, client: MongoClient[dict[str, Any]], kind: str) -> None:
        """Read all pairs of a kind, again and again, in turns on the primary and on a secondary where there is one."""
        stages, concern = KINDS[kind]
        places = (ReadPreference.PRIMARY_PREFERRED, ReadPreference.SECONDARY_PREFERRED)
        turn = 0
        while not self._over.is_set():
            turn += 1
            purchases = client[self._name].get_collection(
                "purchases", read_concern=concern, read_preference=places[turn % 2]
            )
            try:
                found = list(purchases.aggregate([*stages, COUNTED]))
            except PyMongoError:
                self._over.wait(PAUSE_SECONDS)
                continue
            for each in found:
                self.seen[kind] += each["pairs"]
                self.torn[kind] += each["torn"]
