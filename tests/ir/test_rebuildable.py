"""Designs from which some row could not be rebuilt are refused, each with the reason."""

from __future__ import annotations

import pytest

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Model
from nestling.ir.primitives import (
    Bucket,
    Collection,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Pairs,
    Reference,
    Slots,
    Split,
)
from nestling.ir.rows import Hop
from nestling.planner.homes.views import home_views
from tests.planner.homes.home_cases import entity, link

SHOP = entity("shop", "id:integer! code:integer! name spec:json", "id", (("code",),))
ITEM = entity("item", "id:integer! shop_id:integer photo:bytes", "id")
SALES = link("sales", "shop.id", "sale.shop_id", required=False)
ITEMS = link("items", "shop.id", "item.shop_id", required=False)
PLACED = entity("sale", "shop_id:integer place:integer!", "")
IN_PLACES = Embedding(
    "sales",
    "sales",
    Form.ARRAY,
    Document("sale", pairs=(Pairs("more", ("place",)),)),
    slots=Slots("place", 8, -1),
    orphans="stray",
)
CHILD = Reference("items", Holder.CHILD)
PARENT = Reference("items", Holder.PARENT, "item_ids")
SHOPS_AND_ITEMS = Model("m", (SHOP, ITEM), (ITEMS,))


def items(*references: Reference, **more: object) -> Collection:
    """The items' collection."""
    return Collection("items", Document("item", references=references), ("id",), **more)  # type: ignore[arg-type]


def shops(**more: object) -> Collection:
    """The shops' collection; `body` are the parts of its document."""
    body = more.pop("body", {})
    return Collection("shops", Document("shop", **body), **{"id": ("id",), **more})  # type: ignore[arg-type]


def inline_home(*copied: str) -> Collection:
    """Items that are the home of their shops."""
    fields = tuple(Field(name, f"of shop {name}") for name in copied)
    copy = Copy("shop", (Hop("items", up=True),), fields, Form.INLINE, TRANSACTION, home=True, orphans="idle")
    return Collection("items", Document("item", copies=(copy,)), ("id",))


def scalars(sale_attributes: str, **body: object) -> tuple[Model, tuple[Collection, ...]]:
    """Sales embedded in shops as bare values."""
    sale = entity("sale", f"shop_id:integer {sale_attributes}")
    document = Document("sale", **body)  # type: ignore[arg-type]
    embedding = Embedding("sales", "sales", Form.SCALARS, document, orphans="stray")
    return Model("m", (SHOP, sale), (SALES,)), (shops(body={"embeddings": (embedding,)}),)


REFUSED = {
    "two bare values": (
        *scalars("note amount"),
        "an array of bare values holds one attribute and nothing else, but `sale` has note",
    ),
    "no bare value": (
        *scalars(""),
        "an array of bare values holds one attribute and nothing else, but `sale` has nothing",
    ),
    "bare values in pairs": (
        *scalars("note amount", pairs=(Pairs("more", ("note",)),)),
        "an array of bare values holds one attribute",
    ),
    "bare json": (*scalars("note:json"), "NULL could not be distinguished from a JSON null in `note`"),
    "split off and told by the parent": (
        SHOPS_AND_ITEMS,
        (shops(body={"references": (PARENT,)}), items(splits=(Split("parts", ("shop_id",)),))),
        "`shop_id` is stored only in its parent's ids and cannot be split off",
    ),
    "split off and in pairs": (
        Model("m", (SHOP,)),
        (shops(body={"pairs": (Pairs("more", ("name",)),)}, splits=(Split("parts", ("name",)),)),),
        "name cannot be both split off and in a list of pairs",
    ),
    "`_id` in pairs": (
        Model("m", (SHOP,)),
        (shops(body={"pairs": (Pairs("more", ("code",)),)}, id=("code",)),),
        "`code` is in `_id` and cannot be in a list of pairs",
    ),
    "the place in pairs": (
        Model("m", (SHOP, PLACED), (SALES,)),
        (shops(body={"embeddings": (IN_PLACES,)}),),
        "`place` is the position in an array with slots and cannot be in a list of pairs",
    ),
    "empty pairs": (
        Model("m", (SHOP,)),
        (shops(body={"pairs": (Pairs("more", ()),)}),),
        "a list of pairs must name its attributes",
    ),
    "a key in a file": (
        Model("m", (SHOP,)),
        (shops(splits=(Split("files", ("code",), gridfs=True),)),),
        r"`code` is \(part of\) a unique or foreign key and cannot be a file",
    ),
    "json in a file": (
        Model("m", (SHOP,)),
        (shops(splits=(Split("files", ("spec",), gridfs=True),)),),
        "`spec` is json; a file holds bytes or text",
    ),
    "ids in a bucket": (
        SHOPS_AND_ITEMS,
        (shops(id=(), body={"references": (PARENT,)}, bucket=Bucket((), "events", 5)), items(CHILD)),
        "`items`: an event in a bucket cannot hold its children's ids",
    ),
    "buckets by json": (
        Model("m", (SHOP,)),
        (shops(id=(), bucket=Bucket(("spec",), "events", 5)),),
        "`spec` is json, which cannot be grouped by",
    ),
    "inline copies of what may be NULL": (
        Model("m", (entity("shop", "id:integer! name spec", "id"), ITEM), (ITEMS,)),
        (inline_home("name", "spec"),),
        "nothing would show whether a document holds a row of `shop`",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_designs_that_lose_something_are_refused(name: str) -> None:
    """The reason says what would be lost."""
    model, collections, reason = REFUSED[name]
    with pytest.raises(DesignError, match=reason):
        Design(model, collections)


ACCEPTED = {
    "one bare value": scalars("note"),
    "bare json that cannot be NULL": scalars("note:json!"),
    "split off and told by both sides": (
        SHOPS_AND_ITEMS,
        (shops(body={"references": (PARENT,)}), items(CHILD, splits=(Split("parts", ("shop_id",)),))),
    ),
    "text in a file": (Model("m", (SHOP,)), (shops(splits=(Split("files", ("name",), gridfs=True),)),)),
    "buckets by text": (Model("m", (SHOP,)), (shops(id=(), bucket=Bucket(("name",), "events", 5)),)),
    "inline copies with the key": (
        Model("m", (entity("shop", "id:integer! name spec", "id"), ITEM), (ITEMS,)),
        (inline_home("id", "name", "spec"),),
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_their_neighbours_are_not(name: str) -> None:
    """Each of these differs from a refused one in what matters alone: every row can be rebuilt."""
    design = Design(*ACCEPTED[name])
    views = home_views(design)
    assert views.keys() == {each.name for each in design.model.entities}
    assert all(view.columns for view in views.values())
