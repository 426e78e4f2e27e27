"""Ancestors are copied wherever their rows live: at the root, inside a parent, and in an orphan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Copy, Document, Embedding, Field, Form, Holder, Reference
from nestling.ir.rows import Hop
from tests.executors.load.loads import documents_in, load_rows
from tests.planner.homes.home_cases import Rows, entity, link
from tests.planner.upkeep.settled import differences

SHOP = entity("shop", "name! city", "name")
SHELF = entity("shelf", "id:integer! shop parent:integer label", "id")
MODEL = Model(
    "shops",
    (SHOP, SHELF),
    (
        link("shop_shelf", "shop.name", "shelf.shop", required=False),
        link("inside", "shelf.id", "shelf.parent", required=False),
    ),
)
UP = (Hop("inside", up=True),)
ABOVE = Copy("above", UP, (Field("label", "label"),), Form.SCALARS, TRANSACTION, closure=True)
PATH = Copy("path", UP, (Field("id", "id"),), Form.PATH, TRANSACTION, closure=True)
BODY = Document("shelf", references=(Reference("inside", Holder.CHILD),), copies=(ABOVE, PATH))


def test_ancestors_of_embedded_rows(database: Database[Any], tmp_path: Path) -> None:
    """Shops in another order than their shelves; a shelf's ancestors may stand in other shops, or in none."""
    shelves = Embedding("shelves", "shop_shelf", Form.ARRAY, BODY, orphans="lost_shelves")
    design = Design(MODEL, (Collection("shops", Document("shop", embeddings=(shelves,)), ("name",)),))
    rows: dict[str, Rows] = {
        "shop": [("north", "x"), ("east", "y"), ("west", None)],
        "shelf": [
            (1, "west", None, "a"),
            (2, "east", 1, "b"),
            (3, "north", 2, None),
            (4, None, 3, "d"),
            (5, "east", 4, "e"),
        ],
    }
    load_rows(design, rows, database, tmp_path)
    found = {
        shop["_id"]: [(s["id"], s["above"], s["path"]) for s in shop["shelves"]]
        for shop in documents_in(database, "shops")
    }
    assert found == {
        "north": [(3, ["a", "b"], "/1/2/")],
        "east": [(2, ["a"], "/1/"), (5, ["a", "b", None, "d"], "/1/2/3/4/")],
        "west": [(1, [], "/")],
    }
    assert documents_in(database, "lost_shelves") == [
        {"_id": 4, "parent": 3, "label": "d", "above": ["a", "b", None], "path": "/1/2/3/"}
    ]


def test_a_row_nobody_can_refer_to_has_ancestors(database: Database[Any], tmp_path: Path) -> None:
    """A reference goes to another unique column than the key; where that is NULL, the row still has those above it."""
    staff = entity("staff", "id:integer! badge boss", "id", uniques=(("badge",),))
    above = Copy("above", (Hop("under", up=True),), (Field("id", "id"),), Form.SCALARS, TRANSACTION, closure=True)
    under = link("under", "staff.badge", "staff.boss", required=False)
    body = Document("staff", references=(Reference("under", Holder.CHILD),), copies=(above,))
    design = Design(Model("firm", (staff,), (under,)), (Collection("staff", body, ("id",)),))
    load_rows(design, {"staff": [(1, "a", None), (2, "b", "a"), (3, None, "b")]}, database, tmp_path)
    assert [(each["_id"], each["above"]) for each in documents_in(database, "staff")] == [
        (1, []),
        (2, [1]),
        (3, [1, 2]),
    ]


def test_what_hangs_on_a_cycle_stands_below_all_of_it(database: Database[Any], tmp_path: Path) -> None:
    """5 and 7 are in a circle, 6 hangs on it, 8 on 6: whoever is in the circle comes first, by key; loaded as checked."""
    references = (Reference("inside", Holder.CHILD), Reference("shop_shelf", Holder.CHILD))
    shelf = Document("shelf", references=references, copies=(ABOVE, PATH))
    design = Design(MODEL, (Collection("shops", Document("shop"), ("name",)), Collection("shelves", shelf, ("id",))))
    rows: dict[str, Rows] = {
        "shop": [],
        "shelf": [(5, None, 7, "e"), (7, None, 5, "g"), (6, None, 7, "f"), (8, None, 6, "h"), (1, None, None, "a")],
    }
    load_rows(design, rows, database, tmp_path)
    assert {each["_id"]: each["path"] for each in documents_in(database, "shelves")} == {
        1: "/", 5: "/5/7/", 7: "/5/7/", 6: "/5/7/", 8: "/5/7/6/",
    }  # fmt: skip
    assert not list(differences(design, database))
