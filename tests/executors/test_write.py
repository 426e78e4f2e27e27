"""Running compiled writes on a real server."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.binary import find_mongod
from nestling.common.connection import connect
from nestling.common.errors import ConstraintError, NoTransactions, Problem, WorkloadError, WriteError
from nestling.common.server import Server
from nestling.common.supervised import free_port, supervised
from nestling.emitters.mql.write import compiled_write
from nestling.executors.write import run_write
from nestling.executors.write_program import WriteResult
from nestling.ir.paths.access_path import CollectionScan
from nestling.ir.paths.row_steps import Constants, Layout, Shape, Where
from nestling.ir.paths.write_path import (
    Cell,
    Constant,
    DeleteDocuments,
    Each,
    ElementFilter,
    Fetch,
    FieldMatch,
    Give,
    GivenValue,
    IfThere,
    Increment,
    InsertOne,
    Items,
    Pull,
    Push,
    Refuse,
    Set,
    SubDocument,
    UpdateDocuments,
    Violation,
    WritePlan,
    WriteStep,
)
from nestling.ir.paths.write_path import Test as Compared
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.statements.expression import ANY, NULL, Arithmetic, Column, Compare, Literal, Parameter
from nestling.ir.statements.operators import ArithmeticOperator, Collation, Comparison
from nestling.ir.types import INTEGER, TEXT, Type, TypeName
from nestling.ir.words.write_words import describe_write
from tests.executors.write_cases import CHANGES, ONE, given, read, stored, value

Data = Database[dict[str, Any]]


def test_root_documents_come_change_and_go(database: Data) -> None:
    """INSERT, UPDATE and DELETE of a root by its key, with parameters."""
    fields = (("_id", stored("id", INTEGER)), ("name", stored("name", TEXT)), ("at.city", stored("city", TEXT)))
    insert = compiled_write(WritePlan((InsertOne("people", SubDocument(fields)),), ()), name="add")
    assert insert.parameters == ("id", "name", "city")
    assert run_write(database, insert, {"id": "7", "name": 5, "city": None}).affected == 1
    assert list(database.people.find()) == [{"_id": 7, "name": "5"}]
    by_key = (FieldMatch("_id", stored("id", INTEGER)),)
    change = (Set("name", stored("name", TEXT)), Increment("visits", GivenValue(Literal(2, INTEGER))))
    update = compiled_write(WritePlan((UpdateDocuments("people", by_key, change),), ()), name="change")
    assert run_write(database, update, {"id": 7, "name": None}).affected == 1
    assert run_write(database, update, {"id": 8, "name": "x"}).affected == 0
    assert list(database.people.find()) == [{"_id": 7, "visits": 2}]
    with pytest.raises(ConstraintError) as refused:
        run_write(database, insert, {"id": 7, "name": "again", "city": None})
    assert refused.value.violation == "key"
    delete = compiled_write(WritePlan((DeleteDocuments("people", by_key),), ()), name="drop")
    assert run_write(database, delete, {"id": 7}).affected == 1
    assert list(database.people.find()) == []


def test_rows_of_the_statement_all_or_none(database: Data) -> None:
    """Several rows are one transaction: a key that is there twice leaves no trace."""
    rows = tuple((("id", Literal(n, INTEGER)), ("note", Parameter(f"p{n}", ANY))) for n in (1, 2, 3))
    insert = InsertOne("t", SubDocument((("_id", Cell("id")), ("note", Cell("note")))))
    write = compiled_write(WritePlan((Give("new", rows), Each("new", (insert,))), ("new",)), name="three")
    assert write.transaction
    assert run_write(database, write, {"p1": "a", "p2": None, "p3": 2.5}).affected == 3
    assert list(database.t.find()) == [{"_id": 1, "note": "a"}, {"_id": 2}, {"_id": 3, "note": 2.5}]
    database.t.delete_one({"_id": 1})
    with pytest.raises(ConstraintError):
        run_write(database, write, {"p1": "a", "p2": None, "p3": 2.5})
    assert database.t.count_documents({}) == 2


def wrote(database: Data, *steps: WriteStep, counted: tuple[str, ...] = (), **values: object) -> WriteResult:
    """Compile the steps and run them."""
    return run_write(database, compiled_write(WritePlan(steps, counted), name="write"), values)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_does_what_it_says(database: Data, name: str) -> None:
    """Every kind of change, with cells that are there and cells that are missing."""
    before, changes, filters, after = CHANGES[name]
    database.rows.insert_one({"_id": 1, "n": 3, "old": {"a": 1, "c": {"x": 1, "y": 2}, "d": 4}})
    database.t.insert_one({"_id": 1, **before})
    fetch = Fetch("rows", read("rows", "n", "nothing", "old"))
    update = UpdateDocuments("t", ONE, changes, filters)
    assert wrote(database, fetch, Each("rows", (update,)), counted=("rows",)).affected == 1
    assert list(database.t.find()) == [{"_id": 1, **after}]


def test_matches_compare_as_they_say(database: Data) -> None:
    """Equal, not equal, less, greater, in; a missing value matches absence, and is in no order."""
    documents: list[dict[str, Any]] = [{"_id": 1, "a": 1}, {"_id": 2, "a": 2}, {"_id": 3}, {"_id": 4, "a": [2, 5]}]
    tests: list[tuple[FieldMatch, list[int]]] = [
        (FieldMatch("a", value(2)), [2, 4]),
        (FieldMatch("a", value(None)), [3]),
        (FieldMatch("a", Cell("nothing")), [3]),
        (FieldMatch("a", Cell("nothing"), Compared.NOT_EQUAL), [1, 2, 4]),
        (FieldMatch("a", value(2), Compared.NOT_EQUAL), [1, 3]),
        (FieldMatch("a", value(2), Compared.LESS), [1]),
        (FieldMatch("a", Cell("nothing"), Compared.LESS), []),
        (FieldMatch("a", value(None), Compared.GREATER), []),
        (FieldMatch("a", value(2), Compared.GREATER), [4]),
        (FieldMatch("a", Cell("ids"), Compared.IN), [1, 4]),
        (FieldMatch("a", Cell("nothing"), Compared.IN), []),
        (FieldMatch("a", Items((value(1), value(None), Cell("nothing"))), Compared.IN), [1]),
    ]
    database.rows.insert_one({"_id": 1, "ids": [1, 5]})
    for match, gone in tests:
        database.t.drop()
        database.t.insert_many(documents)
        delete = DeleteDocuments("t", (match,), many=True)
        wrote(database, Fetch("rows", read("rows", "ids", "nothing")), Each("rows", (delete,)))
        left = [document["_id"] for document in database.t.find()]
        assert left == [n for n in (1, 2, 3, 4) if n not in gone], match
    database.t.insert_many([{"a": n} for n in (7, 8, 9)])
    between = (
        FieldMatch("a", value(6), Compared.GREATER),
        FieldMatch("a", value(9), Compared.LESS),
        FieldMatch("a", value(8), Compared.NOT_EQUAL),
    )
    assert wrote(database, DeleteDocuments("t", between, many=True)).affected == 1
    twice = (
        FieldMatch("a", value(8), Compared.NOT_EQUAL),
        FieldMatch("a", value(7), Compared.NOT_EQUAL),
        FieldMatch("a", value(9)),
    )
    assert wrote(database, DeleteDocuments("t", twice)).affected == 1


def test_upserts_and_what_is_done_otherwise(database: Data) -> None:
    """An upsert makes the document of what is equal; `otherwise` runs where nothing matched; `unless_there` leaves alone."""
    count = (Increment("n", value(1)),)
    upsert = UpdateDocuments("t", ONE, count, on_insert=(("at", stored("at", TEXT)), ("never", value(None))))
    assert wrote(database, upsert, at="noon").affected == 1
    assert wrote(database, upsert, at="night").affected == 1
    assert list(database.t.find()) == [{"_id": 1, "n": 2, "at": "noon"}]
    two = (FieldMatch("_id", value(2)),)
    instead = InsertOne("t", SubDocument((("_id", value(2)), ("b.c", stored("at", TEXT)))))
    assert wrote(database, UpdateDocuments("t", two, count, otherwise=(instead,)), at=None).affected == 1
    assert wrote(database, UpdateDocuments("t", two, count, otherwise=(instead,)), at=None).affected == 1
    assert database.t.find_one({"_id": 2}) == {"_id": 2, "n": 1}
    again = InsertOne(
        "t", SubDocument((("_id", value(2)), ("n", value(9)), ("b.c", stored("at", TEXT)))), if_there=IfThere.LEAVE
    )
    wrote(database, again, at="x")
    assert database.t.find_one({"_id": 2}) == {"_id": 2, "n": 1}
    database.t.delete_one({"_id": 2})
    wrote(database, again, at=None)
    assert database.t.find_one({"_id": 2}) == {"_id": 2, "n": 9}


def test_refusals_leave_no_trace(database: Data) -> None:
    """Rows that are refused undo what was done before; only rows without a value where only those are meant."""
    database.t.insert_many([{"_id": 1, "a": 1}, {"_id": 2}])
    change = UpdateDocuments("t", (), (Set("touched", Constant(True)),), many=True)
    fetch = Fetch("rows", read("t", "a"))
    text = "every row has an `a`"
    for missing, ok in (((), False), (("a",), False), (("b",), False)):
        with pytest.raises(ConstraintError, match="every row") as refused:
            wrote(database, change, fetch, Refuse("rows", Violation.NOT_NULL, text, missing))
        assert refused.value.violation is Violation.NOT_NULL
        assert database.t.count_documents({"touched": True}) == 0, ok
    database.t.update_one({"_id": 2}, {"$set": {"a": 2}})
    wrote(database, change, fetch, Refuse("rows", Violation.NOT_NULL, text, ("a",)))
    assert database.t.count_documents({"touched": True}) == 2


def test_a_place_outside_the_array_is_refused(database: Data) -> None:
    """A row whose place is before the first, or no number, cannot be stored."""
    database.t.insert_one({"_id": 1, "seats": [None]})
    for wrong in (0, None, "x", True):
        update = UpdateDocuments("t", ONE, (Set("seats", Constant(1), place="seat", first=1),))
        with pytest.raises(ConstraintError, match="no place") as refused:
            wrote(database, given([{"seat": wrong}]), Each("rows", (update,)))
        assert refused.value.violation == "place"


def test_rows_inside_rows(database: Data) -> None:
    """A fetch for each row takes its cells, ids of any kind too, and its rows are counted in all."""
    database.parents.insert_many(
        [{"_id": {"a": 1, "b": "x"}, "n": 1}, {"_id": {"a": 2, "b": "$y"}, "n": 2}, {"_id": 3}]
    )
    database.kids.insert_many([{"of": {"a": 1, "b": "x"}}, {"of": {"a": 2, "b": "$y"}}, {"of": {"a": 2, "b": "$y"}}])
    of = Column("r", "of", ANY)
    scan = Where(
        CollectionScan("kids"),
        Compare(Comparison.EQUAL, of, Parameter("cell id", ANY), Collation.BINARY),
        Layout.of({("r", "of"): "of"}),
    )
    kids = ReadPlan(
        Shape(scan, (("kid", Column("r", "kid", ANY)),), Layout.of({("r", "kid"): "_id"})),
        (OutputColumn("kid", "kid", ANY),),
    )
    mark = UpdateDocuments("kids", (FieldMatch("_id", Cell("kid")),), (Set("seen", Constant(True)),))
    inner = (Fetch("kids", kids, (("cell id", "_id"),)), Each("kids", (mark,)))
    fetch = Fetch("rows", read("parents", "_id", "n"))
    assert wrote(database, fetch, Each("rows", inner), counted=("kids",)).affected == 3
    assert database.kids.count_documents({"seen": True}) == 3


def test_json_null_is_a_value(database: Data) -> None:
    """A row's null is NULL, but in a JSON column, where it is JSON's own."""
    database.rows.insert_one({"_id": 1, "j": None, "x": None})
    plan = read("rows", "j", "x")
    plan = ReadPlan(plan.step, (OutputColumn("j", "j", Type(TypeName.JSON)), OutputColumn("x", "x", ANY)))
    insert = InsertOne("t", SubDocument((("_id", Constant(1)), ("j", Cell("j")), ("x", Cell("x")))))
    wrote(database, Fetch("rows", plan), Each("rows", (insert,)))
    assert list(database.t.find()) == [{"_id": 1, "j": None}]


@pytest.mark.parametrize("bad", [{"$ne": None}, ["a"], {"$gt": ""}, object()])
def test_parameters_never_become_operators(database: Data, bad: object) -> None:
    """A document or list is no value; names that are missing or unknown are named; nothing was asked of the server."""
    database.t.insert_one({"_id": 1})
    delete = DeleteDocuments("t", (FieldMatch("_id", stored("id", ANY)),), many=True)
    with pytest.raises(WorkloadError, match="parameter `id`"):
        wrote(database, delete, id=bad)
    with pytest.raises(WorkloadError, match="needs a value for parameter `id`"):
        wrote(database, delete)
    with pytest.raises(WorkloadError, match="no parameter `ids`"):
        wrote(database, delete, id=1, ids=2)
    assert database.t.count_documents({}) == 1


@pytest.mark.parametrize("text", ["$name", "$$ROOT", "a.b", "{$ne: null}", "", "$set"])
def test_texts_stay_texts(database: Data, text: str) -> None:
    """What looks like an operator or a path is stored, found and pulled as the text it is."""
    insert = InsertOne("t", SubDocument((("_id", stored("p", TEXT)), ("a", Items((stored("p", TEXT),))))))
    wrote(database, insert, p=text)
    assert list(database.t.find()) == [{"_id": text, "a": [text]}]
    push = UpdateDocuments(
        "t", (FieldMatch("_id", stored("p", TEXT)),), (Push("a", stored("p", TEXT)), Set("b", stored("p", TEXT)))
    )
    assert wrote(database, push, p=text).affected == 1
    wrote(database, UpdateDocuments("t", (), (Pull("a", (FieldMatch("", stored("p", TEXT)),)),)), p=text)
    assert list(database.t.find()) == [{"_id": text, "a": [], "b": text}]


@pytest.mark.thorough
def test_writers_at_the_same_time_lose_nothing(database: Data) -> None:
    """Eight threads add to one document, by `$inc` and by transactions over two documents: the totals are right."""
    database.t.insert_many([{"_id": 1, "n": 0}, {"_id": 2, "n": 0}])
    add = Increment("n", value(1))
    both = WritePlan(
        (UpdateDocuments("t", ONE, (add,)), UpdateDocuments("t", (FieldMatch("_id", value(2)),), (add,))), ()
    )
    moved = compiled_write(both, name="both")
    single = compiled_write(WritePlan((UpdateDocuments("t", ONE, (add,)),), ()), name="single")
    assert (moved.transaction, single.transaction) == (True, False)

    def work(number: int) -> None:
        for _ in range(10):
            run_write(database, moved if number % 2 else single)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert [document["n"] for document in database.t.find().sort("_id", 1)] == [80, 40]


def _counting() -> CompiledWrite:
    """Reads a number and writes the next one, which takes a transaction."""
    n = Column("r", "n", INTEGER)
    plus = Arithmetic(ArithmeticOperator.ADD, n, Literal(1, INTEGER), INTEGER)
    plan = ReadPlan(
        Shape(CollectionScan("t"), (("new_n", plus),), Layout.of({("r", "n"): "n"})),
        (OutputColumn("new_n", "new_n", INTEGER),),
    )
    write = compiled_write(
        WritePlan(
            (Fetch("rows", plan), Each("rows", (UpdateDocuments("t", ONE, (Set("n", Cell("new_n")),)),))), ("rows",)
        )
    )
    assert write.transaction
    return write


def test_read_and_write_is_one_transaction(database: Data) -> None:
    """A value computed from what was read is not lost to another writer."""
    database.t.insert_one({"_id": 1, "n": 0})
    write = _counting()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: [run_write(database, write) for _ in range(10)], range(4)))
    assert database.t.find_one() == {"_id": 1, "n": 40}


@pytest.mark.thorough
def test_a_read_that_gets_no_lock_is_tried_again(database: Data) -> None:
    """While a change of the collection waits for another transaction, the reads of new ones are refused."""
    database.t.insert_one({"_id": 1, "n": 0})
    with ThreadPoolExecutor(2) as pool, database.client.start_session() as session:
        with session.start_transaction():
            database.t.find_one({}, session=session)
            change = pool.submit(database.command, {"collMod": "t", "validator": {}})
            wait([change], timeout=0.5)
            assert not change.done()
            done = pool.submit(run_write, database, _counting())
            wait([done], timeout=1.0)
            assert not done.done()
        assert done.result().affected == 1
    assert database.t.find_one() == {"_id": 1, "n": 1}


def test_a_unique_index_is_a_constraint(database: Data) -> None:
    """A duplicate is named by its field; outside a transaction, inside one, and in the caller's."""
    database.t.create_index("mail", unique=True)
    insert = InsertOne("t", SubDocument((("_id", stored("id", INTEGER)), ("mail", stored("mail", TEXT)))))
    wrote(database, insert, id=1, mail="a")
    with pytest.raises(ConstraintError, match="same `mail`") as refused:
        wrote(database, insert, id=2, mail="a")
    assert refused.value.violation == "unique"
    other = InsertOne("u", SubDocument((("_id", stored("id", INTEGER)),)))
    with pytest.raises(ConstraintError):
        wrote(database, other, insert, id=3, mail="a")
    assert database.u.count_documents({}) == 0
    compiled = compiled_write(WritePlan((other, insert), ()), name="mine")
    with database.client.start_session() as session, session.start_transaction():
        run_write(database, compiled, {"id": 4, "mail": "b"}, session=session)
        session.abort_transaction()
    assert database.u.count_documents({}) == 0


def test_conflicting_changes_are_a_mistake_of_the_planner() -> None:
    """Two changes of one path in one command, which no server takes, are refused when they are compiled."""
    changes = (Pull("a", (FieldMatch("", value(1)),)), Push("a", value(2)))
    with pytest.raises(ValueError, match="in one command"):
        compiled_write(WritePlan((UpdateDocuments("t", ONE, changes),), ()))


def test_rows_the_server_makes_are_read_in_a_transaction(database: Data) -> None:
    """A read that starts from the statement's own rows works inside a transaction, and its NULLs are missing."""
    columns = tuple(Column("v", name, Type(TypeName.JSON)) for name in ("a", "b"))
    rows = ((("a", Literal(1, INTEGER)), ("b", NULL)), (("a", Parameter("p", ANY)), ("b", Literal("x", TEXT))))
    layout = Layout.of({("v", "a"): "a", ("v", "b"): "b"})
    plan = ReadPlan(
        Shape(Constants(rows, Layout()), (("a", columns[0]), ("b", columns[1])), layout),
        tuple(OutputColumn(c.name, c.name, c.type) for c in columns),
    )
    insert = InsertOne("t", SubDocument((("_id", Cell("a")), ("b", Cell("b")))))
    assert wrote(database, Fetch("rows", plan), Each("rows", (insert,)), counted=("rows",), p=2).affected == 2
    assert list(database.t.find()) == [{"_id": 1}, {"_id": 2, "b": "x"}]


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory, mongod: Server) -> Iterator[Data]:
    """A server that is no member of a replica set."""
    folder, port = tmp_path_factory.mktemp("standalone"), free_port()
    (folder / "data").mkdir()
    command = [str(find_mongod().path), "--dbpath", str(folder / "data"), "--port", str(port), "--bind_ip", "127.0.0.1"]
    with supervised([*command, "--nounixsocket"], run_directory=folder, stop_signal=signal.SIGKILL) as process:
        assert process.wait_for("waiting for connections", timeout_seconds=60)
        with connect(f"mongodb://127.0.0.1:{port}/?directConnection=true") as client:
            yield client["alone"]


def test_a_server_without_transactions(standalone: Data) -> None:
    """One command works; a program says what the server lacks and what to do, and leaves no trace."""
    insert = InsertOne("t", SubDocument((("_id", stored("id", INTEGER)),)))
    assert wrote(standalone, insert, id=1).affected == 1
    other = InsertOne("u", SubDocument((("_id", stored("id", INTEGER)),)))
    with pytest.raises(NoTransactions, match="replica set"):
        wrote(standalone, other, insert, id=2)
    assert (standalone.t.count_documents({}), standalone.u.count_documents({})) == (1, 0)


@pytest.mark.thorough
def test_documents_too_large_are_errors_of_ours(database: Data) -> None:
    """An insert or a push that would pass 16 MiB names the way out; the document stays as it was."""
    big = "x" * (15 << 20)
    insert = InsertOne("t", SubDocument((("_id", value(1)), ("a", Items((stored("p", TEXT),))))))
    wrote(database, insert, p=big)
    push = UpdateDocuments("t", ONE, (Push("a", stored("p", TEXT)),))
    with pytest.raises(WriteError, match="16 MiB"):
        wrote(database, push, p=big)
    with pytest.raises(WriteError, match="16 MiB"):
        wrote(database, insert, p=big + big)
    found = database.t.find_one({}, {"n": {"$size": "$a"}})
    assert found == {"_id": 1, "n": 1}


def test_the_validator_is_obeyed(database: Data) -> None:
    """What the collection's validator refuses is an error of ours, and no driver's."""
    database.create_collection("t", validator={"$jsonSchema": {"required": ["a"]}})
    with pytest.raises(WriteError, match="validator refuses the document: `a` is missing"):
        wrote(database, InsertOne("t", SubDocument((("_id", value(1)),))))


def test_constraint_errors_travel_between_processes() -> None:
    """Pickled and read back, an error keeps its problems and its violation."""
    error = pickle.loads(pickle.dumps(ConstraintError(Problem("twice"), violation="key")))
    assert (error.violation, str(error)) == ("key", "twice")


def test_plans_are_said_in_words(database: Data) -> None:
    """Every step, change and value has words, in the order things are done."""
    changes = tuple(change for _, (_, changes, _, _) in CHANGES.items() for change in changes)
    filters = (ElementFilter("e", (FieldMatch("k", Cell("n"), Compared.LESS),)),)
    gone, at = (DeleteDocuments("u", ()),), (("at", Constant(1)),)
    update = UpdateDocuments("t", ONE, changes, filters, many=True, otherwise=gone, on_insert=at)
    insert = InsertOne("v", SubDocument((("_id", Cell("n")),)), if_there=IfThere.LEAVE)
    refuse = Refuse("rows", Violation.PARENT, "no parent", ("n",))
    fetch = Fetch("kids", read("t", "n"), (("p", "n"),))
    plan = WritePlan((fetch, given([{"n": 1}]), refuse, Each("rows", (update, insert))), ("rows",), ("t.copy",))
    said = describe_write(plan)
    assert said.splitlines()[0] == "as kids for p = n:"
    for words in (
        "as rows: 1 row of the statement",
        "refuse if there are rows without n (parent): no parent",
        "for each of rows:",
        "in every document of `t` where `_id` is 1, e where `k` < its n:",
        "or else insert it with at = 1",
        "where none matched:",
        "delete the document of `u`",
        "insert into `v` unless it exists {_id: its n}",
        "left to the background sync: `t.copy`",
        "set `seats[n − 2]`",
        "lower `low` to its n",
        "by k descending, keep the first 2",
        "and the rest of its old",
        "pairs of x: its n",
    ):
        assert words in said, words
