"""What a refused write tells programs: which constraint, and which attributes, whoever finds it: the server, or a look before."""

from __future__ import annotations

import pickle
import sqlite3
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError

TABLES = """
CREATE TABLE house (id INTEGER PRIMARY KEY, street TEXT NOT NULL, number INTEGER NOT NULL, UNIQUE (street, number));
CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, age INTEGER CHECK (age >= 0),
  house_id INTEGER NOT NULL REFERENCES house);
INSERT INTO house VALUES (1, 'Elm', 1), (2, 'Elm', 2);
INSERT INTO person VALUES (1, 'ann@x', 30, 1), (2, 'bob@x', NULL, 1), (3, 'eve@x', 5, 2);
"""
REFUSED = [
    ("INSERT INTO house VALUES (1, 'Oak', 1)", {}, "key", ["house.id"]),
    ("INSERT INTO house VALUES (3, 'Elm', 2)", {}, "unique", ["house.street", "house.number"]),
    ("UPDATE house SET number = 1 WHERE id = 2", {}, "unique", ["house.street", "house.number"]),
    ("INSERT INTO person VALUES (1, 'new@x', 1, 1)", {}, "key", ["person.id"]),
    ("INSERT INTO person VALUES (4, 'ann@x', 1, 2)", {}, "unique", ["person.email"]),
    ("UPDATE person SET email = 'ann@x' WHERE id = 3", {}, "unique", ["person.email"]),
    ("UPDATE person SET email = :e WHERE id = 3", {"e": None}, "not null", ["person.email"]),
    ("INSERT INTO house VALUES (:i, :s, :n)", {"i": 7, "s": "Oak", "n": None}, "not null", ["house.number"]),
    ("UPDATE person SET age = -1 WHERE id = 3", {}, "check", ["person.age"]),
    ("INSERT INTO person VALUES (4, 'new@x', -1, 1)", {}, "check", ["person.age"]),
    ("INSERT INTO person VALUES (4, 'new@x', 1, 9)", {}, "parent", ["person.house_id"]),
    ("DELETE FROM house WHERE id = 1", {}, "children", ["person.house_id"]),
]


@pytest.fixture(scope="module", params=["normalized", "embedded"])
def store(
    request: pytest.FixtureRequest, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """Houses and people, whose rows live apart or inside one another."""
    path = tmp_path_factory.mktemp("houses") / "houses.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    proposal = pipeline.design(pipeline.inspect(f"sqlite:///{path}"), request.param)
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    pipeline.load(proposal, f"sqlite:///{path}", database, check=False)
    yield Store(proposal, database)
    mongo_client.drop_database(database.name)


@pytest.mark.parametrize(("sql", "values", "violation", "attributes"), REFUSED)
def test_they_are_named(
    store: Store, sql: str, values: Mapping[str, object], violation: str, attributes: list[str]
) -> None:
    """The same on all designs; pickled and read back, too."""
    with pytest.raises(ConstraintError) as refused:
        store.execute(sql, **values)
    error = pickle.loads(pickle.dumps(refused.value))
    assert (error.violation, [*error.attributes]) == (violation, attributes)
