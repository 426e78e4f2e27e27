"""An OR finds its rows by an index for each of its sides, in the order asked where all of them give it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead, bind
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_reading, write_reading
from nestling.ir.workload import AttributeFilter, Operator
from nestling.pipeline.designing import posed_problem
from nestling.sources.statements import parse_workload

TABLES = """
CREATE TABLE message (id INTEGER PRIMARY KEY, sender INT NOT NULL, receiver INT, at INT NOT NULL, folder TEXT NOT NULL,
    body TEXT NOT NULL)
"""
VALUES = {"u": 7, "f": "inbox", "t": 4_000}
EITHER = "SELECT id, body FROM message WHERE sender = :u OR receiver = :u"
LATEST = "SELECT id, body FROM message WHERE sender = :u OR receiver = :u ORDER BY at DESC, id DESC LIMIT 10"
BESIDE = "SELECT id, body FROM message WHERE folder = :f AND (sender = :u OR receiver = :u)"
SIDES = "SELECT id FROM message WHERE (sender = :u AND at > :t) OR (receiver IN (7, 8) AND folder = :f) OR id = 5"
PAGE = "SELECT id FROM message WHERE at > 5990 OR (at = 5990 AND id > 3) ORDER BY at, id LIMIT 5"


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six thousand messages between two hundred people, some to nobody."""
    path = tmp_path_factory.mktemp("messages") / "messages.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(TABLES)
        rows = (
            (
                n,
                n % 199,
                None if n % 31 == 0 else n * 7 % 211,
                n * 13 % 6_000,
                "inbox" if n % 3 else "sent",
                f"text {n} " * 20,
            )
            for n in range(6_000)
        )
        connection.executemany("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?)", rows)
    return path


def designed(path: Path, sql: str) -> Proposal:
    """The design for that statement, fifty times a second."""
    reading = pipeline.inspect(path)
    workload, gaps = parse_workload(f"-- name: s, rate: 50/s\n{sql}", reading.model, "sqlite", "w.sql")
    assert gaps == ()
    return pipeline.design(replace(reading, workload=workload))


def examined(database: Database[dict[str, Any]], read: CompiledRead, values: Mapping[str, object]) -> int:
    """How many documents the server looks at for it."""
    bound = bind(read, {name: values[name] for name in read.parameters})
    asked: dict[str, Any] = {"find": bound.collection, "filter": bound.filter, "sort": dict(bound.sort)}
    if not bound.sort:
        del asked["sort"]
    if bound.limit:
        asked["limit"] = bound.limit
    told = database.command("explain", asked, verbosity="executionStats")["executionStats"]
    return int(told["totalDocsExamined"])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("sql", "most"),
    [(EITHER, 70), (LATEST, 25), (BESIDE, 60), (SIDES, 70), (PAGE, 16)],
    ids=["either", "latest", "beside", "sides", "page"],
)
def test_rows_are_found_by_their_sides(sql: str, most: int, messages: Path, database: Database[dict[str, Any]]) -> None:
    """The server reads the rows of each side, and of the first few as many; the answer is the source's."""
    proposal = designed(messages, sql)
    assert not [note for note in proposal.notes if note.startswith("no index finds")]
    pipeline.load(proposal, messages, database)
    read = pipeline.convert(proposal, sql)
    assert isinstance(read, CompiledRead)
    with closing(sqlite3.connect(messages)) as connection:
        theirs = connection.execute(sql, VALUES).fetchall()
    ours = [*map(tuple, run_read(database, bind(read, {name: VALUES[name] for name in read.parameters})))]
    assert ours == theirs if "ORDER" in sql else Counter(ours) == Counter(theirs)
    assert examined(database, read, VALUES) <= most
    assert proposal.costs is not None
    assert proposal.costs.cost < 0.2


@pytest.mark.thorough
def test_writes_find_their_rows_so_too(messages: Path, database: Database[dict[str, Any]]) -> None:
    """What is deleted is what the source deletes, and is priced as found by indexes."""
    sql = "DELETE FROM message WHERE sender = :u OR receiver = :u"
    proposal = designed(messages, sql)
    assert {"sender", "receiver"} <= {index.keys[0][0] for index in proposal.design.indexes}
    pipeline.load(proposal, messages, database)
    Store(proposal, database).execute(sql, u=7)
    with closing(sqlite3.connect(messages)) as connection:
        connection.execute(sql, {"u": 7})
        theirs = {number for (number,) in connection.execute("SELECT id FROM message")}
    assert {each["_id"] for each in database["message"].find({}, {"_id": 1})} == theirs


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM message WHERE sender = :u OR body LIKE '%x%'",
        "SELECT id FROM message WHERE sender = :u OR NOT receiver = :u",
        "SELECT id FROM message WHERE sender = :u OR receiver + 1 = :u",
    ],
)
def test_all_is_read_where_one_side_has_to(sql: str, messages: Path) -> None:
    """No index helps then, none is built, and a note says so."""
    proposal = designed(messages, sql)
    assert proposal.design.indexes == ()
    assert [note for note in proposal.notes if note.startswith("no index finds the rows of `s`")]


def test_a_model_file_keeps_the_sides(messages: Path) -> None:
    """What is designed from it is designed alike."""
    reading = pipeline.inspect(messages)
    workload, _ = parse_workload(f"-- name: s, rate: 50/s\n{BESIDE}", reading.model, "sqlite", "w.sql")
    (access,) = workload.statements[0].accesses
    assert access.any_of == tuple((AttributeFilter(name, Operator.EQUALITY),) for name in ("sender", "receiver"))
    assert read_reading(write_reading(replace(reading, workload=workload)), "m.yaml").workload == workload


GUESTS = """
nestling: 1
dialect: mysql
model:
  name: guests
  entities:
    guest:
      key: id
      attributes:
        id: integer!
        name: {type: text!, collation: unicode_ci}
        nick: {type: text!, collation: unicode_ci}
        code: {type: text!, collation: binary}
statistics: {entities: {guest: {count: 5000}}}
workload:
  apart: {sql: "SELECT id FROM guest WHERE name = :n OR code = :c", rate: 1/min}
  alike: {sql: "SELECT id FROM guest WHERE name = :n OR nick = :c", rate: 50/s}
"""


def test_texts_of_two_collations_have_none(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Beside a text in any case, one to the letter is an expression: the server reads all documents, and none is kept for it."""
    path = tmp_path / "guests.yaml"
    path.write_text(GUESTS, encoding="utf-8")
    steps = posed_problem(pipeline.inspect(path), None, None).problem.steps
    sought = {each.statement for each in steps for mode in each.modes if mode.text.endswith("for each side")}
    assert sought == {"alike"}
    proposal = pipeline.design(path)
    assert {each.serves for each in proposal.design.indexes} == {("alike",)}
    database["guest"].insert_many({"_id": n, "name": f"n{n}", "nick": f"k{n}", "code": f"c{n}"} for n in range(500))
    for index in proposal.design.indexes:
        database["guest"].create_index([*index.keys], collation={"locale": "en", "strength": 1})
    for sql, stage in zip(APART_AND_ALIKE, ("COLLSCAN", "IXSCAN"), strict=True):
        read = pipeline.convert(proposal, sql, dialect="mysql")
        assert isinstance(read, CompiledRead)
        bound = bind(read, {"n": "n7", "c": "c7"})
        asked = {"find": bound.collection, "filter": bound.filter, "collation": {"locale": "en", "strength": 1}}
        assert stage in str(database.command("explain", asked)["queryPlanner"]["winningPlan"])


APART_AND_ALIKE = tuple(f"SELECT id FROM guest WHERE name = :n OR {name} = :c" for name in ("code", "nick"))


def test_many_sides_do_not_multiply(tmp_path: Path) -> None:
    """An OR of many keys, as ORMs send it, is weighed at once: sides that compare the same columns share an index."""
    path = tmp_path / "stock.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE stock (place INT, item INT, lot INT, pieces INT)")
        connection.executemany("INSERT INTO stock VALUES (?, ?, ?, 1)", ((n % 7, n % 90, n) for n in range(1_000)))
    keys = " OR ".join(f"(place = {n % 7} AND item = {n} AND lot = {n})" for n in range(30))
    others = ("place = 1", "item = 1", "lot = 1", "item = 1 AND lot = 1", "place = 1 AND lot = 1")
    statements = [f"-- name: s{n}, rate: 5/s\nSELECT pieces FROM stock WHERE {each};" for n, each in enumerate(others)]
    statements.append(f"-- name: keys, rate: 5/s\nSELECT pieces FROM stock WHERE {keys};")
    reading = pipeline.inspect(path)
    workload, _ = parse_workload("\n".join(statements), reading.model, "sqlite", "w.sql")
    steps = posed_problem(replace(reading, workload=workload), None, None).problem.steps
    (modes,) = (step.modes for step in steps if step.statement == "keys")
    assert 1 <= sum(mode.text.endswith("for each side") for mode in modes) <= 8
