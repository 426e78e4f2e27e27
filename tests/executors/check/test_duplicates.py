"""Keys that several rows share, where embedded rows and those without a parent are in two collections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Embedding, Form
from nestling.ir.proposal import Proposal
from nestling.pipeline.checking import check
from nestling.planner.checks import checks_of
from tests.executors.check.loaded import loaded
from tests.generators.worlds import Row, World
from tests.planner.homes.home_cases import ORDER, entity, link

Client = MongoClient[dict[str, Any]]
MODEL = Model(
    "m",
    (ORDER, entity("line", "id:integer! of:text! order_id:integer", "id of")),
    (link("order_line", "order.id", "line.order_id", required=False),),
)
LINES = Embedding("lines", "order_line", Form.ARRAY, Document("line"), orphans="lost")
DESIGN = Design(MODEL, (Collection("orders", Document("order", embeddings=(LINES,)), ("id",)),))


@contextmanager
def shop(client: Client, *, lost: int) -> Iterator[tuple[Proposal, Database[dict[str, Any]]]]:
    """Ten orders with five lines each, and so many lines without an order."""
    lines: list[Row] = [(n // 2, "ab"[n % 2], n % 10 if n < 50 else None) for n in range(50 + lost)]
    rows: dict[str, list[Row]] = {"order": [(n, None) for n in range(10)], "line": lines}
    with loaded(client, World(MODEL, rows, frozenset()), DESIGN) as found:
        yield found


@pytest.mark.thorough
def test_keys_shared_within_and_between_collections(mongo_client: Client) -> None:
    """Each row that shares its whole key is told; a part of the key may be shared."""
    with shop(mongo_client, lost=4) as (proposal, database):
        assert check(proposal, database).clean
        database.orders.update_one({"_id": 3, "lines.id": 1}, {"$set": {"lines.$.id": 0, "lines.$.of": "a"}})
        database.orders.update_one({"_id": 9, "lines.id": 24}, {"$set": {"lines.$.id": 26, "lines.$.of": "b"}})
        report = check(proposal, database)
        told = sorted((each.collection, repr(each.id)) for each in report.findings if each.kind == "duplicate")
        assert told == sorted(
            [("orders", "0"), ("orders", "3"), ("orders", "9"), ("lost", repr({"id": 26, "of": "b"}))]
        )


def test_rows_are_grouped_by_fields_not_by_documents_made_of_them() -> None:
    """By documents the server groups 400,000 rows in eight seconds instead of one."""
    from nestling.pipeline.checking import compiled_checks

    compiled, _ = compiled_checks(checks_of(DESIGN))
    screens: list[list[Any]] = [
        list(each.screen.pipeline) for each in compiled if each.check.kind == "duplicate" and each.screen
    ]
    assert len(screens) == 2
    for pipeline in screens:
        (group,) = (stage["$group"] for stage in pipeline if "$group" in stage)
        rows = next(stage["$replaceWith"] for stage in pipeline if "$replaceWith" in stage)
        assert len(group["_id"]) == 2
        assert all(isinstance(rows[path.removeprefix("$")], str) for path in group["_id"].values())


def test_of_an_empty_collection_nothing_is_compared(mongo_client: Client) -> None:
    """No row of it can differ: the others are not read for it."""
    with shop(mongo_client, lost=0) as (proposal, database):
        database.command("profile", 2)
        assert check(proposal, database).clean
        database.command("profile", 0)
        asked = [each["command"] for each in database.system.profile.find({"command.pipeline": {"$exists": True}})]
        assert "orders" in [each["aggregate"] for each in asked if "$unionWith" in str(each["pipeline"])]
        assert "lost" not in [each["aggregate"] for each in asked if "$unionWith" in str(each["pipeline"])]
