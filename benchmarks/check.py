"""How fast checking is, beside reading the same collections once.

`python -m benchmarks.check` loads customers, products, purchases with their lines inside, and reviews, with copies and
computed values of every kind, and then checks them, interleaved with reading:

- **read**: every document of the collections a run_checks is about, fetched once, raw (nothing is decoded);
- **decoded**: the same, each document decoded as an application does;
- **run_checks**: `nestling run_checks`.

A share of 1 is the speed of reading; asked for is half of it. Seconds are those of an undisturbed machine (processor time of
client and server if less than the clock): that checks are made two at a time does not show. `--reviews 500000` for more.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo.database import Database

from benchmarks.processor_time import undisturbed_seconds
from nestling.common.connection import connect
from nestling.common.server import Server, start_server
from nestling.emitters.commands import index_commands
from nestling.executors.check import CheckOptions, run_checks
from nestling.executors.check.differing_rows import collections_in
from nestling.executors.create import create_indexes
from nestling.executors.load import load
from nestling.ir.design import Design
from nestling.ir.drift import CompiledCheck
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import (
    Collection,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Index,
    Order,
    Reference,
)
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.types import INTEGER, TEXT, Type
from nestling.pipeline.checking import compiled_check
from nestling.planner.checks import checks_of
from nestling.sources.front import open_rows

WHEN = Type.parse("timestamp")
WORDS = ("plain", "and", "useful", "thing", "that", "does", "what", "it", "says", "lasts", "longer", "than", "anybody")


def _entity(called: str, key: tuple[str, ...], /, **attributes: Type) -> Entity:
    return Entity(called, tuple(Attribute(a, kind, nullable=False) for a, kind in attributes.items()), key)


def _link(name: str, parent: str, child: str, by: str) -> Relationship:
    return Relationship(name, parent, child, ("id",), (by,), required=True)


MODEL = Model(
    "shop",
    (
        _entity("customer", ("id",), id=INTEGER, name=TEXT, about=TEXT),
        _entity("product", ("id",), id=INTEGER, name=TEXT, description=TEXT),
        _entity("purchase", ("id",), id=INTEGER, customer_id=INTEGER, placed=WHEN, note=TEXT),
        _entity(
            "line", ("purchase_id", "number"), purchase_id=INTEGER, number=INTEGER, product_id=INTEGER, quantity=INTEGER
        ),
        _entity(
            "review", ("id",), id=INTEGER, product_id=INTEGER, customer_id=INTEGER, rating=INTEGER, at=WHEN, body=TEXT
        ),
    ),
    (
        _link("buyer", "customer", "purchase", "customer_id"),
        _link("lines", "purchase", "line", "purchase_id"),
        _link("bought", "product", "line", "product_id"),
        _link("reviewed", "product", "review", "product_id"),
        _link("reviewer", "customer", "review", "customer_id"),
    ),
)


def _above(name: str, link: str) -> Copy:
    """The name of the row a foreign key leads to."""
    return Copy(name, (Hop(link, up=True),), (Field("name", f"{name}.name"),), Form.INLINE, TRANSACTION)


def _design() -> Design:
    reviews = (Hop("reviewed", up=False),)
    newest = Copy(
        "recent_reviews",
        reviews,
        (Field("rating", "rating"), Field("at", "at")),
        Form.ARRAY,
        TRANSACTION,
        (Order("at", descending=True),),
        5,
    )
    line = Document("line", references=(Reference("bought", Holder.CHILD),), copies=(_above("product", "bought"),))
    by_child = [Reference(name, Holder.CHILD) for name in ("buyer", "reviewed", "reviewer")]
    collections = (
        Collection("customers", Document("customer"), ("id",)),
        Collection(
            "products",
            Document(
                "product",
                copies=(newest,),
                computed=(
                    Computed("review_count", reviews, AggregateKind.COUNT, TRANSACTION),
                    Computed("rating_sum", reviews, AggregateKind.SUM, TRANSACTION, "rating"),
                ),
            ),
            ("id",),
        ),
        Collection(
            "purchases",
            Document(
                "purchase",
                embeddings=(Embedding("lines", "lines", Form.ARRAY, line),),
                references=(by_child[0],),
                copies=(_above("customer", "buyer"),),
            ),
            ("id",),
        ),
        Collection(
            "reviews",
            Document(
                "review",
                references=(by_child[1], by_child[2]),
                copies=(_above("product", "reviewed"), _above("customer", "reviewer")),
            ),
            ("id",),
        ),
    )
    indexes = (Index("reviews", (("product_id", 1), ("at", -1))),)
    return Design(MODEL, collections, indexes)


def _fill(path: Path, reviews: int) -> None:
    """Rows: as many purchases as reviews with three lines each, a review for every 20 products, 5 for a customer."""
    chance = random.Random(7)
    products, customers = reviews // 20, reviews // 5

    def words(count: int) -> str:
        return " ".join(chance.choices(WORDS, k=count))

    def moment(number: int) -> str:
        return f"20{10 + number % 14:02}-{1 + number % 12:02}-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}:00"

    rows: dict[str, Iterable[tuple[object, ...]]] = {
        "customer": ((n, words(3), words(30)) for n in range(customers)),
        "product": ((n, words(4), words(80)) for n in range(products)),
        "purchase": ((n, chance.randrange(customers), moment(n), words(10)) for n in range(reviews)),
        "line": ((n, k, chance.randrange(products), 1 + k) for n in range(reviews) for k in range(3)),
        "review": (
            (n, chance.randrange(products), chance.randrange(customers), n % 6, moment(n), words(50))
            for n in range(reviews)
        ),
    }
    with closing(sqlite3.connect(path)) as connection, connection:
        for entity in MODEL.entities:
            kinds = ", ".join(f"{a.name} {'INTEGER' if a.type == INTEGER else 'TEXT'}" for a in entity.attributes)
            connection.execute(f"CREATE TABLE {entity.name} ({kinds}, PRIMARY KEY ({', '.join(entity.key)}))")
            marks = ", ".join("?" * len(entity.attributes))
            connection.executemany(f"INSERT INTO {entity.name} VALUES ({marks})", rows[entity.name])


def _read(database: Database[Any], names: Iterable[str]) -> None:
    for name in names:
        for _ in database[name].find_raw_batches(batch_size=10_000):
            pass


def _decoded(database: Database[Any], names: Iterable[str]) -> None:
    for name in names:
        for _ in database[name].find(batch_size=10_000):
            pass


def _names(compiled: CompiledCheck) -> list[str]:
    return sorted({compiled.check.collection, *collections_in(compiled.read.pipeline)})


def _check(database: Database[Any], compiled: list[CompiledCheck]) -> None:
    report = run_checks(compiled, database, way=CheckOptions())
    assert report.clean, report.findings


def main() -> None:
    """Load, then run_checks and read in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reviews", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--together", action="store_true", help="only all checks in one run, not each by itself")
    options = parser.parse_args()
    design = _design()
    with tempfile.TemporaryDirectory() as folder, start_server() as server, connect(server.uri) as client:
        _fill(Path(folder) / "shop.db", options.reviews)
        database = client["check"]
        load(design, open_rows(f"sqlite:///{folder}/shop.db", MODEL), database)
        create_indexes(database, index_commands(design))
        compiled = [compiled_check(each) for each in checks_of(design).checks]
        everything = sorted({store.name for store in design.stores})
        _read(database, everything)
        print(
            f"{'check':40} {'documents':>10} {'read s':>8} {'share':>6} {'decoded s':>10} {'share':>6} {'check s':>8}"
        )
        for each in compiled if not options.together else ():
            _row(each.check.key, (server, database), [each], _names(each), options.rounds)
        _row("all checks", (server, database), compiled, everything, options.rounds)


def _row(
    title: str, where: tuple[Server, Database[Any]], compiled: list[CompiledCheck], names: list[str], rounds: int
) -> None:
    server, database = where
    works = (lambda: _read(database, names), lambda: _decoded(database, names), lambda: _check(database, compiled))
    times = [[undisturbed_seconds(work, server.pid) for work in works] for _ in range(rounds)]
    read, decoded, checked = (statistics.median(each) for each in zip(*times, strict=True))
    documents = sum(database[name].estimated_document_count() for name in names)
    shares = f"{read:8.2f} {read / checked:6.2f} {decoded:10.2f} {decoded / checked:6.2f} {checked:8.2f}"
    print(f"{title:40} {documents:10,} {shares}", flush=True)


if __name__ == "__main__":
    main()
