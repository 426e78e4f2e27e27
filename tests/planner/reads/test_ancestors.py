"""Recursive queries answered from what rows keep of those above them: trees, forests, cycles and rows without a parent."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form, Index
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.ir.rows import Hop
from tests.patterns.scenario import scenario
from tests.planner.reads.beside_sqlite import as_shown, shown

DDL = """CREATE TABLE node (id INT NOT NULL PRIMARY KEY, name TEXT, rank INTEGER NOT NULL,
    up INTEGER REFERENCES node (id));"""
WALK = """WITH RECURSIVE w({outputs}) AS (SELECT {first} FROM node n WHERE {start}
    {union} SELECT {next} FROM node n JOIN w ON {on})"""
DOWN, UP = "n.up = w.id", "n.id = w.up"
TREE = [None, 0, 0, 1, 1, 2, 5, 6, None, 8]
CYCLES = [1, 2, 0, 2, 3, 5, 5, None, 4, 77]


def walk(start: str, on: str, union: str = "UNION ALL", *, depth: bool = True, outer: str = "SELECT * FROM w") -> str:
    """A recursive query over the nodes."""
    outputs = "id, name, up, depth" if depth else "id, name, up"
    first = "n.id, n.name, n.up" + (", 3" if depth else "")
    step = "n.id, n.name, n.up" + (", depth + 2" if depth else "")
    return WALK.format(outputs=outputs, first=first, start=start, union=union, next=step, on=on) + " " + outer


ANY = [walk(start, on, "UNION", depth=False) for on in (DOWN, UP) for start in ("n.id = :id", "n.rank > 3")]
ENDING = [
    *(walk(start, on, union) for on in (DOWN, UP) for union in ("UNION", "UNION ALL") for start in ("n.id = :id", "1")),
    walk("n.id = :id", DOWN, depth=False, outer="SELECT id, name FROM w ORDER BY name LIMIT 2"),
    walk("n.id = 1", DOWN, depth=False, outer="SELECT count(*), min(name) FROM w"),
    walk("n.id = :id", DOWN, depth=False, outer="SELECT w.name, m.rank FROM w JOIN node m ON m.id = w.up"),
    walk("n.id = :id", UP, depth=False, outer="SELECT name FROM w WHERE up IS NOT NULL"),
    f"SELECT rank, (SELECT count(*) FROM ({walk('n.id = 2', DOWN, depth=False)}) q) FROM node",
]


def designs(proposal: Proposal) -> dict[str, Proposal]:
    """The nodes with what they may keep of those above them: keys, or more."""
    (collection,) = proposal.design.collections
    path = (Hop(proposal.design.model.relationships[0].name, up=True),)
    fields = tuple(Field(name, name) for name in ("id", "name", "up"))
    keys = Copy("line", path, (Field("id", "id"),), Form.SCALARS, TRANSACTION, closure=True)
    whole = Copy("line", path, fields, Form.ARRAY, TRANSACTION, closure=True)
    found = {}
    for name, copy, indexed in (("keys", keys, "line"), ("whole", whole, "line.id")):
        made = replace(collection, body=replace(collection.body, copies=(copy,)))
        indexes = (*proposal.design.indexes, Index(collection.name, ((indexed, 1),)))
        found[name] = replace(proposal, design=replace(proposal.design, collections=(made,), indexes=indexes))
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kept", ["keys", "whole"])
@pytest.mark.parametrize(("rows", "statements"), [(TREE, [*ANY, *ENDING]), (CYCLES, ANY)], ids=["tree", "cycles"])
def test_they_answer_as_sqlite_does(
    rows: list[int | None], statements: list[str], kept: str, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """From every row, up and down, with every design."""
    nodes = [(n, None if n == 4 else f"node {n % 7}", n % 5, up) for n, up in enumerate(rows)]
    application = scenario(tmp_path, DDL, {"node": nodes}, "-- name: none, rate: 1/s\nSELECT * FROM node;")
    proposal = designs(pipeline.design(application.reading, "normalized"))[kept]
    loaded = pipeline.load(proposal, application.address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal
    without_walk = 0
    with closing(sqlite3.connect(application.address.removeprefix("sqlite:///"))) as connection:
        for sql in statements:
            read = pipeline.convert(proposal, sql, name="walk", dialect="sqlite")
            assert isinstance(read, CompiledRead), read
            without_walk += "walk `" not in read.access_path
            for values in [{"id": key} for key in range(len(rows))] if ":id" in sql else [{}]:
                mine = [tuple(map(shown, row, read.columns)) for row in run_read(database, read, values)]
                theirs = [tuple(map(as_shown, row, read.columns)) for row in connection.execute(sql, values)]
                assert Counter(mine) == Counter(theirs), (values, sql, read.access_path)
    assert without_walk >= len(statements) / 2
