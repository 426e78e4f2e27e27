"""A row that moves because another comes takes along what it holds; only the row that comes has to be made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.primitives import Before, Collection, Computed, Document, Holder, Reference, Split
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.types import INTEGER
from tests.cases.counterexample import counterexamples
from tests.planner.upkeep.changed import settle

NODE = Entity(
    "node",
    (Attribute("id", INTEGER, nullable=False), Attribute("up", INTEGER), Attribute("n", INTEGER)),
    ("id",),
)
LINK = Relationship("link", "node", "node", ("id",), ("up",), Cardinality.ONE_TO_MANY)
HELD = Document(
    "node",
    references=(Reference("link", Holder.CHILD), Reference("link", Holder.PARENT, "ids")),
    computed=(Computed("children", (Hop("link", up=False),), AggregateKind.COUNT, TRANSACTION),),
)
DESIGN = Design(
    Model("nodes", (NODE,), (LINK,)),
    (Collection("node", HELD, ("id",), splits=(Split("old", (), Before("n", "100")),)),),
)


def test_an_element_pushed_into_a_page_keeps_its_copy(
    mongo_client: MongoClient[dict[str, Any]], tmp_path: Path
) -> None:
    """Item 1 comes first and item 3 goes to a page: the copy of item 1 alone is stale, and then none is wrong."""
    case = next(case for case in counterexamples() if case.name == "copy_in_a_page")
    before = {name: list(map(tuple, rows)) for name, rows in case.rows.items()}
    after = before | {"item": [(1, 1), *before["item"]]}
    settled = settle(case.proposal.design, before, after, "item", mongo_client, tmp_path)
    assert settled is not None
    assert [(name, row["at 1 0"]) for name, row in settled.stale] == [("boxes.items.box label", 1)]
    assert not settled.wrong


def test_a_row_that_goes_to_the_archive_and_refers_to_itself(
    mongo_client: MongoClient[dict[str, Any]], tmp_path: Path
) -> None:
    """It has one child before, and itself besides afterwards."""
    others: list[tuple[object, ...]] = [(1, None, None), (3, 2, 5)]
    before, after = {"node": [*others, (2, None, None)]}, {"node": [*others, (2, 2, 5)]}
    settled = settle(DESIGN, before, after, "node", mongo_client, tmp_path)
    assert settled is not None
    assert settled.stale
    assert not settled.wrong
