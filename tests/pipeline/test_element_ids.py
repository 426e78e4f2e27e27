"""Elements with an `_id` of their own, as applications write them: it is a field of the element like any other."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.executors.run import run_read
from nestling.executors.write import run_write
from nestling.ir.primitives import Field
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.values import Policy
from nestling.pipeline import convert, design, inspect, load, migrate
from nestling.pipeline.migration_job import job_of

TABLES = """
CREATE TABLE product (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE review (
  id INTEGER NOT NULL PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES product (id), stars INTEGER NOT NULL
);
INSERT INTO product VALUES (1, 'Lamp'), (2, 'Chair');
INSERT INTO review VALUES (11, 1, 5), (12, 1, 3);
"""
Run = Callable[[str], Any]


@pytest.fixture
def proposal(tmp_path: Path, database: Database[Any]) -> Proposal:
    """Reviews in their products, `id` stored as `_id`; loaded."""
    path = tmp_path / "reviews.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    made = design(inspect(f"sqlite:///{path}"), "embedded")
    (products,) = made.design.collections
    (reviews,) = products.body.embeddings
    own_ids = replace(reviews, body=replace(reviews.body, fields=(Field("id", "_id"),)))
    body = replace(products.body, embeddings=(own_ids,))
    made = replace(made, design=replace(made.design, collections=(replace(products, body=body),), indexes=()))
    load(made, f"sqlite:///{path}", database)
    return made


@pytest.fixture
def run(proposal: Proposal, database: Database[Any]) -> Run:
    """Runs a statement: the rows of a read, the changed rows of a write."""

    def done(sql: str) -> Any:
        made = convert(proposal, sql, dialect="sqlite")
        if isinstance(made, CompiledRead):
            return [*run_read(database, made)]
        assert isinstance(made, CompiledWrite), made
        return run_write(database, made, {}).affected

    return done


def test_they_are_loaded(proposal: Proposal, database: Database[Any]) -> None:
    """The validator asks for them, and they are there."""
    name = proposal.design.collections[0].name
    found = {each["_id"]: each for each in database[name].find()}
    assert [(one["_id"], one["stars"]) for one in found[1]["review"]] == [(11, 5), (12, 3)]


def test_they_are_written(run: Run, database: Database[Any], proposal: Proposal) -> None:
    """An INSERT keeps the `_id` it is given, an UPDATE of a key changes it in place."""
    assert run("INSERT INTO review (id, product_id, stars) VALUES (13, 2, 4)") == 1
    assert run("UPDATE review SET id = 14 WHERE id = 11") == 1
    assert run("UPDATE review SET stars = 1 WHERE id = 12") == 1
    assert run("SELECT id, product_id, stars FROM review ORDER BY id") == [(12, 1, 1), (13, 2, 4), (14, 1, 5)]
    (chair,) = database[proposal.design.collections[0].name].find({"_id": 2})
    assert chair["review"] == [{"_id": 13, "stars": 4}]


@pytest.mark.thorough
def test_the_server_puts_them_in_when_it_moves_rows(
    proposal: Proposal, database: Database[Any], mongo_client: MongoClient[dict[str, Any]], tmp_path: Path
) -> None:
    """A migration that makes elements of documents gives them their `_id`."""
    apart = design(inspect(f"sqlite:///{tmp_path / 'reviews.db'}"), "normalized")
    old = mongo_client[f"{database.name}_old"]
    load(apart, f"sqlite:///{tmp_path / 'reviews.db'}", old)
    try:
        assert job_of(apart.design, proposal.design, old, Policy()).on_server
        assert migrate(apart, proposal, old, cutover=True).equal
        assert old["product"].find_one({"_id": 1}) == database["product"].find_one({"_id": 1})
    finally:
        mongo_client.drop_database(old.name)
