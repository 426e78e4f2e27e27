"""Writes as Python functions: run in a process of their own that cannot import nestling, they do what the executor does."""

from __future__ import annotations

import ast
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from bson import json_util
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.emitters.identifiers import Identifiers
from nestling.emitters.mql.write import compiled_write
from nestling.emitters.python_code import module
from nestling.emitters.python_code.parameters import argument
from nestling.executors.write import run_write
from nestling.ir.paths.write_path import (
    Answer,
    Cell,
    Constant,
    DeleteDocuments,
    Each,
    Fetch,
    FieldMatch,
    Give,
    Increment,
    InsertOne,
    Refuse,
    Set,
    SubDocument,
    UpdateDocuments,
    Violation,
    WritePlan,
)
from nestling.ir.programs.compiled import OutputColumn
from nestling.ir.programs.program import CompiledWrite, GivenRows, ProgramStep, ReadRows
from nestling.ir.proposal import Proposal
from nestling.ir.statements.expression import ANY, Literal, Parameter
from nestling.ir.types import FLOAT, INTEGER, TEXT, Type, TypeName
from tests.bundled_shop import shop_reading, write_shop
from tests.executors.write_cases import (
    CHANGES,
    GATHERED,
    GIVEN_OWN,
    ONE,
    OWN,
    OWN_AFTER,
    OWN_BEFORE,
    TAKEN,
    given,
    read,
    stored,
    value,
)

RUN = """
import json, sys
sys.modules["nestling"] = None
import pytest
from bson import json_util
from pymongo import MongoClient
sys.path.insert(0, sys.argv[1])
import written
client = MongoClient(sys.argv[2])
options = json_util.JSONOptions(tz_aware=False)
for name, arguments in json_util.loads(sys.stdin.read(), json_options=options):
    try:
        print(json.dumps(getattr(written, name)(client[sys.argv[3]], **arguments)))
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
"""


def ran(
    folder: Path,
    server: Server,
    database: Database[Any],
    writes: list[CompiledWrite],
    calls: list[tuple[str, dict[str, object]]],
) -> list[Any]:
    """What the functions answer, called in order in another process."""
    source = module(writes)
    (folder / "written.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-I", "-c", RUN, str(folder), server.uri, database.name]
    done = subprocess.run(
        command, input=json_util.dumps(calls), text=True, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.thorough
def test_every_kind_of_change(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """The functions leave the documents each change should."""
    database.rows.insert_one({"_id": 1, "n": 3, "old": {"a": 1, "c": {"x": 1, "y": 2}, "d": 4}})
    writes = []
    for number, (before, changes, filters, _) in enumerate(CHANGES.values()):
        database[f"t{number}"].insert_one({"_id": 1, **before})
        update = UpdateDocuments(f"t{number}", ONE, changes, filters)
        plan = WritePlan((Fetch("rows", read("rows", "n", "nothing", "old")), Each("rows", (update,))), ("rows",))
        writes.append(compiled_write(plan, name=f"change_{number}"))
    answers = ran(tmp_path, mongod, database, writes, [(write.name, {}) for write in writes])
    assert answers == [1] * len(writes)
    for number, (name, (_, _, _, after)) in enumerate(CHANGES.items()):
        assert list(database[f"t{number}"].find()) == [{"_id": 1, **after}], name


@pytest.mark.thorough
def test_commands_of_several_rows_are_one_request(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """Held parents are as they were, the rows are gone; for no rows nothing is asked."""
    held = UpdateDocuments("p", (FieldMatch("_id", Cell("p")),), (Set("h", value(1)),), back=(Set("h", value(None)),))
    told = UpdateDocuments("p", (FieldMatch("_id", Cell("p")),), (Increment("times", Constant(1)),))
    gone = DeleteDocuments("u", (FieldMatch("_id", Cell("n")),))
    changes = (Each("rows", (held,)), Each("rows", (told,), by=("p",)), Each("rows", (gone,)))
    database.p.insert_many([{"_id": 7}, {"_id": 8}])
    database.u.insert_many([{"_id": n} for n in range(5)])
    rows: list[dict[str, object]] = [{"n": 1, "p": 7}, {"n": 2, "p": 8}, {"n": 3, "p": 7}]
    some = compiled_write(WritePlan((given(rows), *changes), ("rows",)), name="some")
    none = compiled_write(WritePlan((given([]), *changes), ("rows",)), name="none")
    assert ran(tmp_path, mongod, database, [some, none], [("some", {}), ("none", {})]) == [3, 0]
    assert list(database.p.find()) == [{"_id": 7, "times": 1}, {"_id": 8, "times": 1}]
    assert [each["_id"] for each in database.u.find()] == [0, 4]


def test_what_alike_rows_have_is_gathered(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """As the executor does it: elements that become alike at once. 0.0 is not -0.0, and JSON's null is not nothing."""
    others: list[dict[str, object]] = [{"n": 6 + n, "p": 2, "to": value} for n, value in enumerate((0.0, -0.0, None))]
    rows: list[dict[str, object]] = [*GATHERED, *others, {"n": 9, "p": 2}]
    found = read("rows", "n", "p", "to")
    json_too = tuple(replace(each, type=Type(TypeName.JSON)) if each.name == "to" else each for each in found.columns)
    fetched = Fetch("rows", replace(found, columns=json_too))
    steps = (fetched, Each("rows", (TAKEN,), by=("p", "to"), gathered=("n",)))
    write = compiled_write(WritePlan(steps, ("rows",)), name="gathered")
    database.rows.insert_many([{**row, "_id": n} for n, row in enumerate(rows)])
    before = [{"_id": p, "a": [{"id": n, "to": "was"} for n in (1, 2, 3, None, *range(5, 11))]} for p in (1, 2)]
    left = []
    for run in (
        lambda: ran(tmp_path, mongod, database, [write], [("gathered", {})]),
        lambda: [run_write(database, write).affected],
    ):
        database.p.delete_many({})
        database.p.insert_many(before)
        assert run() == [9]
        left.append({each["_id"]: [str(inner.get("to", "-")) for inner in each["a"]] for each in database.p.find()})
    wanted = {1: ["5", "-", "5", "-", *["was"] * 6], 2: [*["was"] * 4, "5", "0.0", "-0.0", "None", "-", "was"]}
    assert left == [wanted, wanted]


def test_elements_get_values_of_their_own(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """By one command, as the executor does it: a text is no expression, and what has no value loses the field."""
    database.rows.insert_many([{**row, "_id": n} for n, row in enumerate(OWN)])
    steps = (Fetch("rows", read("rows", "n", "p", "to")), GIVEN_OWN)
    write = compiled_write(WritePlan(steps, ("rows",)), name="own")
    database.p.insert_one(OWN_BEFORE)
    assert ran(tmp_path, mongod, database, [write], [("own", {})]) == [3]
    assert list(database.p.find()) == [OWN_AFTER]
    database.p.replace_one({}, OWN_BEFORE)
    assert run_write(database, write).affected == 3
    assert list(database.p.find()) == [OWN_AFTER]


@pytest.mark.thorough
def test_rows_are_told_apart_by_sub_documents(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """As where a parent's key is of several attributes: the order of its fields is part of it."""
    told = UpdateDocuments("p", (FieldMatch("_id", Cell("p")),), (Increment("times", Constant(1)),))
    keys: list[dict[str, Any]] = [{"a": 1, "b": [2]}, {"a": 1, "b": [3]}, {"a": 1, "b": [2]}, {"b": [2], "a": 1}]
    database.rows.insert_many({"_id": n, "p": key} for n, key in enumerate(keys))
    database.p.insert_many({"_id": key} for key in ({"a": 1, "b": 0}, {"a": 1, "b": 1}))
    database.p.insert_many({"_id": {"k": n}, "key": key} for n, key in enumerate(keys))
    found = (FieldMatch("key", Cell("p")),)
    plan = (Fetch("rows", read("rows", "p")), Each("rows", (replace(told, where=found, many=True),), by=("p",)))
    write = compiled_write(WritePlan(plan, ("rows",)), name="told")
    assert ran(tmp_path, mongod, database, [write], [("told", {})]) == [4]
    assert [each.get("times") for each in database.p.find({"key": {"$exists": True}})] == [1, 1, 1, 1]


def test_parameters_transactions_and_refusals(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """Values become what the executor stores, documents never pass, NULL is left out, and a failure leaves no trace."""
    fields = (
        ("_id", stored("id", INTEGER)),
        ("name", stored("class", TEXT)),
        ("at.f", stored("f", FLOAT)),
        ("d", stored("d", Type(TypeName.DATE))),
    )
    insert = InsertOne("t", SubDocument(fields))
    add = compiled_write(WritePlan((insert,), ()), name="add", sql='INSERT INTO "t" VALUES (…)')
    rows = Give("new", tuple((("id", Literal(n, INTEGER)), ("note", Parameter(f"p{n}", ANY))) for n in (5, 6)))
    both = Each("new", (InsertOne("t", SubDocument((("_id", Cell("id")), ("note", Cell("note"))))),))
    two = compiled_write(WritePlan((rows, both), ("new",)), name="two")
    refused = compiled_write(
        WritePlan((rows, both, Refuse("new", Violation.NOT_NULL, "no", ("note",))), ("new",)), name="refused"
    )
    other = UpdateDocuments(
        "t",
        (FieldMatch("_id", stored("id", INTEGER)),),
        (Set("name", stored("name", TEXT)),),
        otherwise=(InsertOne("t", SubDocument((("_id", stored("id", INTEGER)),))),),
    )
    either = compiled_write(WritePlan((other,), ()), name="either")
    calls: list[tuple[str, dict[str, object]]] = [
        ("add", {"id": 1, "class_": "$x", "f": 2, "d": "2024-02-29"}),
        ("add", {"id": 2, "class_": None, "f": None, "d": None}),
        ("add", {"id": {"$ne": 1}, "class_": "x", "f": 1, "d": None}),
        ("add", {"id": 3, "class_": ["a"], "f": 1, "d": None}),
        ("refused", {"p5": "a", "p6": None}),
        ("two", {"p5": "a", "p6": None}),
        ("two", {"p5": "a", "p6": None}),
        ("either", {"id": 2, "name": "b"}),
        ("either", {"id": 9, "name": None}),
    ]
    answers = ran(tmp_path, mongod, database, [add, two, refused, either], calls)
    assert [answer if isinstance(answer, int) else answer.partition(":")[0] for answer in answers] == [
        1, 1, "TypeError", "TypeError", "ValueError", 2, "BulkWriteError", 1, 1,
    ]  # fmt: skip
    assert list(database.t.find().sort("_id", 1)) == [
        {"_id": 1, "name": "$x", "at": {"f": 2.0}, "d": datetime(2024, 2, 29)},  # noqa: DTZ001
        {"_id": 2, "name": "b"},
        {"_id": 5, "note": "a"},
        {"_id": 6},
        {"_id": 9},
    ]


@pytest.mark.thorough
def test_planned_writes_run_without_nestling(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """The shop's writes, planned for an embedded design, do in Python what they do in SQLite."""
    address = write_shop(tmp_path)
    reading = shop_reading(tmp_path)
    proposal = pipeline.design(reading, "embedded")
    pipeline.load(proposal, address, database, check=False)
    statements = [statement for statement in reading.workload.statements if statement.kind.writes]
    writes = [pipeline.convert(proposal, each.sql, name=each.name, dialect="sqlite") for each in statements]
    times = {"at"}
    calls = [
        (each.name, {name: datetime.fromisoformat(str(v)) if name in times else v for name, v in each.samples})
        for each in statements
    ]
    answers = ran(tmp_path, mongod, database, [write for write in writes if isinstance(write, CompiledWrite)], calls)
    assert answers == [1] * len(statements)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        for each in statements:
            connection.execute(each.sql, dict(each.samples))
        connection.commit()
    assert pipeline.verify(proposal, address, database).equal


@pytest.mark.thorough
def test_answers_of_writes(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """What RETURNING asks for is a list of dicts, its values as Python has them."""
    database.t.insert_many([{"_id": n, "name": name} for n, name in ((1, "a"), (2, "b"), (3, None))])
    columns = (OutputColumn("id", "id", INTEGER), OutputColumn("name", "name", TEXT))
    plan = WritePlan(
        (
            Fetch("gone", read("t", "_id", "name")),
            Each("gone", (DeleteDocuments("t", (FieldMatch("_id", Cell("_id")),)),)),
        ),
        ("gone",),
        answer=Answer(("gone",), columns, ("_id", "name")),
    )
    (answer,) = ran(tmp_path, mongod, database, [compiled_write(plan, name="gone")], [("gone", {})])
    assert sorted(answer, key=lambda row: row["id"]) == [
        {"id": 1, "name": "a"},
        {"id": 2, "name": "b"},
        {"id": 3, "name": None},
    ]
    assert database.t.count_documents({}) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded", "optimal"])
def test_no_argument_hides_what_a_function_uses(
    strategy: str, shop_folder: Path, shop_design: Callable[[str], Proposal]
) -> None:
    """Whatever the statement calls its parameters: what the functions name, and do not take, is no argument's name."""
    proposal = shop_design(strategy)
    source, _ = pipeline.queries_module(proposal, shop_folder / "workload.sql")
    compiled = pipeline.convert_all(proposal, shop_folder / "workload.sql")
    sets = {
        Identifiers(otherwise="rows")[rows.lower()]
        for each in compiled
        if isinstance(each, CompiledWrite)
        for rows in row_sets(each.steps)
    }
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.args.kwonlyargs]
    functions = [function for function in functions if function.args.args[0].arg == "db"]
    assert len(functions) > 10
    for function in functions:
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        own = {node.id for node in names if isinstance(node.ctx, ast.Store) and node.id.endswith(("_given", "_stored"))}
        taken = {each.arg for each in function.args.kwonlyargs} | sets | own
        named = {node.id for node in names} - taken
        assert [name for name in sorted(named) if argument(name) == name] == [], function.name


def row_sets(steps: Iterable[ProgramStep]) -> Iterator[str]:
    """The row sets a program makes, whose names keep out of the arguments' way."""
    for step in steps:
        if isinstance(step, ReadRows | GivenRows):
            yield step.rows
        yield from row_sets(getattr(step, "steps", ()) or getattr(step, "otherwise", ()))


@pytest.mark.thorough
def test_parameters_may_be_called_as_the_functions_they_are_given_to(
    tmp_path: Path, mongod: Server, database: Database[Any]
) -> None:
    """In a transaction too, where `session` and `document` are at hand."""
    names = ("session", "document", "len", "there", "refuse", "rows_of", "matching", "stored", "id")
    rows = Give(
        "new", tuple((("id", Literal(n, INTEGER)), ("note", Parameter(name, ANY))) for n, name in enumerate(names))
    )
    both = Each("new", (InsertOne("t", SubDocument((("_id", Cell("id")), ("note", Cell("note"))))),))
    write = compiled_write(WritePlan((rows, both), ("new",)), name="add")
    (answer,) = ran(tmp_path, mongod, database, [write], [("add", {argument(name): name for name in names})])
    assert answer == len(names)
    assert [each["note"] for each in database.t.find().sort("_id", 1)] == list(names)
