"""Joins by an equality and a range between two tables: an index on both columns is weighed, chosen, and read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.reading import Reading
from nestling.ir.text import read_reading, write_reading
from tests.least_cost import designed
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE room (id INTEGER PRIMARY KEY, title TEXT NOT NULL, seen_at TEXT NOT NULL, seen INTEGER NOT NULL);
CREATE TABLE membership (id INTEGER PRIMARY KEY, room_id INTEGER NOT NULL REFERENCES room, user_id INTEGER NOT NULL,
    last_read INTEGER, since TIMESTAMP NOT NULL, until TIMESTAMP NOT NULL);
CREATE TABLE message (id INTEGER PRIMARY KEY, room_id INTEGER NOT NULL REFERENCES room, sent_at TIMESTAMP NOT NULL,
    kind TEXT NOT NULL, body TEXT NOT NULL);
"""
ON = "m.room_id = r.room_id AND m.id > r.last_read"
UNREAD = {
    "counted": f"""SELECT r.id, COUNT(m.id) AS n FROM membership r LEFT JOIN message m ON {ON}
        WHERE r.user_id = :user GROUP BY r.id""",
    "joined": f"SELECT r.id, m.id AS m FROM membership r JOIN message m ON {ON} WHERE r.user_id = :user",
    "beside": f"SELECT r.id, (SELECT COUNT(*) FROM message m WHERE {ON}) AS n FROM membership r WHERE r.user_id = :user",
    "some": f"SELECT r.id FROM membership r WHERE r.user_id = :user AND EXISTS (SELECT 1 FROM message m WHERE {ON})",
    "none": f"SELECT r.id FROM membership r WHERE r.user_id = :user AND NOT EXISTS (SELECT 1 FROM message m WHERE {ON})",
}
BETWEEN = """SELECT r.id, m.id AS m FROM membership r JOIN message m
    ON m.room_id = r.room_id AND m.sent_at >= r.since AND m.sent_at < r.until WHERE r.user_id = :user"""
OF_ROOM = """SELECT o.title, COUNT(m.id) AS n FROM room o LEFT JOIN message m ON m.room_id = o.id AND m.id > o.seen
    GROUP BY o.title"""
ROOMS, USERS, MESSAGES = 20, 200, 4_000


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty rooms of two hundred messages each, of which every member has read nearly all; some members have read none."""
    path, random = tmp_path_factory.mktemp("chat") / "chat.db", Random(1)

    def minute(number: int) -> str:
        return f"2026-01-{1 + number // 1440:02} {number // 60 % 24:02}:{number % 60:02}:00"

    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        rooms = ((n, f"Room {n}", "", MESSAGES - n) for n in range(1, ROOMS + 1))
        connection.executemany("INSERT INTO room VALUES (?, ?, ?, ?)", rooms)
        for number in range(USERS * 4):
            read = None if number % 21 == 0 else MESSAGES - random.randrange(MESSAGES // 10)
            begin = random.randrange(MESSAGES - 100)
            row = (number, number % ROOMS + 1, number % USERS, read, minute(begin), minute(begin + 100))
            connection.execute("INSERT INTO membership VALUES (?, ?, ?, ?, ?, ?)", row)
        messages = (
            (n, random.randrange(ROOMS) + 1, minute(n), random.choice("abcd"), "x" * 100) for n in range(MESSAGES)
        )
        connection.executemany("INSERT INTO message VALUES (?, ?, ?, ?, ?)", messages)
    return path


def read(chat: Path, **statements: str) -> Reading:
    """What is read of the chat and these statements."""
    workload = chat.with_suffix(".sql")
    workload.write_text("\n".join(f"-- name: {name}, rate: 50/s\n{sql};" for name, sql in statements.items()))
    return pipeline.inspect(f"sqlite:///{chat}", workload=workload)


def indexed(reading: Reading) -> set[tuple[str, tuple[str, ...]]]:
    """The indexes of the design at least cost, each by its collection and paths."""
    indexes = designed(reading).design.indexes
    return {(each.collection, tuple(path for path, _ in each.keys)) for each in indexes}


@pytest.mark.parametrize("name", UNREAD)
def test_the_index_is_chosen(name: str, chat: Path) -> None:
    """Each form of the join wants it, and both prices say so."""
    reading = read(chat, **{name: UNREAD[name]})
    proposal, plain = designed(reading), designed(reading, "normalized")
    found = {tuple(path for path, _ in each.keys) for each in proposal.design.indexes}
    assert ("room_id", "_id") in found
    least, more = two_prices(reading, proposal)[name], two_prices(reading, plain)[name]
    assert least.factor < 2
    assert more.search > 1.5 * least.search


def test_the_range_of_two_columns(chat: Path) -> None:
    """Times, of which other rows give both ends."""
    assert ("message", ("room_id", "sent_at")) in indexed(read(chat, between=BETWEEN))


def test_what_else_must_equal_a_constant(chat: Path) -> None:
    """It stands before the range, which an inner join still asks for within the lookup; both prices say so."""
    named = UNREAD["joined"].replace("WHERE", "WHERE m.kind = 'a' AND")
    reading = read(chat, named=named)
    proposal = designed(reading)
    assert ("room_id", "kind", "_id") in {tuple(path for path, _ in each.keys) for each in proposal.design.indexes}
    assert two_prices(reading, proposal)["named"].factor < 2
    found = pipeline.convert(proposal, named)
    assert isinstance(found, CompiledRead)
    lookup: Any
    (lookup,) = [stage["$lookup"] for stage in found.pipeline if "$lookup" in stage]
    assert "$expr" in repr(lookup["pipeline"])


def test_along_a_relationship(chat: Path) -> None:
    """Children of which the parent says from where on they count; both prices say what the index saves."""
    reading = read(chat, of_room=OF_ROOM, all="SELECT body FROM message WHERE id = :id")
    assert ("message", ("room_id", "_id")) in indexed(reading)
    assert two_prices(reading, designed(reading))["of_room"].factor < 2


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["optimal", "normalized", "embedded"])
def test_the_answers_are_sqlites(strategy: str, chat: Path, database: Database[dict[str, Any]]) -> None:
    """On every design; the one at least cost reads the entries of the range alone."""
    statements = {**UNREAD, "between": BETWEEN}
    proposal = designed(read(chat, **statements), strategy)
    pipeline.load(proposal, chat, database)
    store = Store(proposal, database, workload=chat.with_suffix(".sql"))
    for name, sql in statements.items():
        for user in (0, 7):
            with closing(sqlite3.connect(chat)) as connection:
                theirs = connection.execute(sql, {"user": user}).fetchall()
            assert sorted(tuple(row.values()) for row in store.run(name, user=user)) == sorted(theirs)
    if strategy == "optimal":
        found = pipeline.convert(proposal, statements["counted"])
        assert isinstance(found, CompiledRead)
        assert [*run_read(database, found, {"user": 7})]
        used = {
            tuple(each["key"]): each["accesses"]["ops"] for each in database["message"].aggregate([{"$indexStats": {}}])
        }
        assert used["room_id", "_id"] > 0


@pytest.mark.parametrize(
    ("condition", "ranged"),
    [
        ("m.id > r.last_read", {"membership": ("last_read",), "message": ("id",)}),
        ("r.last_read < m.id", {"membership": ("last_read",), "message": ("id",)}),
        ("m.sent_at BETWEEN r.since AND r.until", {"membership": ("since", "until"), "message": ("sent_at",)}),
        ("m.id > r.last_read + 1", {"membership": (), "message": ()}),
        ("m.id > :some", {"membership": (), "message": ()}),
        ("m.body > r.last_read", {"membership": (), "message": ()}),
        ("r.since < r.until", {"membership": (), "message": ()}),
        ("(m.id > r.last_read OR m.id = 3)", {"membership": (), "message": ()}),
    ],
)
def test_what_gives_the_end_of_a_range(condition: str, ranged: dict[str, tuple[str, ...]], chat: Path) -> None:
    """Columns of two tables that are ordered as they are, of one type; a model file keeps them."""
    reading = read(chat, s=f"SELECT m.id FROM membership r JOIN message m ON m.room_id = r.room_id AND {condition}")
    (statement,) = reading.workload.statements
    assert {each.entity: each.ranged for each in statement.accesses} == ranged
    assert read_reading(write_reading(reading), "m.yaml").workload == reading.workload
