"""What forms of statements save: `python -m benchmarks.statement_forms [--rounds 15]`.

Each statement in the form it is compiled to and in another one with the same effect or answer, in turns on one server; the least
time of each form, and how many times as long the other takes. Five forms: one request for the rows of an `INSERT … SELECT`
(beside one for each row, and beside `insert_many` of documents that are at hand), the elements that an outer join keeps (beside
looking each document up again), `lower()` of texts with one letter that is not of ASCII (beside a look for each letter), and
a lookup and a new row where `lower(email)` is unique (beside the same without the index whatever the case).
Prints Markdown.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.server import open_server
from nestling.emitters.mql.read import compiled_read
from nestling.emitters.mql.sql.functions.characters import exchanged, exchanged_letters
from nestling.executors.run import run_read
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite, ForEach, GivenRows, ProgramStep
from nestling.ir.proposal import Proposal
from nestling.ir.statements.algebra import Query
from nestling.ir.value_forms.letter_case import LOWER_OF
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from nestling.planner.sql import translate

TABLES = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, state INTEGER NOT NULL);
CREATE TABLE archived (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, state INTEGER NOT NULL);
"""
LOGIN = """
CREATE TABLE login (id integer PRIMARY KEY, email text NOT NULL);
CREATE UNIQUE INDEX one_email ON login (lower(email));
"""
CUSTOMERS, ORDERS, STATES, TEXTS = 300, 4000, 5, 20_000
ARCHIVE = "INSERT INTO archived SELECT id, customer_id, state FROM orders WHERE state = 1"
OUTER = (
    "SELECT c.id, c.name, count(o.id) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.state = 3"
    " GROUP BY c.id, c.name"
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    print("| statement | ms | the other form | ms | times as long |\n|---|---|---|---|---|")
    with (
        tempfile.TemporaryDirectory() as folder,
        open_server() as server,
        MongoClient[dict[str, Any]](server.uri) as client,
    ):
        source = _source(Path(folder))
        normalized, embedded = (_loaded(source, client[name], name) for name in ("normalized", "embedded"))
        _inserts(client["normalized"], normalized, rounds)
        _outer_joins(client["embedded"], embedded, rounds)
        _letters(client["letters"], rounds)
        _in_any_case(client, Path(folder), rounds)


def _in_any_case(client: MongoClient[dict[str, Any]], folder: Path, rounds: int) -> None:
    """A database with the index that finds texts whatever their case, and one without it."""
    schema = folder / "login.sql"
    schema.write_text(LOGIN)
    proposal = pipeline.design(pipeline.inspect(schema, dialect="postgresql"), "normalized")
    with_index, without = (client[name] for name in ("with_index", "without_index"))
    for database in (with_index, without):
        pipeline.load(proposal, None, database)
        database["login"].insert_many({"_id": n, "email": f"User{n}@Mail.example"} for n in range(TEXTS))
    without["login"].drop_index("email_1_ci")
    stores = [Store(proposal, database) for database in (with_index, without)]
    numbers = count(TEXTS)

    def asked(store: Store) -> Callable[[], object]:
        return lambda: store.execute(
            "SELECT id FROM login WHERE lower(email) = lower(:email)", email="uSER77@mail.example"
        )

    def added(store: Store) -> Callable[[], object]:
        def add() -> None:
            number = next(numbers)
            store.execute("INSERT INTO login VALUES (:id, :email)", id=number, email=f"User{number}@Mail.example")

        return add

    for statement, form in (("lookup by `lower(email)`", asked), ("a new row, unique by `lower(email)`,", added)):
        ours, theirs = _least(rounds, *map(form, stores))
        _told(f"{statement} among {TEXTS:,} rows", ours, "without the index", theirs)


def _source(folder: Path) -> Path:
    path = folder / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO customer VALUES (?, ?)", ((n, f"c{n}") for n in range(CUSTOMERS)))
        rows = ((n, n % CUSTOMERS, n % STATES) for n in range(ORDERS))
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
        connection.commit()
    return path


def _loaded(source: Path, database: Database[Any], strategy: str) -> Proposal:
    proposal = pipeline.design(pipeline.inspect(source), strategy)
    pipeline.load(proposal, source, database)
    return proposal


def _least(rounds: int, *forms: Callable[[], object], before: Callable[[], object] = lambda: None) -> list[float]:
    """The least milliseconds of each form, all in turns."""
    found = [float("inf")] * len(forms)
    for _ in range(rounds):
        for place, form in enumerate(forms):
            before()
            start = time.perf_counter()
            form()
            found[place] = min(found[place], (time.perf_counter() - start) * 1e3)
    return found


def _told(statement: str, ours: float, other: str, theirs: float) -> None:
    print(f"| {statement} | {ours:.1f} | {other} | {theirs:.1f} | {theirs / ours:.2f} |")


def _inserts(database: Database[Any], proposal: Proposal, rounds: int) -> None:
    write = pipeline.convert(proposal, ARCHIVE)
    assert isinstance(write, CompiledWrite)
    one_by_one = replace(write, steps=tuple(map(_row_by_row, write.steps)))
    documents = [{"_id": n, "customer_id": n % CUSTOMERS, "state": 1} for n in range(1, ORDERS, STATES)]

    def by_hand() -> None:
        with database.client.start_session() as session, session.start_transaction():
            database["archived"].insert_many(documents, session=session)

    ours, each, hand = _least(
        rounds,
        lambda: run_write(database, write),
        lambda: run_write(database, one_by_one),
        by_hand,
        before=lambda: database["archived"].delete_many({}),
    )
    _told(f"`INSERT … SELECT` of {len(documents)} rows", ours, "a request for each row", each)
    _told(f"`INSERT … SELECT` of {len(documents)} rows", ours, "`insert_many` of documents at hand", hand)


def _row_by_row(step: ProgramStep) -> ProgramStep:
    """With a second step that does nothing, the first is a request for each row."""
    return replace(step, steps=(*step.steps, GivenRows("none", ()))) if isinstance(step, ForEach) else step


def _outer_joins(database: Database[Any], proposal: Proposal, rounds: int) -> None:
    query = translate(OUTER, proposal.design.model, "sqlite")
    assert isinstance(query, Query)
    kept, looked_up = (
        compiled_read(plan_read(query, proposal.design, rewrites=rewrites), name="outer")
        for rewrites in (ALL_REWRITES, ALL_REWRITES - {Rewrite.EMBEDDED_CHILD})
    )
    ours, theirs = _least(rounds, lambda: [*run_read(database, kept)], lambda: [*run_read(database, looked_up)])
    assert sorted(run_read(database, kept)) == sorted(run_read(database, looked_up))
    _told(f"outer join to orders inside {CUSTOMERS} customers", ours, "each document looked up again", theirs)


def _letters(database: Database[Any], rounds: int) -> None:
    database["texts"].insert_many({"text": f"Üser{n}@Mail.example"} for n in range(TEXTS))
    old = "".join(chr(each) for each in LOWER_OF if each > 127)
    new = old.translate(LOWER_OF)
    small = {"$toLower": "$text"}

    def asked(lower: object) -> Callable[[], object]:
        found = {"$match": {"$expr": {"$eq": [lower, "üser77@mail.example"]}}}
        return lambda: list(database["texts"].aggregate([found]))

    ours, theirs = _least(
        max(rounds // 5, 1), asked(exchanged_letters(small, old, new)), asked(exchanged(small, old, new))
    )
    _told(f"`lower()` of {TEXTS:,} texts with one other letter", ours, "a look for each letter", theirs)


if __name__ == "__main__":
    main()
