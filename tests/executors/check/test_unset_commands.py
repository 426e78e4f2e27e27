"""The commands that take out what a design does not know: run as they are told, they take that and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.field_searches.unset_commands import unset_commands
from nestling.executors.check import CheckReport
from nestling.ir.field_removal import removal
from nestling.ir.found_field import FoundField
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal
from tests.doctor.shell import run_in
from tests.emitters.designs import variants
from tests.emitters.test_loaded import rows_of
from tests.executors.check.loaded import checked
from tests.sqlite_rows import sqlite_source

Row = dict[str, Any]
DESIGN = """
nestling: 1
strategy: today
model:
  name: things
  entities:
    thing: {key: [id], attributes: {id: integer!, b: text, q: integer}}
    part: {key: [thing, x], attributes: {thing: integer!, x: integer!}}
    piece: {key: [thing, x, y], attributes: {thing: integer!, x: integer!, y: integer!}}
  relationships:
    parts: {parent: thing, child: part, attributes: [thing], required: true}
    pieces: {parent: part, child: piece, attributes: [thing, x], required: true}
design:
  collections:
    things:
      root: thing
      id: [id]
      fields: {b: a.b, q: p.q}
      embeddings:
        m: {of: parts, as: array, embeddings: {n: {of: pieces, as: array}}}
"""
KNOWN: Row = {"a": {"b": "precious"}, "p": {"q": 1}, "m": [{"x": 1, "n": [{"y": 1}]}, {"x": 2, "n": [{"y": 2}]}]}
OTHER: Row = {"a": [{"b": 1, "": 2, "z": 3}], "p": [*range(12)], "m": {"z": 1, "c.d": 2, "x": 1}}
"""Of another form than the design's: no search finds what is in here, so that nothing of it may go."""


@pytest.fixture
def things(database: Database[Row]) -> Proposal:
    """The design, some documents of it, and one of another form."""
    database["things"].insert_many({"_id": number, **KNOWN} for number in range(5))
    database["things"].insert_one({"_id": -1, **OTHER})
    return read_proposal(DESIGN, "design.yaml")


def _take_out(report: CheckReport, database: Database[Row]) -> None:
    for command in report.unset_commands:
        run_in(database, command)


STRAY: dict[str, tuple[Row, Row]] = {
    "z": ({"z": 1}, {}),
    '"a.b"': ({"a.b": 1}, {}),
    "$x": ({"$x": 1}, {}),
    '""': ({"": 1}, {}),
    '"m[]"': ({"m[]": 1}, {}),
    '"[]"': ({"[]": 1}, {}),
    'p.""': ({"p": {"": 2, "q": 1}}, {}),
    'p."r.s"': ({"p": {"q": 1, "r.s": {"t": 1}}}, {}),
    "p.9": ({"p": {"q": 1, "9": 2}}, {}),
    "m[].z": ({"m": [{"x": 1}, {"x": 2, "z": 1}, {"x": 3}]}, {"m": [{"x": 1}, {"x": 2}, {"x": 3}]}),
    "m[].$z": ({"m": [{"x": 1}, {"x": 2, "$z": 1}, 3]}, {"m": [{"x": 1}, {"x": 2}, 3]}),
    "m[].n[].z": (
        {"m": [{"x": 1, "n": [{"y": 1}, {"y": 1, "z": 1}]}, {"x": 2, "n": {"z": 1}}, {"x": 2}]},
        {"m": [{"x": 1, "n": [{"y": 1}, {"y": 1}]}, {"x": 2, "n": {"z": 1}}, {"x": 2}]},
    ),
    'm[].n[]."c.d"': (
        {"m": [{"x": 1, "n": [{"c.d": 1, "y": 1}]}, {"x": 2, "n": {"c.d": 1}}, {"x": 2}]},
        {"m": [{"x": 1, "n": [{"y": 1}]}, {"x": 2, "n": {"c.d": 1}}, {"x": 2}]},
    ),
}
"""By the path that is told: what a document holds beside or in place of what all hold, and what is left of that."""


@pytest.mark.parametrize("path", STRAY)
def test_what_a_command_takes_out(path: str, things: Proposal, database: Database[Row]) -> None:
    """The field it is told for goes, whatever its name, and no other of any document; those that stay keep their order."""
    stray, left = STRAY[path]
    wanted = [*map(repr, database["things"].find()), repr({"_id": 9, **KNOWN, **left})]
    database["things"].insert_one({"_id": 9, **KNOWN, **stray})
    report = checked(things, database)
    assert [each.path for each in report.unknown] == [path]
    _take_out(report, database)
    assert [*map(repr, database["things"].find())] == wanted
    assert checked(things, database).unknown == ()


def test_a_field_that_other_documents_have(database: Database[Row], tmp_path: Path) -> None:
    """In a collection of books and films a book's minutes go, and the films keep theirs; a note goes from all."""
    proposal = Proposal("", variants())
    sqlite_source(tmp_path / "rows.db", proposal.design.model, rows_of(proposal.design))
    pipeline.load(proposal, f"sqlite:///{tmp_path / 'rows.db'}", database, check=False)
    before = [*database["media"].find()]
    database.command("collMod", "media", validationLevel="off")
    database["media"].update_many({"type": "book"}, {"$set": {"minutes": 90}})
    database["media"].update_many({"type": "film"}, {"$set": {"isbn": "1"}})
    literal = {"$setField": {"field": "a.b", "input": "$$ROOT", "value": 2}}
    database["media"].update_many({}, [{"$set": {"note": 1}}, {"$replaceWith": literal}])
    report = checked(proposal, database)
    assert {each.path for each in report.unknown} == {"minutes", "isbn", "note", '"a.b"'}
    _take_out(report, database)
    assert [*database["media"].find()] == before


def test_nothing_is_taken_out_of_an_id() -> None:
    """The server never changes an `_id`: there is no command for what lies in one."""
    found = [FoundField("things", steps, 1, 1) for steps in (("_id", "z"), ("z",))]
    assert len(unset_commands(read_proposal(DESIGN, "design.yaml").design, found)) == 1


def test_arrays_of_arrays(database: Database[Row]) -> None:
    """No path enters them, so that an expression takes the field out."""
    database["things"].insert_one({"_id": 1, "g": [[{"x": 1, "z": 1}, 2], 3]})
    run_in(database, removal(("g", None, None, "z")).command("things"))
    assert database["things"].find_one() == {"_id": 1, "g": [[{"x": 1}, 2], 3]}
