"""An INSERT that may meet a row with its key is one command: beside SQLite, and beside the plan that reads first."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.emitters.mql.write_shell import is_script, write_shell
from nestling.emitters.python_code import module
from nestling.executors.write import run_write
from nestling.ir.constraints.allowed import Allowed
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Cardinality, Entity, Model, OnDelete, OnUpdate, Relationship
from nestling.ir.paths.work import Work
from nestling.ir.primitives import Collection, Document, Holder, Index, Reference
from nestling.ir.programs.program import Action, CompiledWrite, ReadRows, WriteCommand
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.write import Insert
from nestling.ir.statistics import Statistics
from nestling.ir.types import Type, TypeName
from nestling.planner.sql import translate
from nestling.planner.work import estimate_write
from nestling.planner.writes.draft.fetch import FetchPrices
from nestling.planner.writes.single_command.single_upserts import may_be_one_command, shortest_upsert
from tests.write_traces import Trace, trace

TEXT, WHOLE = Type(TypeName.TEXT), Type(TypeName.INTEGER)
COUNTER = Entity(
    "counter",
    (
        Attribute("name", TEXT, nullable=False),
        Attribute("hits", WHOLE, nullable=False, allowed=Allowed(minimum=0)),
        Attribute("note", TEXT),
        Attribute("last", WHOLE),
    ),
    ("name",),
)
PAIR = Entity(
    "pair",
    (
        Attribute("a", WHOLE, nullable=False),
        Attribute("b", TEXT, nullable=False),
        Attribute("n", WHOLE),
        Attribute("m", WHOLE),
    ),
    ("a", "b"),
)
MEMBER = Entity(
    "member",
    (
        Attribute("code", TEXT, nullable=False),
        Attribute("email", TEXT, nullable=False),
        Attribute("nick", TEXT),
        Attribute("phone", TEXT),
    ),
    ("code",),
    uniques=(("email",), ("phone",)),
)
VISIT = Entity("visit", (Attribute("code", TEXT, nullable=False), Attribute("member", TEXT)), ("code",))
LINK = Relationship(
    "member_visits", "member", "visit", ("code",), ("member",), on_delete=OnDelete.CASCADE, on_update=OnUpdate.CASCADE
)
MODEL = Model("counters", (COUNTER, PAIR, MEMBER, VISIT), (LINK,))
DESIGN = Design(
    MODEL,
    (
        Collection("counters", Document("counter"), id=("name",)),
        Collection("pairs", Document("pair"), id=("a", "b")),
        Collection("members", Document("member"), id=("code",)),
        Collection("visits", Document("visit", references=(Reference("member_visits", Holder.CHILD),)), id=("code",)),
    ),
    (
        Index("members", (("email", 1),), unique=True),
        Index("members", (("phone", 1),), unique=True, partial=(Clause("phone", ClauseOperator.PRESENT),)),
    ),
)
ROWS: Mapping[str, list[tuple[object, ...]]] = {
    "counter": [("a", 1, None, 5), ("b", 2, "$x", None)],
    "pair": [(1, "x", 1, None), (1, "y", None, 2)],
    "member": [("m1", "one@x", None, None), ("m2", "two@x", "Two", "2")],
    "visit": [("v1", "m1"), ("v2", None)],
}
HIT = "INSERT INTO counter (name, hits, note) VALUES (:name, 1, :note) ON CONFLICT (name) DO"
ONE: tuple[tuple[str, Mapping[str, object]], ...] = (
    *((f"{HIT} UPDATE SET hits = hits + 1", {"name": each, "note": "new"}) for each in ("a", "c", "c", "$d")),
    *((f"{HIT} UPDATE SET hits = hits + 2", {"name": each, "note": None}) for each in ("a", "e", "e")),
    *((f"{HIT} UPDATE SET note = excluded.note", {"name": each, "note": None}) for each in ("b", "f")),
    *((f"{HIT} UPDATE SET note = 'again'", {"name": each, "note": "$first"}) for each in ("g", "g")),
    *((f"{HIT} UPDATE SET note = note || excluded.note, last = hits", {"name": n, "note": "."}) for n in ("g", "h", "a")),
    *((f"{HIT} UPDATE SET last = last + hits, hits = hits - 1", {"name": n, "note": "."}) for n in ("a", "i", "i", "i")),
    *((f"{HIT} NOTHING", {"name": n, "note": None}) for n in ("a", "k", "k", None)),
    ("INSERT INTO counter (name, hits) VALUES ('a', NULL) ON CONFLICT (name) DO UPDATE SET note = 'x'", {}),
    ("INSERT INTO counter (name, hits) VALUES ('a', :n) ON CONFLICT (name) DO NOTHING", {"n": None}),
    ("INSERT INTO counter (name, hits) VALUES ('z', -1) ON CONFLICT (name) DO UPDATE SET note = 'x'", {}),
    ("INSERT INTO counter (name, hits) VALUES ('a', 1) ON CONFLICT (name) DO UPDATE SET hits = -1", {}),
    ("INSERT INTO counter (name, hits) VALUES ('a', 1) ON CONFLICT (name) DO UPDATE SET hits = :n", {"n": None}),
    ("INSERT INTO counter (name, hits) VALUES ('n', :n) ON CONFLICT (name) DO UPDATE SET hits = hits + :n", {"n": 3}),
    ("INSERT INTO counter (name, hits) VALUES ('n', :n) ON CONFLICT (name) DO UPDATE SET hits = hits + :n", {"n": "4"}),
    ("INSERT OR REPLACE INTO counter (name, hits, last) VALUES (:name, 7, :last)", {"name": "b", "last": None}),
    ("INSERT OR REPLACE INTO counter (name, hits, last) VALUES (:name, 7, :last)", {"name": "r", "last": 1}),
    ("INSERT OR IGNORE INTO pair (a, b, n) VALUES (1, 'x', 9)", {}),
    ("INSERT OR IGNORE INTO pair (a, b, n) VALUES (1, 'z', 9)", {}),
    ("INSERT INTO pair VALUES (:a, :b, :n, 1) ON CONFLICT (b, a) DO UPDATE SET n = excluded.n", {"a": 1, "b": "x", "n": 4}),
    ("INSERT INTO pair VALUES (:a, :b, :n, 1) ON CONFLICT (b, a) DO UPDATE SET n = excluded.n", {"a": 2, "b": "x", "n": None}),
    ("INSERT INTO pair (a, b, n) VALUES (1, 'x', 1) ON CONFLICT (a, b) DO NOTHING", {}),
    ("INSERT OR REPLACE INTO pair (a, b, m) VALUES (1, 'x', 8)", {}),
    ("INSERT INTO member VALUES ('m1', 'new@x', 'New', NULL) ON CONFLICT (code) DO UPDATE SET email = excluded.email", {}),
    ("INSERT INTO member VALUES ('m1', 'two@x', 'New', NULL) ON CONFLICT (code) DO UPDATE SET email = excluded.email", {}),
    ("INSERT INTO member VALUES ('m3', 'two@x', 'New', NULL) ON CONFLICT (code) DO NOTHING", {}),
    ("INSERT INTO member VALUES ('m3', 'three@x', NULL, '3') ON CONFLICT (code) DO NOTHING", {}),
    ("INSERT INTO member VALUES ('m4', 'four@x', NULL, '2') ON CONFLICT (code) DO NOTHING", {}),
    ("INSERT INTO pair (a, b, n) VALUES (7, 'x', 6), (7, 'x', 7) ON CONFLICT (a, b) DO UPDATE SET n = excluded.n", {}),
    ("INSERT INTO pair (a, b, n) VALUES (1, 'x', 5), (8, 'x', 6), (8, 'x', 7) ON CONFLICT (a, b) DO NOTHING", {}),
)  # fmt: skip
MORE: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("INSERT INTO counter (name, hits) VALUES ('a', 9) ON CONFLICT (name) DO UPDATE SET last = 1 WHERE hits > 900", {}),
    ("INSERT INTO pair (a, b) VALUES (1, 'x') ON CONFLICT (a, b) DO UPDATE SET n = coalesce(n, 0) + 1", {}),
    ("INSERT INTO member VALUES ('m9', 'one@x', NULL, NULL) ON CONFLICT DO NOTHING", {}),
    ("INSERT INTO member VALUES ('m9', 'two@x', NULL, NULL) ON CONFLICT (email) DO UPDATE SET nick = 'Nine'", {}),
    ("INSERT INTO visit VALUES ('v1', 'm2') ON CONFLICT (code) DO UPDATE SET member = excluded.member", {}),
    ("INSERT INTO visit VALUES ('v9', 'nobody') ON CONFLICT (code) DO UPDATE SET member = excluded.member", {}),
)
"""What takes more than one command, each for a reason of its own."""


@pytest.fixture
def databases(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[tuple[Database[Any], ...]]:
    """Three fresh databases."""
    names = [f"upsert_{uuid.uuid4().hex}" for _ in range(3)]
    yield tuple(mongo_client[name] for name in names)
    for name in names:
        mongo_client.drop_database(name)


@pytest.mark.thorough
def test_it_does_what_sqlite_and_the_general_plan_do(databases: tuple[Database[Any], ...], tmp_path: Path) -> None:
    """Affected rows, refusals and all documents are the same; the function in Python does it too."""
    short, general, python = (_trace(database, tmp_path, number) for number, database in enumerate(databases))
    general.short = False
    for sql, values in (*ONE, *MORE):
        before = len(short.done)
        short.run(sql, values)
        general.run(sql, values)
        done = _in_python(short.compiled(sql), python.database, values)
        assert (done is not None) == (len(short.done) > before), sql
        assert _documents(databases[0]) == _documents(databases[1]) == _documents(databases[2]), sql
    short.check()
    assert not short.gaps
    assert not general.gaps
    assert len(short.refused) == 11


def test_it_is_one_command_without_a_transaction(database: Database[Any], tmp_path: Path) -> None:
    """A row is one command by its `_id`; what needs more stays a transaction that reads."""
    run = _trace(database, tmp_path, 0)
    for sql, _ in ONE:
        write = run.compiled(sql)
        commands = [step for step in write.steps if isinstance(step, WriteCommand)]
        assert all(each.upsert and list(each.filter or {}) == ["_id"] for each in commands), sql
        assert len(commands) == 1 + sql.count("), (")
        assert write.transaction == (len(commands) > 1), sql
        assert not is_script(write) or write.transaction or _asks(write)
        replaces = [each.action is Action.REPLACE_ONE for each in commands]
        assert all(replaces) if "REPLACE" in sql else not any(replaces)
    for sql, _ in MORE:
        assert run.compiled(sql).transaction, sql
    hit = write_shell(run.compiled(ONE[0][0])).splitlines()[-1]
    assert hit == (
        'db.getCollection("counters").updateOne({_id: {$eq: name}}, '
        "{$inc: {hits: 1}, $setOnInsert: {note: note}}, {upsert: true})"
    )


@pytest.mark.thorough
def test_it_costs_one_request(database: Database[Any], tmp_path: Path) -> None:
    """The price is that of one command: no transaction, and one round trip; two where a CHECK is asked of a value first."""
    run = _trace(database, tmp_path, 0)
    for sql, _ in ONE:
        if ")," not in sql.replace(") VALUES", ""):
            work = _work(run.compiled(sql))
            asks = _asks(run.compiled(sql))
            assert (work.round_trips, work.transactions) == (1 + asks, 0), sql
            assert asks == (":n) ON CONFLICT" in sql or "-1) ON CONFLICT" in sql), sql
    general = _trace_general(run)
    assert _work(general).round_trips > 1


def test_two_at_the_same_moment_both_count(database: Database[Any], tmp_path: Path) -> None:
    """Of two that make the same row one makes it and the other changes it: neither fails, and no hit is lost."""
    write = _trace(database, tmp_path, 0).compiled(ONE[0][0])
    keys = [f"k{number // 8}" for number in range(160)]
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda key: run_write(database, write, {"name": key, "note": None}).affected, keys))
    assert done == [1] * len(keys)
    assert {each["hits"] for each in database["counters"].find({"_id": {"$in": keys}})} == {8}


def _trace(database: Database[Any], folder: Path, number: int) -> Trace:
    folder = folder / str(number)
    folder.mkdir()
    return trace(DESIGN, ROWS, database, folder)


def _trace_general(run: Trace) -> CompiledWrite:
    run.short = False
    return run.compiled(ONE[0][0])


def _asks(write: CompiledWrite) -> bool:
    """Whether a CHECK is asked of the new row, as another may be there."""
    return any(isinstance(step, ReadRows) for step in write.steps)


def _work(write: CompiledWrite) -> Work:
    assert write.plan is not None
    return estimate_write(write.plan, DESIGN, Statistics())


def _in_python(write: CompiledWrite, database: Database[Any], values: Mapping[str, object]) -> int | None:
    """What the emitted function answers; None where it refuses."""
    defined: dict[str, Any] = {}
    exec(module([write]), defined)  # what is emitted is what is tested
    try:
        return int(defined["write"](database, **values))
    except Exception:  # its own error, or the server's
        return None


def _documents(database: Database[Any]) -> dict[str, list[str]]:
    """All documents, whatever the order of their fields."""
    return {
        name: sorted(repr(sorted(document.items(), key=lambda field: field[0])) for document in database[name].find())
        for name in ("counters", "pairs", "members", "visits")
    }


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO pair (a, b, n) VALUES (1, 'x', 1) ON CONFLICT DO NOTHING",
        "INSERT INTO member (code, email) VALUES ('m1', 'x') ON CONFLICT DO NOTHING",
        "INSERT INTO card (number, holder) VALUES (1, NULL) ON CONFLICT DO NOTHING",
        "INSERT INTO card (number, holder) VALUES (1, 'm1') ON CONFLICT DO NOTHING",
    ],
)
def test_what_is_priced_as_one_command_is_planned_as_one(sql: str) -> None:
    """By the groups this row may meet another by: NULLs meet none, and a 1:1 foreign key is one."""
    card = Entity("card", (Attribute("number", WHOLE, nullable=False), Attribute("holder", TEXT)), ("number",))
    held = Relationship("held", "member", "card", ("code",), ("holder",), Cardinality.ONE_TO_ONE, enforced=False)
    model = replace(MODEL, entities=(*MODEL.entities, card), relationships=(LINK, held))
    cards = Collection("cards", Document("card", references=(Reference("held", Holder.CHILD),)), id=("number",))
    held_once = Index("cards", (("holder", 1),), unique=True, partial=(Clause("holder", ClauseOperator.PRESENT),))
    design = Design(model, (*DESIGN.collections, cards), (*DESIGN.indexes, held_once))
    write = translate(sql, model, "sqlite")
    assert isinstance(write, Insert)
    assert write.conflict is not None
    is_one = shortest_upsert(write, write.conflict, design, FetchPrices()) is not None
    assert may_be_one_command(write, write.conflict, model) is is_one
