"""How fast loading is, beside the script a user would write and beside the fastest the server takes the same documents.

`python -m benchmarks.load` generates orders and lines in SQLite and loads them embedded, three ways, interleaved in one run:

- **nestling**: `load`, with its checkpoints, validators off (the rivals have none);
- **script**: SQLAlchemy rows to dictionaries to `insert_many`, what a user would write;
- **ceiling**: the same documents, encoded beforehand, inserted raw.

Client and server share one core (`--cores` for more). `--rows 5000000` loads a table of that many rows and reports peak memory.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from datetime import time as midnight
from pathlib import Path
from typing import Any

import bson
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database

from nestling.common.collector import seldom_collected
from nestling.common.connection import connect
from nestling.common.server import start_server
from nestling.executors.load import LoadReport, load
from nestling.executors.load.level import own_columns
from nestling.executors.load.merge import Merge
from nestling.executors.load.stored_value import ValueEncoders
from nestling.executors.load.units import units_of
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form
from nestling.ir.rows import RowQuery
from nestling.ir.types import INTEGER, TEXT, Type
from nestling.ir.values import Policy
from nestling.sources.sql import open_database

BATCH = 2_000
DATE = Type.parse("date")
MODEL = Model(
    "orders",
    (
        Entity(
            "order",
            (
                Attribute("id", INTEGER, nullable=False),
                Attribute("customer", TEXT, nullable=False),
                Attribute("placed", DATE, nullable=False),
                Attribute("status", TEXT, nullable=False),
                Attribute("note", TEXT),
            ),
            ("id",),
        ),
        Entity(
            "line",
            (
                Attribute("id", INTEGER, nullable=False),
                Attribute("order_id", INTEGER, nullable=False),
                Attribute("product", TEXT, nullable=False),
                Attribute("quantity", INTEGER, nullable=False),
                Attribute("price", Type.parse("float"), nullable=False),
            ),
            ("id",),
        ),
    ),
    (Relationship("order_line", "order", "line", ("id",), ("order_id",), required=True),),
)
LINES = Embedding("lines", "order_line", Form.ARRAY, Document("line"))
DESIGN = Design(MODEL, (Collection("orders", Document("order", embeddings=(LINES,)), ("id",)),))


def generate(path: Path, orders: int) -> int:
    """Orders with about four lines each; returns how many rows there are."""
    chance = random.Random(42)
    connection = sqlite3.connect(path)
    connection.executescript(
        """CREATE TABLE "order" (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, placed DATE NOT NULL, status TEXT NOT NULL,
                                 note TEXT);
           CREATE TABLE line (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES "order", product TEXT NOT NULL,
                              quantity INTEGER NOT NULL, price REAL NOT NULL);"""
    )
    line = 0
    for number in range(1, orders + 1):
        note = "deliver after six" if number % 3 == 0 else None
        placed = f"20{chance.randint(10, 25)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        order = (number, f"customer {chance.randint(1, 9999)}", placed, chance.choice(["new", "paid", "sent"]), note)
        connection.execute('INSERT INTO "order" VALUES (?,?,?,?,?)', order)
        for _ in range(chance.randint(1, 7)):
            line += 1
            product = f"product {chance.randint(1, 5000)}"
            item = (line, number, product, chance.randint(1, 20), chance.randint(100, 99999) / 100)
            connection.execute("INSERT INTO line VALUES (?,?,?,?,?)", item)
    connection.execute("CREATE INDEX line_order ON line (order_id)")
    connection.commit()
    connection.close()
    return orders + line


def nestling(path: Path, database: Database[Any]) -> LoadReport:
    """This project."""
    return load(DESIGN, open_database(f"sqlite:///{path}", model=MODEL), database)


def script(path: Path, database: Database[Any]) -> None:
    """What a user would write."""
    import sqlalchemy as sa

    engine = sa.create_engine(f"sqlite:///{path}")
    tables = sa.MetaData()
    tables.reflect(engine)
    order, line = tables.tables["order"], tables.tables["line"]
    with engine.connect() as connection:
        lines: dict[int, list[dict[str, Any]]] = {}
        for row in connection.execute(sa.select(line).order_by(line.c.id)):
            document = dict(row._mapping)
            lines.setdefault(document.pop("order_id"), []).append(document)
        batch = []
        for row in connection.execute(sa.select(order).order_by(order.c.id)):
            document = {name: value for name, value in row._mapping.items() if value is not None}
            document["_id"] = document.pop("id")
            document["placed"] = datetime.combine(document["placed"], midnight())
            document["lines"] = lines.get(document["_id"], [])
            batch.append(document)
            if len(batch) == BATCH:
                database.orders.insert_many(batch)
                batch = []
        if batch:
            database.orders.insert_many(batch)
    engine.dispose()


def ceiling(documents: list[RawBSONDocument], database: Database[Any]) -> None:
    """Nothing but the server's work."""
    for start in range(0, len(documents), BATCH):
        database.orders.insert_many(documents[start : start + BATCH], ordered=False)


def timed(work: Callable[[], Any]) -> float:
    """Seconds of wall-clock time."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(orders: int, repeats: int) -> None:
    """All three, interleaved, medians and ratios."""
    with tempfile.TemporaryDirectory() as folder, start_server() as server, connect(server.uri) as client:
        path = Path(folder) / "orders.db"
        rows = generate(path, orders)
        database = client.get_database("load_benchmark")
        seconds: dict[str, list[float]] = {"nestling": [], "script": [], "ceiling": []}
        nestling(path, database)
        raw: CodecOptions[RawBSONDocument] = CodecOptions(document_class=RawBSONDocument)
        loaded: Any = database.get_collection("orders", codec_options=raw)
        documents = [RawBSONDocument(bytes(found.raw)) for found in loaded.find()]
        for _ in range(repeats):
            for name, work in (
                ("nestling", lambda: nestling(path, database)),
                ("script", lambda: script(path, database)),
                ("ceiling", lambda: ceiling(documents, database)),
            ):
                client.drop_database(database.name)
                client.admin.command("fsync")
                seconds[name].append(timed(work))
        print(
            f"MongoDB {server.version}, {os.cpu_count()} cores of which {len(os.sched_getaffinity(0))} used, ", end=""
        )
        print(f"{orders:,} orders with {rows - orders:,} lines, {sum(len(d.raw) for d in documents):,} bytes of BSON")
        _print_rates(seconds, rows)
        client.drop_database(database.name)
        where_it_goes(path, database)


def _print_rates(seconds: dict[str, list[float]], rows: int) -> None:
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    print(f"\n| | seconds (median of {len(seconds['script'])}) | spread | rows/s |\n|---|---|---|---|")
    for name, median in medians.items():
        spread = f"{min(seconds[name]):.2f}–{max(seconds[name]):.2f}"
        print(f"| {name} | {median:.2f} | {spread} | {rows / median:,.0f} |")
    print(f"\nnestling / script: {medians['script'] / medians['nestling']:.2f} × as fast")
    print(f"nestling / ceiling: {medians['ceiling'] / medians['nestling']:.0%} of its speed")


def where_it_goes(path: Path, database: Database[Any]) -> None:
    """CPU seconds of the client by stage, each measured as what it adds to the one before, and of the server."""
    source = open_database(f"sqlite:///{path}", model=MODEL)
    unit = units_of(DESIGN)[0]

    def merge() -> Merge:
        return Merge(DESIGN, source, ValueEncoders(Policy()), datetime.now(UTC), None, collections.Counter())

    def read() -> None:
        for entity, first in (("order", "id"), ("line", "order_id")):
            columns = own_columns((first, *MODEL.entity(entity).attribute_names))
            collections.deque(source.rows(RowQuery(entity, columns, own_columns((first, "id")))), maxlen=0)

    def build() -> None:
        collections.deque(unit.documents(merge()), maxlen=0)

    def encode() -> None:
        for _, document, _ in unit.documents(merge()):
            bson.encode(document, codec_options=CODEC)

    def load_all() -> None:
        database.client.drop_database(database.name)
        nestling(path, database)

    with seldom_collected():
        reading, building, encoding = cpu_seconds(read), cpu_seconds(build), cpu_seconds(encode)
    whole = cpu_seconds(load_all)
    rest = whole - encoding
    print("\n| CPU seconds of the client | |\n|---|---|")
    for stage, seconds in (
        ("read rows", reading),
        ("build documents", building - reading),
        ("encode them", encoding - building),
        ("check, count, send, wait", rest),
    ):
        print(f"| {stage} | {seconds:.2f} |")


def cpu_seconds(work: Callable[[], Any]) -> float:
    """Least CPU seconds of three runs: what other programs do to the caches only ever adds."""
    found = []
    for _ in range(3):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def one_table(rows: int) -> None:
    """One table of many rows: time and peak memory."""
    with tempfile.TemporaryDirectory() as folder, start_server() as server, connect(server.uri) as client:
        path = Path(folder) / "big.db"
        connection = sqlite3.connect(path)
        connection.execute(
            "CREATE TABLE event (id INTEGER PRIMARY KEY, device TEXT NOT NULL, at TEXT NOT NULL, value REAL)"
        )
        connection.execute(
            """INSERT INTO event WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
               SELECT i, 'device ' || (i % 1000), '2025-01-01 00:00', i / 7.0 FROM n""",
            (rows,),
        )
        connection.commit()
        connection.close()
        source = open_database(f"sqlite:///{path}")
        entity = source.model.entity("event")
        design = Design(source.model, (Collection("events", Document(entity.name), ("id",)),))
        report = load(design, source, client.get_database("load_benchmark"))
        print("| rows | seconds | rows/s | peak memory |\n|---|---|---|---|")
        print(f"| {rows:,} | {report.seconds:.0f} | {rows / report.seconds:,.0f} | {report.peak_bytes / 1e6:,.0f} MB |")


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=60_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--rows", type=int, help="load one table of so many rows instead")
    chosen = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # inherited by the server
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: chosen.cores])
    if chosen.rows:
        one_table(chosen.rows)
    else:
        compare(chosen.orders, chosen.repeats)


if __name__ == "__main__":
    main()
