"""Writes as JSON and for mongosh: what is printed says what the executor does."""

# ruff: noqa: E501 - a line of MQL stays a line
from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bson import json_util
from pymongo import UpdateOne
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.mql.shell_names import BLOCK
from nestling.emitters.mql.write import compiled_write
from nestling.emitters.mql.write_json import write_json
from nestling.emitters.mql.write_shell import write_shell
from nestling.ir.paths import write_path
from nestling.ir.paths.write_path import (
    Answer,
    Cell,
    Constant,
    DeleteDocuments,
    DocumentChange,
    Each,
    Fetch,
    FieldMatch,
    GivenValue,
    InsertOne,
    Refuse,
    Set,
    SubDocument,
    UpdateDocuments,
    Violation,
    WritePlan,
)
from nestling.ir.programs.compiled import OutputColumn
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.statements.expression import Parameter
from nestling.ir.types import INTEGER, TEXT
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

SHELL = """
// What the script asks of the shell, one line of JSON each; rows are those of the statement, so that none are read.
const say = (...parts) => console.log(JSON.stringify(parts, (_, value) => value === undefined ? {$undefined: true} : value));
const collection = name => new Proxy({}, {get: (_, action) => (...parts) => { say(name, action, ...parts); return {matchedCount: 1}; }});
const base = {getCollection: collection, getName: () => "base"};
const started = {getDatabase: () => base, withTransaction: work => work(), endSession: () => say("ended")};
const db = {...base, getMongo: () => ({startSession: () => started})};
const EJSON = JSON;
"""


def test_one_command_is_flat() -> None:
    """A write that is one command is that command, with its parameters."""
    update = UpdateDocuments(
        "people", (FieldMatch("_id", stored("id", INTEGER)),), (Set("name", stored("name", TEXT)),)
    )
    write = compiled_write(WritePlan((update,), (), ("orders.name",)), name="rename", sql="UPDATE …")
    assert write_json(write) == {
        "name": "rename",
        "sql": "UPDATE …",
        "gap": None,
        "collection": "people",
        "operation": "updateOne",
        "filter": {"_id": {"$eq": {"$parameter": "id"}}},
        "update": {"$set": {"name": {"$parameter": "name"}}},
        "arrayFilters": [],
        "upsert": False,
        "transaction": False,
        "left": ["orders.name"],
        "parameters": ["id", "name"],
        "access_path": [
            "in the document of `people` where `_id` is :id: set `name` to :name",
            "left to the background sync: `orders.name`",
        ],
    }
    *notes, command = write_shell(write).splitlines()
    assert command == 'db.getCollection("people").updateOne({_id: {$eq: id}}, {$set: {name: name}})'
    assert notes[0] == "// left to the background sync: orders.name"


def test_a_program_is_a_list_of_steps() -> None:
    """Reads, refusals, loops and commands keep their order; cells and parts of documents are marked."""
    document = SubDocument((("_id", Cell("n")), ("a.b", Cell("m"))), spread="old")
    steps = (
        Fetch("rows", read("t", "n", "m", "old")),
        Refuse("rows", Violation.NOT_NULL, "no NULL", ("n",), ("t.n",)),
        Each("rows", (InsertOne("u", document), DeleteDocuments("t", ONE))),
    )
    shown: dict[str, Any] = write_json(compiled_write(WritePlan(steps, ("rows",))))
    assert shown["operation"] == "program"
    assert shown["transaction"] is True
    fetch, refuse, each = shown["steps"]
    assert (fetch["rows"], fetch["operation"], fetch["collection"]) == ("rows", "aggregate", "t")
    assert refuse == {
        "rows": "rows",
        "operation": "refuse",
        "violation": "not null",
        "text": "no NULL",
        "missing": ["n"],
        "attributes": ["t.n"],
    }
    assert each["steps"][0] == {
        "collection": "u",
        "operation": "insertOne",
        "document": {"$paths": {"_id": {"$cell": "n"}, "a.b": {"$cell": "m"}}, "$rest": "old"},
    }
    json.dumps(shown)


@pytest.mark.thorough
@pytest.mark.usefixtures("node")
def test_scripts_ask_for_the_right_commands(database: Database[Any]) -> None:
    """The script of each change, run by a JavaScript engine, asks for commands that leave what the change should."""
    for name, (before, changes, filters, after) in CHANGES.items():
        row = {"n": 3, "old": {"a": 1, "c": {"x": 1, "y": 2}, "d": 4}}
        update = UpdateDocuments("t", ONE, changes, filters)
        script = write_shell(compiled_write(WritePlan((given([row]), Each("rows", (update,))), ("rows",))))
        database.t.replace_one({"_id": 1}, {"_id": 1, **before}, upsert=True)
        ((collection, action, requests),) = asked(script)
        assert (collection, action) == ("t", "bulkWrite")
        database[collection].bulk_write([*map(update_request, requests)])
        assert list(database.t.find()) == [{"_id": 1, **after}], name


def update_request(request: dict[str, Any]) -> UpdateOne:
    """The driver's form of the shell's."""
    ((kind, said),) = request.items()
    assert kind == "updateOne"
    return UpdateOne(said["filter"], said["update"], array_filters=said.get("arrayFilters"))


@pytest.mark.usefixtures("node")
def test_commands_of_several_rows_are_one_request() -> None:
    """Where there are rows; what is taken back stands beside what is done, and rows that are alike count once."""
    held = UpdateDocuments("p", (FieldMatch("_id", Cell("p")),), (Set("h", value(1)),), back=(Set("h", value(None)),))
    gone = DeleteDocuments("u", (FieldMatch("_id", Cell("n")),))
    rows = given([{"n": 1, "p": 7}, {"n": 2, "p": 8}, {"n": 3, "p": 7}, {"n": 4}])
    steps = (rows, Each("rows", (held,), by=("p",)), Each("rows", (gone,)))
    write = compiled_write(WritePlan(steps, ("rows",)))
    wanted = [
        [
            {"updateOne": {"filter": {"_id": found}, "update": change}}
            for found in ({"$eq": 7}, {"$eq": 8}, {"$exists": False})
            for change in ({"$set": {"h": 1}}, {"$unset": {"h": ""}})
        ],
        [{"deleteOne": {"filter": {"_id": {"$eq": n}}}} for n in (1, 2, 3, 4)],
    ]
    assert asked(write_shell(write)) == [["p", "bulkWrite", wanted[0]], ["u", "bulkWrite", wanted[1]]]
    assert asked(write_shell(compiled_write(WritePlan((given([]), *steps[1:]), ("rows",))))) == []
    shown: dict[str, Any] = write_json(write)
    assert [step.get("by") for step in shown["steps"]] == [None, ["p"], None]
    assert "for each p of rows, at once:" in shown["access_path"]


@pytest.mark.usefixtures("node")
def test_what_alike_rows_have_is_gathered() -> None:
    """In one list for the first of them, null where a row has nothing."""
    steps = (given(GATHERED), Each("rows", (TAKEN,), by=("p", "to"), gathered=("n",)))
    write = compiled_write(WritePlan(steps, ("rows",)))
    ((collection, action, requests),) = asked(write_shell(write))
    assert (collection, action) == ("p", "bulkWrite")
    assert [(each["updateOne"]["arrayFilters"], each["updateOne"]["update"]) for each in requests] == [
        ([{"e.id": {"$in": [1, 3]}}], {"$set": {"a.$[e].to": 5}}),
        ([{"e.id": {"$in": [2, None]}}], {"$unset": {"a.$[e].to": ""}}),
        ([{"e.id": {"$in": [5]}}], {"$set": {"a.$[e].to": 5}}),
    ]
    shown: dict[str, Any] = write_json(write)
    assert [(step.get("by"), step.get("gathered")) for step in shown["steps"]] == [(None, None), (["p", "to"], ["n"])]
    assert "for each p and to of rows, with every n, at once:" in shown["access_path"]


@pytest.mark.usefixtures("node")
def test_elements_get_values_of_their_own(database: Database[Any]) -> None:
    """The lists stand in one command, and leave what the executor does."""
    write = compiled_write(WritePlan((given(OWN), GIVEN_OWN), ("rows",)))
    ((_, _, requests),) = asked(write_shell(write))
    database.p.insert_one(OWN_BEFORE)
    database.p.bulk_write([*map(update_request, requests)])
    assert list(database.p.find()) == [OWN_AFTER]
    shown: dict[str, Any] = write_json(write)
    assert shown["access_path"][-1].endswith(
        "in each of `a` whose `id` is in its n, set `to` to its to at the same place"
    )


@pytest.mark.usefixtures("node")
def test_large_numbers_are_told_apart() -> None:
    """As mongosh writes values by default, two of them would be one double."""
    held = UpdateDocuments("p", (FieldMatch("_id", Cell("p")),), (Set("h", value(1)),))
    rows = given([{"p": 2**53}, {"p": 2**53 + 1}])
    shell = SHELL.replace(
        "const EJSON = JSON;",
        "const EJSON = {stringify: (value, options = {}) => JSON.stringify(value, (_, inner) => typeof inner === 'bigint'"
        " ? (options.relaxed === false ? `${inner}` : Number(inner)) : inner)};\nconst NumberLong = text => BigInt(text);",
    ).replace("(_, value) => value", "(_, value) => typeof value === 'bigint' ? `${value}` : value")
    script = write_shell(compiled_write(WritePlan((rows, Each("rows", (held,), by=("p",))), ("rows",))))
    ((_, _, requests),) = asked(script, shell=shell)
    assert len(requests) == 2


@pytest.mark.usefixtures("node")
def test_scripts_branch_and_refuse() -> None:
    """`otherwise` stands in its own branch, refusals throw, and rows that are counted are."""
    changes: tuple[DocumentChange, ...] = (Set("a", value(1)),)
    update = UpdateDocuments("t", ONE, changes, otherwise=(InsertOne("t", SubDocument((("_id", Cell("n")),))),))
    steps = (
        given([{"n": 1}, {"secret": "pass-7"}]),
        Refuse("rows", Violation.KEY, "no n", ("n",)),
        Each("rows", (update,)),
    )
    script = write_shell(compiled_write(WritePlan(steps, ("rows",))))
    with pytest.raises(AssertionError, match=r"Error: no n, n is NULL") as failed:
        asked(script)
    assert "pass-7" not in str(failed.value).replace(script, "")
    found = asked(write_shell(compiled_write(WritePlan((steps[0], steps[2]), ("rows",)))))
    assert [line[1] for line in found] == ["updateOne", "updateOne"]


@pytest.mark.usefixtures("node")
@pytest.mark.parametrize(
    ("ids", "met"), [("[1, 2, null]", [1, 2]), ("[]", []), ("null", []), ("[null]", []), ("[2, 2]", [2])]
)
def test_a_list_is_one_variable(database: Database[Any], ids: str, met: list[int]) -> None:
    """It stands as a whole, NULLs in it and instead of it meet nothing."""
    where = (
        FieldMatch("n", GivenValue(Parameter("ids", INTEGER, listed=True)), write_path.Test.IN),
        FieldMatch("n", Constant(None), write_path.Test.NOT_EQUAL),
    )
    update = UpdateDocuments("t", where, (Set("a", value(1)),), many=True)
    write = replace(compiled_write(WritePlan((update,), ())), transaction=True)
    shown: dict[str, Any] = write_json(write)
    assert shown["filter"] == {"n": {"$in": {"$parameter": "ids"}, "$ne": None}}
    database.t.insert_many([{"_id": 1, "n": 1}, {"_id": 2, "n": 2}, {"_id": 3, "n": None}, {"_id": 4}])
    for collection, action, *parts in asked(f"var ids = {ids};\n{write_shell(write)}"):
        assert (collection, action) == ("t", "updateMany")
        database[collection].update_many(*parts)
    assert [found["_id"] for found in database.t.find({"a": 1})] == met


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("node")
@pytest.mark.parametrize("name", ["class", "default", "matching", "db", "my", "affected", "Object", "row", "UUID"])
def test_a_parameter_may_be_called_like_something_of_the_script(database: Database[Any], name: str) -> None:
    """Its variable has `_` after the name, so the script and what it calls stay what they are."""
    update = UpdateDocuments(
        "t", (FieldMatch("n", GivenValue(Parameter(name, INTEGER))),), (Set("a", value(1)),), many=True
    )
    write = replace(compiled_write(WritePlan((update,), ())), transaction=True)
    database.t.insert_many([{"_id": 1, "n": 1}, {"_id": 2, "n": 2}])
    for _, _, *parts in asked(f"var {name}_ = 2;\n{write_shell(write)}"):
        database.t.update_many(*parts)
    assert [found["_id"] for found in database.t.find({"a": 1})] == [2]


@pytest.mark.usefixtures("node")
def test_rows_read_in_a_loop_are_known_after_it() -> None:
    """A row that stands in the statement is completed by a read of its own, and inserted afterwards."""
    completed = Each("stated", (replace(given([{"n": 7}]), rows="rows"),))
    inserted = Each("rows", (InsertOne("t", SubDocument((("_id", Cell("n")),))),))
    steps = (replace(given([{"n": 1}]), rows="stated"), completed, inserted)
    found = asked(write_shell(compiled_write(WritePlan(steps, ("rows",)))))
    assert found == [["t", "insertMany", [{"_id": 7}]]]


def test_a_script_that_calls_nothing_begins_at_once() -> None:
    """Without an empty line for the functions it does without."""
    write = compiled_write(WritePlan((given([{"n": 1}]),), ("rows",)))
    assert write_shell(write).startswith("var affected;\n")


@pytest.mark.usefixtures("node")
def test_scripts_may_follow_each_other() -> None:
    """What they call is defined once, by the first script that calls it; a later one brings what only it calls."""
    held = UpdateDocuments("p", (FieldMatch("_id", Cell("n")),), (Set("h", value(1)),))
    each_time, once = (
        compiled_write(WritePlan((given([{"n": 1}]), Each("rows", (held,), by=by)), ("rows",))) for by in ((), ("n",))
    )
    defined: set[str] = set()
    scripts = [write_shell(write, defined) for write in (each_time, each_time, once, once)]
    first, again, more, all_again = (BLOCK.findall(script) for script in scripts)
    assert "matching" in first
    assert "firstOfEach" in more
    assert not set(first) & set(more)
    assert again == all_again == []
    assert [line[:2] for line in asked("\n".join(scripts))] == [["p", "bulkWrite"]] * 4


@pytest.mark.usefixtures("node")
def test_a_script_ends_with_what_it_answers() -> None:
    """The rows RETURNING asks for, null where a row has no value; in JSON it says which rows and cells these are."""
    answer = Answer(("rows",), (OutputColumn("n", "n", INTEGER), OutputColumn("n", "n_2", TEXT)), ("n", "m"))
    steps = (given([{"n": 1, "m": "x"}, {"n": 2}]), Each("rows", (InsertOne("t", SubDocument((("_id", Cell("n")),))),)))
    write = compiled_write(WritePlan(steps, ("rows",), answer=answer))
    *commands, answered = asked(write_shell(write).rpartition("\nanswered;")[0] + "\nsay(answered);")
    assert [action for _, action, _ in commands] == ["insertMany"]
    assert answered == [[{"n": 1, "n_2": "x"}, {"n": 2, "n_2": None}]]
    assert write_json(write)["answer"] == {"rows": ["rows"], "columns": {"n": "n", "n_2": "m"}}


def asked(script: str, *, shell: str = SHELL) -> list[list[Any]]:
    """The commands a script asks for."""
    done = subprocess.run(["node", "-e", shell + script], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    lines = [json_util.loads(line) for line in done.stdout.splitlines()]
    return [line for line in lines if line != ["ended"]]


@pytest.mark.usefixtures("node")
def test_a_script_takes_numbers_before_its_transaction(tmp_path: Path) -> None:
    """From the database itself; where rows are above the counter, the counter is raised first."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)")
    made = pipeline.design(pipeline.inspect(tmp_path / "s.db"), "normalized")
    write = pipeline.convert(made, "INSERT INTO thing (name) VALUES ('a'), ('b')")
    assert isinstance(write, CompiledWrite)
    counters = """
const told = {_nestling_numbers: {last: 3}};
const base = {getName: () => "base", getCollection: name => ({
  aggregate: () => ({toArray: () => [{highest: 7}]}),
  find: () => { throw new Error("not asked"); },
  findOneAndUpdate: (filter, update) => { say("take", filter, update); told[name].last += update.$inc.last; return told[name]; },
  updateOne: (filter, update) => { say("raise", update); told[name].last = update.$max.last; },
  insertMany: documents => documents.forEach(document => say(name, document)),
})};
const NumberInt = Number;
"""
    plain = next(line for line in SHELL.splitlines() if line.startswith("const base"))
    taken = ["take", {"_id": "thing.id"}, {"$inc": {"last": 2}}]
    found = asked(write_shell(write), shell=SHELL.replace(plain, counters))
    added = [["thing", {"_id": 8, "name": "a"}], ["thing", {"_id": 9, "name": "b"}]]
    assert found == [taken, ["raise", {"$max": {"last": 7}}], taken, *added]


@pytest.mark.usefixtures("node")
@pytest.mark.parametrize("rows", [0, 2])
def test_a_script_takes_numbers_for_the_rows_of_a_query(tmp_path: Path, rows: int) -> None:
    """In its transaction it counts them, and raises the counter outside of it; for no rows it takes none."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)")
        connection.execute("CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT)")
    made = pipeline.design(pipeline.inspect(tmp_path / "s.db"), "normalized")
    write = pipeline.convert(made, "INSERT INTO thing (name) SELECT name FROM shelf")
    assert isinstance(write, CompiledWrite)
    counters = """
const told = {_nestling_numbers: {last: 3}};
const literals = stages => JSON.stringify(stages).match(/"\\$literal":(\\d+)/g).map(each => Number(each.split(":")[1]));
const found = (name, stages) => {
  if (name === "thing") return [{highest: 7}];
  if (stages.some(stage => stage.$group)) return rows ? [{count: rows}] : [];
  const [first] = literals(stages);
  say("numbers", Math.min(...literals(stages)), Math.max(...literals(stages)));
  return Array.from({length: rows}, (_, place) => ({new_id: first + place, new_name: "a"}));
};
const collections = told => name => ({
  aggregate: stages => ({toArray: () => found(name, stages)}),
  findOneAndUpdate: (filter, update) => { say("take", filter, update); told[name].last += update.$inc.last; return told[name]; },
  updateOne: (filter, update) => { say("raise", update); told[name].last = update.$max.last; },
  insertMany: documents => documents.forEach(document => say(name, document)),
});
const base = {getName: () => "base", getCollection: collections({})};
const NumberInt = Number;
"""
    shell = SHELL.replace(next(line for line in SHELL.splitlines() if line.startswith("const base")), counters)
    shell = f"const rows = {rows};" + shell.replace(
        "const db = {...base, ", "const db = {...base, getCollection: collections(told), "
    )
    asked_for = asked(write_shell(write), shell=shell)
    if not rows:
        assert asked_for == [["numbers", 0, 1]]
        return
    taken = ["take", {"_id": "thing.id"}, {"$inc": {"last": 2}}]
    added = [["thing", {"_id": 8, "name": "a"}], ["thing", {"_id": 9, "name": "a"}]]
    assert asked_for == [taken, ["raise", {"$max": {"last": 7}}], taken, ["numbers", 8, 9], *added]
