"""What follows from rows several hops away is found from these."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Computed, Document, Holder, Reference
from nestling.ir.rows import AggregateKind, down
from tests.planner.homes.home_cases import Rows, entity, link
from tests.planner.upkeep.changed import settle

NAMES = ("land", "town", "street", "house", "room")
LINKS = tuple(link(f"{child}s", f"{parent}.id", f"{child}.{parent}_id") for parent, child in pairwise(NAMES))
ENTITIES = (
    entity("land", "id:integer!", "id"),
    *(entity(each.child, f"id:integer! {each.parent}_id:integer!", "id") for each in LINKS),
)
ROWS: dict[str, Rows] = {"land": [(1,), (2,)], **{name: [(1, 1), (2, 2), (3, 2)] for name in NAMES[1:]}}


@pytest.mark.parametrize("hops", [2, 3, 4])
def test_a_count_of_rows_far_below(hops: int, mongo_client: MongoClient[dict[str, Any]], tmp_path: Path) -> None:
    """One row comes at the end of the path: the one holder far above counts it."""
    counted = Computed("count", tuple(map(down, LINKS[:hops])), AggregateKind.COUNT, TRANSACTION)
    collections = [Collection("lands", Document("land", computed=(counted,)), ("id",))]
    collections += [
        Collection(f"{each.child}s", Document(each.child, references=(Reference(each.name, Holder.CHILD),)), ("id",))
        for each in LINKS
    ]
    last = NAMES[hops]
    after = {**ROWS, last: [*ROWS[last], (4, 3)]}
    settled = settle(Design(Model("m", ENTITIES, LINKS), tuple(collections)), ROWS, after, last, mongo_client, tmp_path)
    assert settled is not None
    assert (len(settled.stale), settled.wrong, settled.left) == (1, [], ())
