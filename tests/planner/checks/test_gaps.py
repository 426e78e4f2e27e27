"""What of a design can be compared with nothing is listed, and only that."""

from __future__ import annotations

import pytest

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Reference
from nestling.planner.checks import checks_of
from tests.planner.homes.home_cases import ORDER, entity, link

KEYED = entity("line", "id:integer! order_id:integer! shipment_id:integer", "id")
SHIPMENT = entity("shipment", "id:integer!", "id")


@pytest.mark.parametrize("embedded", [False, True])
def test_ids_of_rows_that_are_elements(embedded: bool) -> None:
    """Ids a parent lists are looked up where children are documents of their own."""
    links = (link("order_line", "order.id", "line.order_id"), link("trip", "shipment.id", "line.shipment_id"))
    lines = Embedding("lines", "order_line", Form.ARRAY, Document("line"))
    listing = Reference("trip", Holder.PARENT, "loaded")
    line = Document("line", references=(Reference("order_line", Holder.CHILD),))
    design = Design(
        Model("m", (ORDER, KEYED, SHIPMENT), links),
        (
            Collection("orders", Document("order", embeddings=(lines,) if embedded else ()), ("id",)),
            Collection("shipments", Document("shipment", references=(listing,)), ("id",)),
            *(() if embedded else (Collection("lines", line, ("id",)),)),
        ),
    )
    found = checks_of(design)
    assert [each.where for each in found.gaps] == (["shipments.loaded"] if embedded else [])
    assert ("shipments.loaded" in {each.id for each in found.checks}) is not embedded
