"""UNIQUE inside other documents: an index keeps it between documents where that is exact, and a note says what it does not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.emitters.commands import index_commands
from nestling.emitters.mql.read import compiled_read
from nestling.executors.calls import read_call
from nestling.executors.found_indexes import is_there
from nestling.ir.design import Design
from nestling.ir.programs.compiled import bind
from nestling.ir.proposal import Proposal
from nestling.ir.statements.algebra import Query
from nestling.ir.statistics import Statistics
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from tests.write_traces import trace

SCHEMA = """
CREATE TABLE orders (id INTEGER PRIMARY KEY NOT NULL, at TEXT);
CREATE TABLE item (
    order_id INTEGER NOT NULL REFERENCES orders(id) ON DELETE CASCADE ON UPDATE CASCADE, no INTEGER NOT NULL,
    serial TEXT NOT NULL UNIQUE, shelf INTEGER NOT NULL, place INTEGER NOT NULL, tag TEXT UNIQUE,
    PRIMARY KEY (order_id, no), UNIQUE (shelf, place)
);
CREATE TABLE seal (order_id INTEGER PRIMARY KEY NOT NULL REFERENCES orders(id) ON DELETE CASCADE, code TEXT UNIQUE);
"""
ROWS: dict[str, list[tuple[object, ...]]] = {
    "orders": [(1, "a"), (2, "b"), (3, None), (4, None)],
    "item": [(1, 1, "s1", 1, 1, None), (1, 2, "s2", 1, 2, "t"), (2, 1, "s3", 2, 1, None)],
    "seal": [(1, "c"), (2, None), (3, None)],
}
STATEMENTS = (
    "INSERT INTO item VALUES (3, 1, 's4', 2, 2, NULL)",
    "INSERT INTO item VALUES (4, 1, 's1', 9, 9, NULL)",
    "INSERT INTO item VALUES (1, 9, 's1', 9, 9, NULL)",
    "INSERT INTO item VALUES (4, 1, 's5', 1, 2, NULL)",
    "INSERT INTO item VALUES (4, 1, 's5', 1, 3, 't')",
    "UPDATE item SET serial = 's3' WHERE order_id = 1 AND no = 1",
    "UPDATE item SET serial = 's2' WHERE order_id = 1 AND no = 1",
    "UPDATE item SET order_id = 4 WHERE serial = 's2'",
    "UPDATE item SET order_id = 3, no = no + 5 WHERE order_id = 1",
    "UPDATE orders SET id = 7 WHERE id = 3",
    "DELETE FROM item WHERE serial = 's1'",
    "INSERT INTO item VALUES (2, 8, 's1', 1, 1, NULL)",
    "DELETE FROM orders WHERE id = 2",
    "INSERT INTO item VALUES (1, 1, 's1', 1, 1, NULL), (4, 7, 's3', 2, 1, 'u')",
    "INSERT INTO orders VALUES (11, NULL)",
    "INSERT INTO seal VALUES (4, 'c')",
    "INSERT INTO seal VALUES (11, NULL)",
    "UPDATE seal SET code = 'c' WHERE order_id = 11",
)


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    """Orders with their items in an array and their seal beside."""
    path = tmp_path_factory.mktemp("uniques") / "schema.sql"
    path.write_text(SCHEMA, encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(path)), "embedded")
    assert [collection.name for collection in proposal.design.collections] == ["orders"]
    told = [note for note in proposal.notes if "unique" in note or "two writers" in note]
    assert sorted(note.partition(":")[2].partition(";")[0].partition(", as")[0].strip() for note in told) == [
        "an index keeps serial unique across documents",
        "an index keeps shelf, place unique across documents",
        "only nestling's writes keep tag unique, no index does: its rows are in arrays of `orders`",
    ]
    return proposal.design


@pytest.mark.thorough
def test_writes_are_those_of_sqlite(design: Design, database: Database[Any], tmp_path: Path) -> None:
    """Rows that move between documents take their values along; what SQLite refuses is refused, inside one document too."""
    run = trace(design, ROWS, database, tmp_path)
    run.run_all(STATEMENTS)
    assert not run.gaps
    assert len(run.refused) == 9


def test_the_server_keeps_them_between_documents(design: Design, database: Database[Any], tmp_path: Path) -> None:
    """Whoever writes: a second document with the value is refused; documents without elements never are."""
    trace(design, ROWS, database, tmp_path)
    orders = database["orders"]
    item = {"no": 5, "serial": "s9", "shelf": 5, "place": 5}
    for wrong in ({"serial": "s1"}, {"shelf": 1, "place": 2}):
        with pytest.raises(DuplicateKeyError):
            orders.update_one({"_id": 4}, {"$push": {"item": item | wrong}})
    with pytest.raises(DuplicateKeyError):
        orders.update_one({"_id": 4}, {"$set": {"seal": {"code": "c"}}})
    orders.update_one({"_id": 4}, {"$push": {"item": item | {"shelf": 1}}})
    orders.insert_many([{"_id": 20, "item": []}, {"_id": 21, "item": []}])
    assert all(is_there(database, command) for command in index_commands(design))


def test_an_element_is_found_by_the_index(design: Design, database: Database[Any], tmp_path: Path) -> None:
    """The index that keeps a value unique finds its row as well, and the price knows."""
    trace(design, ROWS, database, tmp_path)
    query = translate("SELECT order_id, no FROM item WHERE serial = :serial", design.model, "sqlite")
    assert isinstance(query, Query)
    plan = plan_read(query, design)
    call = read_call(bind(compiled_read(plan, name="one"), {"serial": "s3"}))
    assert call is not None
    asked = {"aggregate": "orders", "pipeline": call.arguments["pipeline"], "cursor": {}}
    assert "item.serial_1_unique" in str(database.command("explain", asked))
    assert estimate(plan, design, Statistics()).scanned == 0


@pytest.mark.thorough
def test_writers_at_the_same_moment_get_in_each_others_way(
    design: Design, database: Database[Any], tmp_path: Path
) -> None:
    """Of two that put the same value into different documents one is refused, where no index compares them; NULLs meet nobody."""
    trace(design, ROWS, database, tmp_path)
    database["orders"].insert_many([{"_id": 50 + n, "item": []} for n in range(6)])
    stores, gate = [Store(Proposal("by hand", design, dialect="sqlite"), database) for _ in range(6)], Barrier(6)
    outcome: list[str] = []

    def go(writer: int) -> None:
        for turn in range(4):
            gate.wait()
            try:
                values = {
                    "o": 50 + writer,
                    "n": turn,
                    "s": f"{writer}-{turn}",
                    "p": 100 * writer + turn,
                    "t": f"same {turn}",
                }
                stores[writer].execute("INSERT INTO item VALUES (:o, :n, :s, 77, :p, :t)", **values)
                outcome.append("added")
            except ConstraintError:
                outcome.append("refused")

    threads = [Thread(target=go, args=(writer,)) for writer in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    tags = [item["tag"] for each in database["orders"].find({"_id": {"$gte": 50}}) for item in each["item"]]
    assert sorted(tags) == [f"same {turn}" for turn in range(4)]
    assert Counter(outcome) == {"added": 4, "refused": 20}
