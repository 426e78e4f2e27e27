"""Objects of Python for columns of JSON, arrays, times of day and intervals: kept as a load keeps the same value."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from bson import Binary
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.commands import collection_commands
from nestling.executors.create import create
from nestling.executors.load import written_collections
from nestling.ir.proposal import Proposal
from tests.written_module import written_function

MODEL = """nestling: 1
model:
  name: log
  entities:
    event:
      key: [id]
      attributes: {id: integer!, j: json, b: json as jsonb, a: array(text), n: array(integer), t: time, i: interval, x: text}
"""
WRITES = (
    "INSERT INTO event (id, {}) VALUES (:id, :value)",
    "INSERT INTO event (id, {}) VALUES (:id, NULL), (:id + 100, :value)",
    "UPDATE event SET {} = :value WHERE id = :id",
    "UPDATE event SET {0} = coalesce(:value, {0}) WHERE id = :id",
)
Write = Callable[..., object]


@pytest.fixture
def events(database: Database[dict[str, Any]], tmp_path: Path) -> Proposal:
    """A collection with a column of each type, and one document."""
    (tmp_path / "model.yaml").write_text(MODEL, encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "model.yaml")), "normalized")
    create(collection_commands(proposal.design), database, written_collections(proposal.design))
    database["event"].insert_one({"_id": 1})
    return proposal


def written(proposal: Proposal, database: Database[Any], sql: str, by: str) -> Write:
    """A statement of PostgreSQL's, run by a store or by a written module."""
    if by == "store":
        store = Store(proposal, database, dialect="postgresql")
        return lambda **values: store.execute(sql, **values)
    function = written_function(proposal, sql, "postgresql")
    return lambda **values: function(database, **values)


@pytest.mark.one_in(3)
@pytest.mark.in_turn("by")
@pytest.mark.parametrize("by", ["store", "module"])
@pytest.mark.parametrize(
    ("column", "value", "kept"),
    [
        ("b", {"a": [1, None, {"b": 2.5}]}, {"a": [1, None, {"b": 2.5}]}),
        ("j", [1, "x"], [1, "x"]),
        ("b", (1, "x"), [1, "x"]),
        ("b", {}, {}),
        ("b", '{"a": 1, "a": 2}', {"a": 2}),
        ("j", '{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ("b", "null", "null"),
        ("b", {"$ne": 1}, Binary(b'{"$ne": 1}', 129)),
        ("b", {"a": {"$where": "sleep(9)"}}, Binary(b'{"a": {"$where": "sleep(9)"}}', 129)),
        ("b", [{"$gt": ""}], Binary(b'[{"$gt": ""}]', 129)),
        ("b", {"text": "$$ROOT"}, {"text": "$$ROOT"}),
        ("b", {"a.b": 1}, {"a.b": 1}),
        ("b", json.dumps({"n": 2**70}), {"n": Decimal(2**70)}),
        ("a", ["x", None, "$x"], ["x", None, "$x"]),
        ("a", ("x",), ["x"]),
        ("a", [], []),
        ("n", [1, 2], [1, 2]),
        ("t", time(8, 30), "08:30:00"),
        ("t", time(8, 30, 0, 500_000), "08:30:00.5"),
        ("i", timedelta(days=1, hours=2), "P1DT2H"),
        ("i", "2 hours", "PT2H"),
    ],
    ids=repr,
)
def test_what_is_given_is_kept(
    by: str, column: str, value: object, kept: object, events: Proposal, database: Database[dict[str, Any]]
) -> None:
    """In an INSERT, an UPDATE and as one of several values; no key becomes an operator, no text a path."""
    for number, sql in enumerate(WRITES):
        database["event"].delete_many({})
        database["event"].insert_one({"_id": 1})
        write = written(events, database, sql.format(column), by)
        key = 1 if sql.startswith("UPDATE") else 2
        write(id=key, value=value)
        found = database["event"].find_one({"_id": 102 if number == 1 else key})
        assert found is not None
        was = found[column]
        if isinstance(was, dict) and isinstance(was.get("n"), object) and hasattr(was.get("n"), "to_decimal"):
            was = {"n": was["n"].to_decimal()}
        assert was == kept, sql
        assert type(was) is type(kept), sql


@pytest.mark.one_in(2)
@pytest.mark.parametrize("by", ["store", "module"])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("x", {"a": 1}),
        ("x", ["a"]),
        ("x", timedelta(hours=1)),
        ("t", {"$gt": ""}),
        ("t", timedelta(days=2)),
        ("t", [time(1)]),
        ("i", {"a": 1}),
        ("a", {"a": 1}),
        ("a", [{"$gt": ""}]),
        ("a", [["x"]]),
        ("n", ["x"]),
        ("b", {"at": Decimal(1)}),
        ("b", {"at": b"x"}),
        ("b", {1, 2}),
        ("b", {"n": float("inf")}),
    ],
    ids=repr,
)
def test_what_does_not_belong_is_refused(
    by: str, column: str, value: object, events: Proposal, database: Database[dict[str, Any]]
) -> None:
    """Before the server is asked, with the parameter's name; in a comparison as well."""
    write = written(events, database, f"UPDATE event SET {column} = :value WHERE id = :id", by)
    with pytest.raises((WorkloadError, ValueError, TypeError), match="`value`"):
        write(id=1, value=value)
    assert list(database["event"].find()) == [{"_id": 1}]


def test_a_time_of_day_is_compared(events: Proposal, database: Database[dict[str, Any]]) -> None:
    """As its text is."""
    store = Store(events, database, dialect="postgresql")
    store.execute("UPDATE event SET t = :t WHERE id = 1", t=time(8, 30, 0, 500_000))
    for condition, found in (("t = :t", True), ("t > :t", False), ("t <= :t", True)):
        asked = f"SELECT id FROM event WHERE {condition}"
        assert bool(store.execute(asked, t=time(8, 30, 0, 500_000))) is found, condition
    with pytest.raises(WorkloadError, match="`t`"):
        store.execute("SELECT id FROM event WHERE t = :t", t={"$gt": ""})
