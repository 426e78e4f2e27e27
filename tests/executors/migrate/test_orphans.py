"""Orphans moved by the server: rows whose foreign key is NULL or leads nowhere, wherever their parents are in the old design."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Reference
from nestling.ir.proposal import Proposal
from nestling.ir.values import Policy
from nestling.pipeline.migrating import drop_old
from nestling.pipeline.migration_job import job_of

_ROWS = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, note TEXT);
CREATE TABLE line (id INTEGER PRIMARY KEY, purchase_id INTEGER REFERENCES purchase, product TEXT);
INSERT INTO customer VALUES (1, 'Ann'), (2, NULL);
INSERT INTO purchase VALUES (1, 1, 'a'), (2, 1, NULL), (3, 2, 'c'), (7, NULL, 'to nobody'), (8, 999, 'to somebody gone');
INSERT INTO line VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 8, 'z'), (5, NULL, 'in nothing'), (6, 999, 'in something gone');
"""
_LOST_PURCHASES = [
    {"_id": 7, "note": "to nobody", "line": []},
    {"_id": 8, "customer_id": 999, "note": "to somebody gone", "line": [{"id": 3, "product": "z"}]},
]
_LOST_LINES = [{"_id": 5, "product": "in nothing"}, {"_id": 6, "purchase_id": 999, "product": "in something gone"}]


def _designs(model: Model) -> Iterator[Design]:
    """Collections of their own, all in one, purchases apart with their lines."""
    links = {each.child: each.name for each in model.relationships}

    def inside(root: str, child: str, body: Document) -> Document:
        return Document(root, embeddings=(Embedding(child, links[child], Form.ARRAY, body, orphans=f"lost_{child}"),))

    def apart(body: Document) -> Document:
        return replace(body, references=(Reference(links[body.entity], Holder.CHILD),))

    customer, purchase, line = (Document(name) for name in ("customer", "purchase", "line"))
    filled = inside("purchase", "line", line)
    for roots in (
        (customer, apart(purchase), apart(line)),
        (inside("customer", "purchase", filled),),
        (customer, apart(filled)),
    ):
        yield Design(model, tuple(Collection(f"{each.entity}s", each, ("id",)) for each in roots))


_BY_TWO = """
CREATE TABLE customer (a INTEGER NOT NULL, b INTEGER NOT NULL, name TEXT, PRIMARY KEY (a, b));
CREATE TABLE purchase (
  id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, note TEXT, FOREIGN KEY (a, b) REFERENCES customer (a, b)
);
INSERT INTO customer VALUES (1, 1, 'Ann'), (1, 2, NULL), (2, 1, 'Cid');
INSERT INTO purchase VALUES (1, 1, 1, 'a'), (2, 1, 1, NULL), (3, 1, 2, 'c'), (4, NULL, NULL, 'to nobody'),
  (5, 1, NULL, 'to half'), (6, 2, 2, 'to parts of two'), (7, 999, 1, 'to somebody gone');
"""
_BY_NULLABLE = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, code INTEGER UNIQUE, name TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, code INTEGER REFERENCES customer (code), note TEXT);
INSERT INTO customer VALUES (1, 1, 'Ann'), (2, NULL, 'Ben'), (3, NULL, 'Cid');
INSERT INTO purchase VALUES (1, 1, 'a'), (2, 1, NULL), (3, NULL, 'to nobody'), (4, 999, 'to somebody gone');
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("rows", "held", "lost"), [(_BY_TWO, [1, 2, 3], [4, 5, 6, 7]), (_BY_NULLABLE, [1, 2], [3, 4])])
def test_rows_are_linked_as_sql_does(
    database: Database[Any], tmp_path: Path, rows: str, held: list[int], lost: list[int]
) -> None:
    """By two columns at once, and never by NULL."""
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        connection.executescript(rows)
    address = f"sqlite:///{tmp_path / 'rows.db'}"
    model = pipeline.inspect(address).model
    link, customer, purchase = model.relationships[0].name, Document("customer"), Document("purchase")
    apart = replace(purchase, references=(Reference(link, Holder.CHILD),))
    inside = replace(customer, embeddings=(Embedding("purchase", link, Form.ARRAY, purchase, orphans="lost"),))
    old, new = (
        Proposal(
            "",
            Design(model, tuple(Collection(f"{each.entity}s", each, model.entity(each.entity).key) for each in roots)),
        )
        for roots in ((customer, apart), (inside,))
    )
    pipeline.load(old, address, database, check=False)
    assert pipeline.migrate(old, new, database, cutover=True, may_lose=["indexes"]).equal
    assert [each["_id"] for each in database["lost"].find(sort=["_id"])] == lost
    assert [row["id"] for each in database["customers"].find(sort=["_id"]) for row in each["purchase"]] == held


@pytest.mark.thorough
def test_the_server_finds_orphans(database: Database[Any], tmp_path: Path) -> None:
    """Out of collections of their own, and out of arrays inside arrays."""
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        connection.executescript(_ROWS)
    address = f"sqlite:///{tmp_path / 'rows.db'}"
    model = pipeline.inspect(address).model
    made = [Proposal("", design) for design in _designs(model)]
    pipeline.load(made[0], address, database, check=False)
    for old, new in pairwise(made):
        job = job_of(old.design, new.design, database, Policy())
        by_server = {job.names[side.collection] for side in job.on_server}
        assert by_server == set(job.names.values())
        assert pipeline.migrate(old, new, database, cutover=True, may_lose=["indexes"]).equal
        assert sorted(database["lost_line"].find(), key=lambda each: each["_id"]) == _LOST_LINES
        if len(new.design.collections) == 1:
            assert sorted(database["lost_purchase"].find(), key=lambda each: each["_id"]) == _LOST_PURCHASES
        drop_old(old, new, database)
