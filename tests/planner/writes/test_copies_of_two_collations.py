"""A new row that copies what its parent has, where the two are told by texts of two collations: beside a MariaDB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.emitters.mql.write_shell import write_shell
from nestling.emitters.python_code import module
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.rows import Hop
from tests.beside_mariadb import Both, beside_mariadb

SCRIPT = """
CREATE TABLE land (code char(2) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY, name varchar(40) NOT NULL);
INSERT INTO land VALUES ('DE', 'Land'), ('de', 'land'), ('FR', 'Frankreich');
CREATE TABLE guest (id int AUTO_INCREMENT PRIMARY KEY, email varchar(40) UNIQUE,
    land char(2) CHARACTER SET ascii COLLATE ascii_bin, points int NOT NULL DEFAULT 0, FOREIGN KEY (land) REFERENCES land (code));
INSERT INTO guest VALUES (1, 'a@x', 'DE', 5), (2, 'b@x', 'de', 6), (3, NULL, NULL, 0)
"""
WRITES = (
    "INSERT INTO guest (email, points) VALUES ('A@X', 1) ON DUPLICATE KEY UPDATE points = points + 1",
    "INSERT INTO guest (email, points) VALUES ('c@x', 1) ON DUPLICATE KEY UPDATE points = points + 1",
    "INSERT INTO guest (email, land) VALUES ('d@x', 'de'), ('e@x', 'DE') ON DUPLICATE KEY UPDATE land = VALUES(land)",
    "INSERT INTO guest (email, land) VALUES ('D@x', 'FR') ON DUPLICATE KEY UPDATE points = 9",
    "REPLACE INTO guest (email, land) VALUES ('F@x', 'de')",
)


@pytest.fixture
def both(mariadb: str, mongo_client: MongoClient[dict[str, Any]], request: pytest.FixtureRequest) -> Iterator[Both]:
    """Guests with the name of their land."""
    name = f"test_{abs(hash(request.node.nodeid))}"
    with beside_mariadb(mariadb, mongo_client[name], SCRIPT, "normalized") as plain:
        design = plain.proposal.design
        (link,) = design.model.relationships
        copy = Copy("of_land", (Hop(link.name, up=True),), (Field("name", "name"),), Form.OBJECT, TRANSACTION)
        collections = tuple(
            replace(each, body=replace(each.body, copies=(copy,))) if each.name == "guest" else each
            for each in design.collections
        )
        proposal = replace(plain.proposal, design=replace(design, collections=collections))
        database = mongo_client[f"{name}_copies"]
        pipeline.load(proposal, plain.address, database)
        yield Both(plain.address, plain.cursor, proposal, database)
        mongo_client.drop_database(database.name)
    mongo_client.drop_database(name)


@pytest.mark.thorough
@pytest.mark.parametrize("is_emitted", [False, True], ids=["run", "emitted"])
def test_it_is_written_with_its_copies(both: Both, is_emitted: bool) -> None:
    """Whether a row is there is asked by one collation, and what the new one copies is found by the other."""
    for sql in WRITES:
        if is_emitted:
            _run_emitted(both, sql)
        else:
            assert both.written(sql) == (True, True), sql
        both.assert_equal()
    lands = {each["code"] if "code" in each else each["_id"]: each["name"] for each in both.database["land"].find()}
    for guest in both.database["guest"].find():
        assert guest.get("of_land", {}).get("name") == lands.get(guest.get("land")), guest


def _run_emitted(both: Both, sql: str) -> None:
    write = pipeline.convert(both.proposal, sql, name="write", dialect="mysql")
    assert isinstance(write, CompiledWrite)
    space: dict[str, Any] = {}
    exec(compile(module([write]), "queries.py", "exec"), space)
    space["write"](both.database)
    both.cursor.execute(sql)


def test_the_script_declares_the_new_rows_once(both: Both) -> None:
    """None at first, before what one row copies is read."""
    write = pipeline.convert(both.proposal, WRITES[0], dialect="mysql")
    assert isinstance(write, CompiledWrite)
    script = write_shell(write)
    assert script.count("let new_guest = [];") == 1
    assert "const new_guest = " not in script
