"""A workload file is SQL, or a model file with a workload; every command takes both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import NestlingError
from nestling.ir.capture import Capture, CaptureKind, capture_text
from tests.cli.commands import nestling

MODEL = """nestling: 1
dialect: postgresql
model:
  name: x
  entities:
    a: {key: id, attributes: {id: integer!, s: text!}}
    b: {key: id, attributes: {id: integer!, a_id: integer!, n: text}}
  relationships:
    ab: {parent: a, child: b, attributes: a_id}
"""
WORKLOAD = """workload:
  one: {sql: "SELECT s FROM a WHERE id = :id", rate: 5/s}
  add: {sql: "INSERT INTO a (id, s) VALUES ($1, $2)", rate: 1/s}
  of_a: {sql: "SELECT a.s, b.n FROM b JOIN a ON a.id = b.a_id WHERE b.id = :id", rate: 2/s}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model file with a workload, and the design made of it."""
    (tmp_path / "model.yaml").write_text(MODEL + WORKLOAD, encoding="utf-8")
    assert nestling("design", "model.yaml", "-o", "design.yaml", cwd=tmp_path).code == 0
    return tmp_path


@pytest.mark.thorough
def test_convert_and_emit(folder: Path) -> None:
    """Every statement is converted, and has a function."""
    done = nestling("convert", "design.yaml", "--file", "model.yaml", cwd=folder)
    assert done.code == 0, done.out
    assert {"// one", "// add", "// of_a"} <= set(done.out.splitlines())
    done = nestling("emit", "design.yaml", "--as", "python", "--workload", "model.yaml", "-o", "code", cwd=folder)
    assert done.code == 0, done.err
    assert "def of_a(" in (folder / "code" / "queries.py").read_text(encoding="utf-8")


def test_a_store(folder: Path, database: Database[dict[str, Any]]) -> None:
    """Statements run by name, in the dialect the file says."""
    proposal = pipeline.read_proposal(folder / "design.yaml")
    pipeline.load(proposal, None, database)
    store = Store(folder / "design.yaml", database, workload=folder / "model.yaml")
    assert store.names == ("one", "add", "of_a")
    store.run("add", p1=7, p2="seven")
    assert store.run("one", id=7).rows == ({"s": "seven"},)


def test_the_workload_of_another_model(folder: Path) -> None:
    """What its statements touch is read over the model at hand, with its joins; what that lacks is a gap."""
    (folder / "schema.sql").write_text(
        "CREATE TABLE a (id integer PRIMARY KEY, s text);\nCREATE TABLE b (id integer PRIMARY KEY, a_id integer);",
        encoding="utf-8",
    )
    read = pipeline.inspect(folder / "schema.sql", workload=folder / "model.yaml")
    assert [link.child_attributes for link in read.model.relationships] == [("a_id",)]
    assert [str(gap.what) for gap in read.gaps] == ["statement `of_a`: no attribute `n` in `b`; it has `id`, `a_id`"]
    assert [each.rate_per_second for each in read.workload.statements] == [5, 1, 2]
    assert read.workload.statements[0].accesses[0].entity == "a"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("other.yaml", "services: {db: {image: mongo}}\n", "neither a file of SQL statements nor a model file"),
        ("bare.yaml", MODEL, "this model file has no workload"),
        ("data.csv", "id,name\n1,one\n", "name a file of SQL statements, or a model.yaml"),
        (
            "bad.yaml",
            MODEL + "workload: {q: {sql: SELECT 1, rate: 5}}\n",
            "`5` is not a rate\n  → add the unit of time: write `5/s`",
        ),
        ("late.yaml", MODEL + WORKLOAD + "requirements: {read_only: [c]}\n", "no entity `c`"),
        ("empty.sql", "-- nothing\n", "the file contains no statements"),
        ("design.yaml", "", "this is a design, which contains no statements"),
    ],
)
def test_what_is_neither(folder: Path, name: str, text: str, said: str) -> None:
    """It says so, and what to name or write instead, whichever command is given it."""
    if text:
        (folder / name).write_text(text, encoding="utf-8")
    for command in (("convert", "design.yaml", "--file"), ("design", "model.yaml", "--workload")):
        done = nestling(*command, name, cwd=folder)
        assert done.code == 2
        assert said in done.err
    with pytest.raises(NestlingError):
        pipeline.statements_of(pipeline.read_proposal(folder / "design.yaml"), folder / name)


@pytest.mark.parametrize(
    ("text", "what", "move"),
    [
        (
            capture_text(Capture(CaptureKind.RECORDER, 60.0)),
            "these are commands captured",
            "nestling capture asked.json --design",
        ),
        ('{"t":{"$date":"2026-01-01T00:00:00.000Z"},"s":"I"}\n', "these are commands captured", "-o workload.sql"),
        ('[{"find": "product"}]', "this is JSON", "name a workload.sql or a model.yaml"),
    ],
)
def test_json_is_no_workload(folder: Path, text: str, what: str, move: str) -> None:
    """Captured commands become SQL by `nestling capture`, which the error says; other JSON is called what it is."""
    (folder / "asked.json").write_text(text, encoding="utf-8")
    done = nestling("design", "model.yaml", "--workload", "asked.json", cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert what in done.err
    assert move in done.err
