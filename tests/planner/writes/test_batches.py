"""Statements of many rows send one request for all of them where a command is all there is for each."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.monitoring import CommandListener, CommandStartedEvent

from nestling import pipeline
from nestling.common.errors import ConstraintError
from nestling.common.server import Server
from nestling.executors.write import run_write
from nestling.ir.paths.write_path import Violation
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from tests.least_cost import designed
from tests.patterns.scenario import Scenario, scenario
from tests.two_prices import two_prices

DDL = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, state INTEGER NOT NULL);
CREATE TABLE line (order_id INTEGER NOT NULL REFERENCES orders(id) ON DELETE CASCADE, no INTEGER NOT NULL, product TEXT,
    PRIMARY KEY (order_id, no));
CREATE TABLE archived (id INTEGER PRIMARY KEY, state INTEGER NOT NULL);
"""
ROWS: dict[str, list[tuple[object, ...]]] = {
    "orders": [(n, n % 10) for n in range(400)],
    "line": [(n // 5, n % 5, f"p{n}") for n in range(2000)],
    "archived": [(n + 1000, 1) for n in range(10)],
}
THREE = "INSERT INTO line (order_id, no, product) VALUES (:o, 11, 'a'), (:o, 12, NULL), (:p, 11, 'c')"
WRITES = {
    "three": THREE,
    "archive": "INSERT INTO archived SELECT id, state FROM orders WHERE state = :s",
    "copy": "INSERT INTO line SELECT :p, no + 20, product FROM line WHERE order_id = :o",
    "marked": "UPDATE line SET product = product || no WHERE order_id = :o AND product > 'a'",
    "moved": "UPDATE line SET order_id = :p, no = no + 40 WHERE order_id = :o",
    "gone": "DELETE FROM orders WHERE state = :s",
}
GIVEN = {"o": 7, "p": 9, "s": 2}
COMMANDS = {
    "three": {("insert", "line"): 1, ("update", "orders"): 2},
    "archive": {("insert", "archived"): 1},
    "copy": {("insert", "line"): 1, ("update", "orders"): 1},
    "marked": {("update", "line"): 1},
    "moved": {("delete", "line"): 1, ("insert", "line"): 1, ("update", "orders"): 1},
    "gone": {("delete", "orders"): 1, ("delete", "line"): 1},
}
"""Of the normalized design: the requests that change documents."""


class Sent(CommandListener):
    """Counts requests that change documents, by their collection."""

    def __init__(self) -> None:
        self.commands: Counter[tuple[str, str]] = Counter()

    def started(self, event: CommandStartedEvent) -> None:
        if event.command_name in ("insert", "update", "delete"):
            self.commands[event.command_name, event.command[event.command_name]] += 1

    def succeeded(self, event: object) -> None:
        """Nothing more to count."""

    def failed(self, event: object) -> None:
        """Nothing more to count."""


@pytest.fixture
def orders(tmp_path: Path) -> Scenario:
    """Four hundred orders of five lines each, and the writes."""
    lines = (
        f"-- name: {name}, rate: 1/s\n-- params: {json.dumps(given_to(sql))}\n{sql};" for name, sql in WRITES.items()
    )
    workload = "\n".join(lines)
    return scenario(tmp_path, DDL, ROWS, workload)


def given_to(sql: str) -> dict[str, int]:
    """The values of a statement's parameters."""
    return {name: value for name, value in GIVEN.items() if f":{name}" in sql}


def loaded(orders: Scenario, strategy: str, database: Database[Any]) -> Proposal:
    """The design with the rows in it."""
    made = designed(orders.reading, strategy)
    pipeline.load(made, orders.address, database)
    return made


def compiled(proposal: Proposal, sql: str) -> CompiledWrite:
    """A write for the design."""
    found = pipeline.convert(proposal, sql, dialect="sqlite")
    assert isinstance(found, CompiledWrite), found
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_they_leave_what_sqlite_leaves(
    orders: Scenario, strategy: str, mongod: Server, database: Database[Any]
) -> None:
    """In as few requests as there can be where rows are documents; parents that are alike are held once."""
    made = loaded(orders, strategy, database)
    sent: dict[str, Counter[tuple[str, str]]] = {}
    with closing(sqlite3.connect(orders.address.removeprefix("sqlite:///"))) as source:
        source.execute("PRAGMA foreign_keys = ON")
        for name, sql in WRITES.items():
            heard = Sent()
            with MongoClient[dict[str, Any]](mongod.uri, event_listeners=[heard]) as client:
                result = run_write(client[database.name], compiled(made, sql), given_to(sql))
            sent[name] = heard.commands
            assert result.affected == source.execute(sql, given_to(sql)).rowcount, name
        source.commit()
    checked = pipeline.verify(made, orders.address, database)
    assert checked.equal, checked.differences
    if strategy == "normalized":
        assert sent == COMMANDS


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("given", "violation"),
    [
        ({"o": 7, "p": 999}, Violation.PARENT),
        ({"o": 7, "p": 7}, Violation.KEY),
        ({"o": None, "p": 7}, Violation.NOT_NULL),
    ],
)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_one_bad_row_leaves_none(
    orders: Scenario, strategy: str, given: dict[str, object], violation: Violation, database: Database[Any]
) -> None:
    """Whichever row it is, and whatever is wrong with it: the error says so."""
    made = loaded(orders, strategy, database)
    with pytest.raises(ConstraintError) as refused:
        run_write(database, compiled(made, THREE), given, design=made.design)
    assert refused.value.violation is violation
    assert pipeline.verify(made, orders.address, database).equal


@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_the_search_assumes_every_row(orders: Scenario, strategy: str) -> None:
    """An INSERT of many rows costs in the search about what it is compiled to."""
    prices = two_prices(orders.reading, designed(orders.reading, strategy))
    assert {name: each.factor for name, each in prices.items() if each.factor > 2.5} == {}
