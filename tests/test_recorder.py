"""The recorder: a listener that counts what an application asks, at next to no cost, and keeps no value."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from bson import DatetimeMS
from pymongo import MongoClient, UpdateOne
from pymongo.errors import DuplicateKeyError

from nestling import recorder as recorder_module
from nestling.common.server import Server
from nestling.executors.design_match import first_looks, look
from nestling.executors.facts.permitted import Asking
from nestling.executors.facts.profile import captured
from nestling.ir.capture import CommandOperation, read_capture
from nestling.recorder import Recorder

Client = MongoClient[dict[str, Any]]


def _with(mongod: Server, recorder: Recorder) -> Client:
    return MongoClient(mongod.uri, appname="app", event_listeners=[recorder])


def test_a_recording_counts_each_statement(mongod: Server, database: Any, tmp_path: Path) -> None:
    """Reads, bulk writes and inserts are counted by shape, in statements and documents; failures are not."""
    with Recorder(tmp_path / "capture.json") as recorder, _with(mongod, recorder) as client:
        things = client[database.name]["things"]
        things.insert_many([{"_id": n, "secret": "hunter2"} for n in range(50)])
        for number in range(10):
            things.find_one({"_id": number})
        things.bulk_write([UpdateOne({"_id": n}, {"$set": {"secret": "hunter3"}}) for n in range(30)])
        with pytest.raises(DuplicateKeyError):
            things.insert_one({"_id": 1})
    text = (tmp_path / "capture.json").read_text()
    assert "hunter" not in text
    seen = {each.shape.operation: each for each in read_capture(text).seen}
    assert {operation: (each.count, each.written) for operation, each in seen.items()} == {
        CommandOperation.INSERT: (1, 50),
        CommandOperation.FIND: (10, 0),
        CommandOperation.UPDATE: (30, 30),
    }


def test_values_of_python_are_what_the_driver_sends(mongod: Server, database: Any, tmp_path: Path) -> None:
    """A compiled pattern is a regular expression, and a tuple is a list."""
    with Recorder(tmp_path / "capture.json") as recorder, _with(mongod, recorder) as client:
        things = client[database.name]["things"]
        pattern = re.compile("^n5$", re.IGNORECASE)
        for asked in (
            {"n": pattern},
            {"n": {"$not": pattern}},
            {"n": {"$in": (pattern, "x")}},
            {"at": DatetimeMS(2**60)},
        ):
            things.find_one(asked)
        found = [each.shape.clauses["filter"] for each in recorder.capture().seen]
    assert sorted(map(str, found)) == [
        "{'at': {'$eq': '?date'}}",
        "{'n': {'$in': ['?regex^i', '?string']}}",
        "{'n': {'$not': {'$regex': '?regex^i'}}}",
        "{'n': {'$regex': '?regex^i'}}",
    ]


def test_lists_are_counted_in_writes_too(mongod: Server, database: Any, tmp_path: Path) -> None:
    """The values of the lists of a filter, an array filter and a `$pull`, without nulls; alike conditions are two."""
    with Recorder(tmp_path / "capture.json") as recorder, _with(mongod, recorder) as client:
        things = client[database.name]["things"]
        things.delete_many({"$or": [{"n": {"$in": [1, 2, 3]}}, {"n": {"$in": [4, None]}}, {"n": {"$in": [5]}}]})
        things.update_many({"n": 1}, {"$pull": {"tags": {"$in": ["a", "b"]}}})
        things.update_many({"n": 1}, {"$set": {"a.$[x].b": 1}}, array_filters=[{"x.c": {"$in": [1, 2, 3]}}])
    seen = read_capture((tmp_path / "capture.json").read_text()).seen
    listed = {tuple(each.shape.clauses): each.listed for each in seen}
    assert listed == {("q",): 5, ("q", "u", "multi"): 2, ("q", "u", "multi", "arrayFilters"): 3}
    (deleted,) = (each for each in seen if each.shape.operation is CommandOperation.DELETE)
    assert len(deleted.shape.clauses["q"]["$or"]) == 3  # two of one form, and one with a null


def test_nestlings_own_looks_are_not_the_applications(mongod: Server, database: Any, tmp_path: Path) -> None:
    """Neither here nor in the server's profiler, though the application's client sends them."""
    database["things"].insert_one({"_id": 1, "n": 1})
    database.command("profile", 2)
    with Recorder(tmp_path / "capture.json") as recorder, _with(mongod, recorder) as client:
        look(client[database.name], first_looks(database.name, {"things": {"n": ""}}))
        client[database.name]["things"].find_one({"_id": 1})
        profiled = captured(database, Asking(monotonic() + 60))
        assert [str(each.shape.operation) for each in recorder.capture().seen] == ["find"]
    assert [str(each.shape.operation) for each in profiled.seen if each.shape.collection == "things"] == ["find"]


def test_samples_are_kept_only_when_asked_for(mongod: Server, database: Any, tmp_path: Path) -> None:
    """One value of each parameter, with the place it stands at."""
    with Recorder(tmp_path / "capture.json", samples=True) as recorder, _with(mongod, recorder) as client:
        client[database.name]["things"].find_one({"n": {"$gt": 3}, "name": "ada"})
    (seen,) = read_capture((tmp_path / "capture.json").read_text()).seen
    assert dict(seen.samples) == {"n $gt": 3, "name $eq": "ada"}


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    """Processes that share the line get files of their own."""
    with ExitStack() as stack:
        recorders = [stack.enter_context(Recorder(tmp_path / "capture.json")) for _ in range(3)]
    assert [each.path.name for each in recorders] == ["capture.json", "capture-2.json", "capture-3.json"]


def test_what_is_under_way_is_bounded(mongod: Server, tmp_path: Path) -> None:
    """Answers nobody waits for are forgotten."""
    with Recorder(tmp_path / "capture.json") as recorder, _with(mongod, recorder) as client:
        client["x"]["y"].find_one({})
        assert not recorder._pending


def test_what_follows_a_close_is_written_when_the_program_ends(mongod: Server, tmp_path: Path) -> None:
    """A closed recorder that hears more is not done."""
    path = tmp_path / "capture.json"
    code = f"""
from pymongo import MongoClient
from nestling.recorder import Recorder
recorder = Recorder({str(path)!r})
client = MongoClient({mongod.uri!r}, event_listeners=[recorder])
client["x"]["y"].find_one({{"_id": 1}})
recorder.close()
client["x"]["y"].find_one({{"_id": 2}})
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    (seen,) = read_capture(path.read_text()).seen
    assert seen.count == 2


@pytest.mark.thorough
def test_threads_share_a_recorder(
    mongod: Server, database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Those that find it time to write do so one after the other."""
    monkeypatch.setattr(recorder_module, "WRITE_SECONDS", 0.0)
    with Recorder(tmp_path / "capture.json") as recorder, _with(mongod, recorder) as client:
        things = client[database.name]["things"]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: things.find_one({"_id": number}), range(400)))
    assert not caplog.records
    (seen,) = read_capture((tmp_path / "capture.json").read_text()).seen
    assert seen.count == 400
