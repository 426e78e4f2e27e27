"""`nestling capture`: shapes and workloads from a live server, its log and a recording; the doctor weighs them too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.server import Server
from nestling.recorder import Recorder
from tests.cli.commands import nestling

SECRET = "hunter2-4f9a"


@pytest.fixture
def used(loaded: Path, mongod: Server, database: Database[dict[str, Any]]) -> Path:
    """The library's folder, its database profiled and recorded (`capture.json`) while an application with secrets uses it."""
    database.command("profile", 2)
    with (
        Recorder(loaded / "capture.json") as recorder,
        MongoClient[dict[str, Any]](mongod.uri, appname="app", event_listeners=[recorder]) as client,
    ):
        authors = client[database.name]["author"]
        for _ in range(30):
            authors.find_one({"_id": 1})
        for _ in range(10):
            list(
                authors.aggregate(
                    [{"$match": {"name": SECRET}}, {"$unwind": "$book"}, {"$project": {"t": "$book.title"}}]
                )
            )
        authors.find_one({"colour": SECRET})
        authors.update_one({"_id": 1}, {"$set": {"name": SECRET}})
    database.command("profile", 0)
    return loaded


@pytest.mark.thorough
def test_shapes_without_a_design(used: Path, target: str) -> None:
    """Without a design it shows what is asked, most frequent first, and no value."""
    done = nestling("capture", target, cwd=used)
    assert done.code == 0, done.err
    assert '{"_id":{"$eq":"?number"}}' in "".join(done.out.split())
    assert SECRET not in done.out + done.err


@pytest.mark.parametrize("options", [(), ("--design", "design.yaml")])
def test_nothing_seen_is_said(loaded: Path, database: Database[dict[str, Any]], options: tuple[str, ...]) -> None:
    """No empty table, but what has a server note statements."""
    (loaded / "quiet.log").write_text(
        '{"t":{"$date":"2026-04-11T08:00:00.000+00:00"},"msg":"Waiting for connections"}\n'
    )
    done = nestling("capture", "quiet.log", *options, cwd=loaded)
    assert (done.code, done.out) == (0, "No statements in 1 s, or nothing recorded them.\n")
    assert "db.setProfilingLevel(2)" in done.err


def test_a_database_that_is_not_there_is_told(tmp_path: Path, target: str) -> None:
    """Nobody asked it anything, as it is not there: a mistake in the address, which other commands tell too."""
    done = nestling("capture", target, cwd=tmp_path)
    assert done.code == 2
    assert "there are no collections to read" in done.err


def test_a_workload_with_a_design(used: Path, target: str) -> None:
    """With a design the workload file holds SQL with rates that `design` takes; what SQL lacks is named in it."""
    done = nestling("capture", "capture.json", "--design", "design.yaml", "-o", "workload.sql", cwd=used)
    assert done.code == 1, done.err
    (following,) = re.findall(r"^Next: nestling (.*)$", done.err, re.MULTILINE)
    assert nestling(*following.split(), cwd=used).code == 0
    text = (used / "workload.sql").read_text()
    assert SECRET not in text + done.out
    assert "FROM author a\nLEFT JOIN book b ON b.author_id = a.author_id\nWHERE a.author_id = :author_id;" in text
    assert "SELECT a.author_id, b.title AS t\nFROM author a\nJOIN book b ON b.author_id = a.author_id\n" in text
    assert "UPDATE author SET name = :name WHERE author_id = :author_id;" in text
    assert "`colour` is not an attribute of the model" in text
    again = nestling("design", "sqlite:///library.db", "--workload", "workload.sql", "--json", cwd=used)
    assert again.code == 0, again.err
    assert len(again.json["statements"]) == 3


@pytest.mark.thorough
def test_json_has_the_documented_shape(used: Path, target: str) -> None:
    """Exactly the documented keys."""
    done = nestling("capture", target, "capture.json", "--design", "design.yaml", "--json", cwd=used)
    assert done.code == 1, done.err
    found = done.json
    assert set(found) == {"window_seconds", "shapes", "joins", "skipped", "statements", "left_out", "gaps"}
    assert set(found["shapes"][0]) == {
        *(
            "database",
            "collection",
            "operation",
            "clauses",
            "rate_per_second",
            "count",
            "seconds",
            "documents_examined",
        ),
        *("returned", "written"),
    }
    assert set(found["statements"][0]) == {
        *("name", "sql", "rate_per_second", "params", "quantiles", "seen", "notes"),
        *("measured_seconds", "asked_with"),
    }
    assert SECRET not in done.out


def test_a_saved_capture_is_a_source(used: Path, target: str) -> None:
    """What --save wrote gives the same shapes again."""
    first = nestling("capture", target, "--save", "saved.json", "--json", cwd=used)
    again = nestling("capture", "saved.json", "--json", cwd=used)
    assert again.json == first.json
    assert SECRET not in (used / "saved.json").read_text()


@pytest.mark.thorough
def test_a_profiler_that_is_off_is_told_how_to_switch_on(
    used: Path, database: Database[dict[str, Any]], target: str
) -> None:
    """What it would have noted is named, with the call that makes it record all from now on."""
    database.command("profile", 0)
    database["system.profile"].drop()
    call = f'`db.getSiblingDB("{database.name}").setProfilingLevel(2)` makes it record all'
    (skipped,) = nestling("capture", target, "--json", cwd=used).json["skipped"]
    assert skipped["what"].startswith(f"statements of {database.name} faster than ")
    assert skipped["why"] == f"its profiler is off; {call}: capture again after a while"
    assert call in nestling("capture", target, cwd=used).out
    database.command("profile", 0, slowms=0)
    (skipped,) = nestling("capture", target, "--json", cwd=used).json["skipped"]
    assert skipped["what"] == f"statements of {database.name}", "none is faster than 0 ms"
    with_design = nestling("capture", target, "capture.json", "--design", "design.yaml", cwd=used)
    assert f"{call}: capture again after a while\n" in with_design.err
    database.command("profile", 1, slowms=5_000)
    assert f"records only slower ones (level 1); {call}" in nestling("capture", target, cwd=used).out


def test_a_profiler_full_of_our_own_statements_is_told(
    used: Path, mongod: Server, database: Database[dict[str, Any]], target: str
) -> None:
    """At level 2 a look at the data pushes out what applications asked; by the filter that is named it is kept, however fast."""
    database.command("profile", 0)
    database["system.profile"].drop()
    database.command("profile", 2)
    assert nestling("doctor", target, cwd=used).code in (0, 1)
    told = nestling("capture", target, "--json", cwd=used).json["skipped"]
    (why,) = (each["why"] for each in told if each["what"] == f"earlier statements of {database.name}")
    assert 'setProfilingLevel(1, {filter: {appName: {$ne: "nestling"}}})' in why
    database.command("profile", 0)
    database["system.profile"].drop()
    database.command("profile", 1, slowms=5_000, filter={"appName": {"$ne": "nestling"}})
    with MongoClient[dict[str, Any]](mongod.uri, appname="app") as client:
        client[database.name]["author"].find_one({"_id": 1})
    assert nestling("doctor", target, cwd=used).code in (0, 1)
    captured = nestling("capture", target, "--json", cwd=used).json
    assert not captured["skipped"]
    assert [each["operation"] for each in captured["shapes"]] == ["find"]
    database.command("profile", 1, slowms=5_000, filter={"op": "query"})
    (skipped,) = nestling("capture", target, "--json", cwd=used).json["skipped"]
    assert "what its filter lets through" in skipped["why"]


@pytest.mark.thorough
def test_what_comes_next_is_of_the_live_database(used: Path, target: str) -> None:
    """There today's design is what a better one is weighed against; a design's file alone is designed from scratch."""
    live = nestling("capture", target, "--design", "design.yaml", "-o", "workload.sql", cwd=used)
    assert f"Next: nestling design {target} --workload workload.sql" in live.err.replace("'", "")
    today = nestling("inspect", target, "--design-out", "today.yaml", cwd=used)
    assert today.code == 0, today.err
    saved = nestling("capture", "capture.json", "--design", "today.yaml", "-o", "workload.sql", cwd=used)
    assert "Next: nestling design mongodb://… --workload workload.sql" in saved.err


@pytest.mark.thorough
def test_the_doctor_weighs_what_was_captured(used: Path, database: Database[dict[str, Any]], target: str) -> None:
    """A recording of reads without an index makes the rule fire that needs statements."""
    database.command("profile", 0)
    database["system.profile"].drop()
    database["author"].insert_many([{"_id": n, "name": f"n {n}", "book": []} for n in range(100, 4_000)])
    with (
        Recorder(used / "slow.json") as recorder,
        MongoClient[dict[str, Any]](target, appname="app", event_listeners=[recorder]) as client,
    ):
        for number in range(60):
            list(
                client[database.name]["author"].aggregate(
                    [{"$lookup": {"from": "book", "localField": "_id", "foreignField": "x", "as": "b"}}, {"$limit": 1}]
                )
            )
            assert number < 60
    rules = {
        each["rule"]
        for each in nestling("doctor", target, "--captured", "slow.json", "--json", cwd=used).json["findings"]
    }
    without = {each["rule"] for each in nestling("doctor", target, "--json", cwd=used).json["findings"]}
    assert "excessive-lookup" in rules - without


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nothing.log",), "cannot be read"),
        (("library.db",), "holds no captured statements"),
        (("capture.json", "-o", "workload.sql"), "--design"),
        (("mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=50",), "cannot reach the server"),
    ],
)
def test_mistakes_are_told(arguments: tuple[str, ...], told: str, library: Path) -> None:
    """What is no source, and a workload without a model to say it over, are errors in words."""
    (library / "capture.json").write_text(
        json.dumps({"form": "nestling capture 1", "kind": "log", "window_seconds": 1.0})
    )
    done = nestling("capture", *arguments, cwd=library)
    assert done.code == 2
    assert told in done.err


def test_a_config_file_settles_thresholds(database: Database[dict[str, Any]], target: str, tmp_path: Path) -> None:
    """Thresholds, what fails and accepted findings come from a file; options go first; mistakes are named with their lines."""
    database.create_collection("things", validator={"$jsonSchema": {"required": ["_id"]}})
    database["things"].insert_one({"items": [{"n": n} for n in range(50)]})
    (tmp_path / "doctor.yaml").write_text("thresholds:\n  unbounded-array: {documents: 40}\nfail_on: error\n")
    done = nestling("doctor", target, "--config", "doctor.yaml", "--json", cwd=tmp_path)
    assert [each["threshold_source"] for each in done.json["findings"]] == ["yours"]
    assert done.code == 0
    assert nestling("doctor", target, "--config", "doctor.yaml", "--fail-on", "info", cwd=tmp_path).code == 1
    given = ("--threshold", "unbounded-array.documents=90")
    assert nestling("doctor", target, "--config", "doctor.yaml", *given, "--json", cwd=tmp_path).json["findings"] == []
    wrong = "thresholds: {unbounded-array: {document: 1}, no-rule: {}}\nas: nobody\nignore: [{rule: x}]\n"
    (tmp_path / "wrong.yaml").write_text(wrong)
    done = nestling("doctor", target, "--config", "wrong.yaml", cwd=tmp_path)
    assert done.code == 2
    for told in ("wrong.yaml:1", "`document`", "`no-rule`", "`nobody`", "needs a text for"):
        assert told in done.err


@pytest.mark.thorough
def test_a_design_for_what_a_server_was_asked_tells_what_it_leaves_out(used: Path, target: str) -> None:
    """A recorded command that SQL does not say is left out: one of the gaps, the line below the tables, exit code 1."""
    done = nestling("design", target, cwd=used)
    assert done.code == 1, done.err
    assert "left out of this decision: `find_author_by_colour`" in " ".join(done.out.split())
    assert any("`colour` is not an attribute" in line for line in done.err.splitlines() if line.startswith("gap: "))
