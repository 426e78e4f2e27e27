"""A holder in an array, told by a key of several parts: no other document has it because two of its elements share them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import (
    Bucket,
    Collection,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Order,
    Reference,
)
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.types import INTEGER
from tests.planner.upkeep.settled import differences
from tests.write_traces import trace

TICKET = Entity(
    "ticket", tuple(Attribute(name, INTEGER, nullable=False) for name in ("tenant", "no")), ("tenant", "no")
)
ITEM = Entity("item", tuple(Attribute(name, INTEGER, nullable=False) for name in ("id", "of", "ticket")), ("id",))
LINK = Relationship("items", "ticket", "item", TICKET.key, ("of", "ticket"), required=True)
CHILDREN = (Hop("items", up=False),)
COUNT = Computed("count", CHILDREN, AggregateKind.COUNT, TRANSACTION)
NEWEST = Copy("newest", CHILDREN, (Field("id", "id"),), Form.ARRAY, TRANSACTION, (Order("id", descending=True),), 2)
EMBEDDED = Embedding("items", "items", Form.ARRAY, Document("item"))
APART = Collection("item", Document("item", references=(Reference("items", Holder.CHILD),)))


@pytest.mark.parametrize("is_embedded", [True, False])
@pytest.mark.parametrize(
    "held", [{"computed": (COUNT,)}, {"copies": (NEWEST,)}], ids=["a count", "the newest of the children"]
)
def test_of_a_key_of_several_parts(
    database: Database[dict[str, Any]], tmp_path: Path, held: dict[str, Any], is_embedded: bool
) -> None:
    """The first page has elements (0, 1) and (1, 0); (1, 1) is on the next."""
    body = Document("ticket", embeddings=(EMBEDDED,) if is_embedded else (), **held)
    pages = Collection("ticket", body, id=(), bucket=Bucket((), "tickets", 3))
    model = Model("tickets", (TICKET, ITEM), (LINK,))
    design = Design(model, (pages,) if is_embedded else (pages, APART))
    rows: dict[str, list[tuple[object, ...]]] = {
        "ticket": [(0, 0), (0, 1), (1, 0), (1, 1)],
        "item": [(4, 1, 1), (5, 1, 1)],
    }
    run = trace(design, rows, database, tmp_path)
    for sql in (
        "UPDATE item SET ticket = 0, of = 0 WHERE id = 5",
        "INSERT INTO item (id, of, ticket) VALUES (6, 1, 1)",
        "DELETE FROM item WHERE id = 4",
    ):
        run.run(sql)
        assert not differences(run.design, database), sql
    assert len(run.done) == 3
