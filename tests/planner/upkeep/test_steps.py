"""The steps of single changes on a small shop: what they settle, and in which form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.freshness import SNAPSHOT, TRANSACTION, Freshness
from nestling.ir.paths.write_path import (
    Cell,
    Fetch,
    Increment,
    Pull,
    Push,
    Set,
    UpdateDocuments,
    WriteStep,
    steps_within,
)
from nestling.ir.primitives import (
    Collection,
    CollectionKind,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Options,
    Order,
    Reference,
)
from nestling.ir.rows import AggregateKind, Hop
from nestling.planner.reads import ReadGap
from nestling.planner.upkeep import ChangeKind, RowChange, upkeep_steps, upkeeps_of
from tests.planner.reads.shop import MODEL, ROWS
from tests.planner.upkeep.changed import settle
from tests.planner.upkeep.worlds_after import Rows

ASYNC = Freshness.parse("async(5s)")


def up(name: str) -> Hop:
    """To the parent."""
    return Hop(name, up=True)


def down(name: str) -> Hop:
    """To the children."""
    return Hop(name, up=False)


def fields(*names: str) -> tuple[Field, ...]:
    """Attributes under their own names."""
    return tuple(Field(name, name) for name in names)


CUSTOMERS = Collection(
    "customers",
    Document(
        "customer",
        references=(Reference("customer_orders", Holder.PARENT, "order_ids", (Field("status", "status"),)),),
        copies=(
            Copy(
                "newest",
                (down("customer_orders"),),
                fields("id", "status"),
                Form.ARRAY,
                TRANSACTION,
                (Order("id", descending=True),),
                limit=2,
            ),
        ),
        computed=(
            Computed("order_count", (down("customer_orders"),), AggregateKind.COUNT, TRANSACTION),
            Computed("spent", (down("customer_orders"),), AggregateKind.SUM, TRANSACTION, "total", stamp="spent_at"),
            Computed(
                "pieces", (down("customer_orders"), down("order_lines")), AggregateKind.SUM, TRANSACTION, "quantity"
            ),
        ),
    ),
    id=("id",),
)
LINES = Document(
    "line",
    references=(Reference("product_lines", Holder.CHILD),),
    copies=(
        Copy("product", (up("product_lines"),), fields("title", "price"), Form.OBJECT, TRANSACTION),
        Copy("maker", (up("product_lines"), up("maker_products")), (Field("name", "maker"),), Form.INLINE, TRANSACTION),
        Copy("then", (up("product_lines"),), (Field("price", "price_then"),), Form.INLINE, SNAPSHOT),
        Copy("later", (up("product_lines"),), (Field("title", "title_later"),), Form.INLINE, ASYNC),
    ),
)
ORDERS = Collection(
    "orders",
    Document(
        "orders",
        references=(Reference("customer_orders", Holder.CHILD),),
        embeddings=(Embedding("lines", "order_lines", Form.ARRAY, LINES),),
        copies=(Copy("customer", (up("customer_orders"),), fields("name"), Form.OBJECT, TRANSACTION),),
    ),
    id=("id",),
)
PRODUCTS = Collection("products", Document("product", references=(Reference("maker_products", Holder.CHILD),)), ("id",))
MAKERS = Collection(
    "makers",
    Document("maker", computed=(Computed("products", (down("maker_products"),), AggregateKind.COUNT, TRANSACTION),)),
    ("id",),
)
EMPLOYEES = Collection(
    "employees",
    Document(
        "employee",
        embeddings=(Embedding("passport", "employee_passport", Form.OBJECT, Document("passport")),),
        references=(Reference("boss_of", Holder.CHILD),),
        copies=(
            Copy("above", (up("boss_of"),), fields("name"), Form.SCALARS, TRANSACTION, closure=True),
            Copy("path", (up("boss_of"),), fields("id"), Form.PATH, TRANSACTION, closure=True),
        ),
    ),
    ("id",),
)
DESIGN = Design(MODEL, (CUSTOMERS, ORDERS, PRODUCTS, MAKERS, EMPLOYEES))
Change = Callable[[list[tuple[Any, ...]]], list[tuple[Any, ...]]]


def _with(number: int, place: int, value: object) -> Change:
    """One value of one row changed."""

    def change(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        row = rows[number]
        return [*rows[:number], (*row[:place], value, *row[place + 1 :]), *rows[number + 1 :]]

    return change


CHANGES: dict[str, tuple[str, Change]] = {
    "a product's title": ("product", _with(0, 1, "renamed")),
    "a product's price goes": ("product", _with(0, 2, None)),
    "a product's maker goes": ("product", _with(0, 3, None)),
    "a maker's name": ("maker", _with(0, 1, "renamed")),
    "a customer's name": ("customer", _with(0, 1, "renamed")),
    "an order moves": ("orders", _with(0, 1, ROWS["customer"][-1][0])),
    "an order's status": ("orders", _with(0, 2, "changed")),
    "an order's total": ("orders", _with(0, 3, 1234.5)),
    "a line's product": ("line", _with(0, 2, ROWS["product"][-1][0])),
    "a line's quantity": ("line", _with(0, 3, 77)),
    "a line goes": ("line", lambda rows: rows[1:]),
    "a boss changes": ("employee", _with(1, 2, None)),
    "an employee's name": ("employee", _with(0, 1, "renamed")),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("backwards", [False, True])
def test_a_change_is_settled(
    mongo_client: MongoClient[dict[str, Any]], tmp_path: Path, name: str, *, backwards: bool
) -> None:
    """And the same change undone, which makes of a row that goes one that comes."""
    entity, change = CHANGES[name]
    before: Rows = dict(ROWS)
    after = before | {entity: change(before[entity])}
    if backwards:
        before, after = after, before
    settled = settle(_followed(DESIGN), before, after, entity, mongo_client, tmp_path)
    assert settled is not None
    assert settled.stale
    assert not settled.wrong


def _followed(design: Design) -> Design:
    """The design without copies that do not follow at once, which differ as they should."""
    copies = tuple(copy for copy in LINES.copies if copy.freshness == TRANSACTION)

    lines = replace(LINES, copies=copies)
    orders = replace(
        ORDERS, body=replace(ORDERS.body, embeddings=(Embedding("lines", "order_lines", Form.ARRAY, lines),))
    )
    return Design(design.model, tuple(orders if each is ORDERS else each for each in design.collections))


def steps_of(entity: str, kind: ChangeKind, *attributes: str) -> list[WriteStep]:
    """All steps of a change."""
    made = upkeep_steps(DESIGN, RowChange(entity, kind, "rows", frozenset(attributes)))
    return list(steps_within(made.steps))


def changes_of(steps: list[WriteStep], field: str) -> list[object]:
    """What is done to a field."""
    updates = [step for step in steps if isinstance(step, UpdateDocuments)]
    return [change for step in updates for change in step.changes if change.path.endswith(field)]


def test_a_copied_attribute_is_set_in_all_who_hold_it() -> None:
    """By one command, without reading them."""
    steps = steps_of("product", ChangeKind.UPDATE, "title")
    assert not any(isinstance(step, Fetch) for step in steps)
    (update,) = (step for step in steps if isinstance(step, UpdateDocuments))
    assert update.many
    assert update.collection == "orders"
    assert [change.path for change in update.changes if isinstance(change, Set)] == ["lines.$[holder].product"]


def test_one_field_of_a_copied_object_is_set(mongo_client: MongoClient[dict[str, Any]], tmp_path: Path) -> None:
    """Not the whole object, where the attribute is never NULL: no object stays empty, and its fields keep their order."""
    body = Document(
        "product",
        references=(Reference("maker_products", Holder.CHILD),),
        copies=(Copy("maker", (up("maker_products"),), fields("id", "name"), Form.OBJECT, TRANSACTION),),
    )
    products = Collection("products", body, ("id",))
    design = Design(MODEL, tuple(products if each is PRODUCTS else each for each in DESIGN.collections))
    made = upkeep_steps(design, RowChange("maker", ChangeKind.UPDATE, "rows", frozenset({"name"})))
    (change,) = changes_of(list(steps_within(made.steps)), "maker.name")
    assert change == Set("maker.name", Cell("new_name"))
    entity, renamed = CHANGES["a maker's name"]
    after = ROWS | {entity: renamed(ROWS[entity])}
    settled = settle(_followed(design), dict(ROWS), after, entity, mongo_client, tmp_path)
    assert settled is not None
    assert settled.stale
    assert not settled.wrong


def test_a_count_is_incremented() -> None:
    """By one for a row that comes, and by minus one for one that goes."""
    for kind, negative in ((ChangeKind.INSERT, False), (ChangeKind.DELETE, True)):
        (change,) = changes_of(steps_of("orders", kind), "order_count")
        assert isinstance(change, Increment)
        assert change.negative is negative


def test_the_newest_are_pushed() -> None:
    """In their order, and cut to the limit; when one goes the next is read."""
    (change,) = changes_of(steps_of("orders", ChangeKind.INSERT), "newest")
    assert isinstance(change, Push)
    assert change.order == (("id", -1),)
    assert change.keep == 2
    (change,) = changes_of(steps_of("orders", ChangeKind.DELETE), "newest")
    assert isinstance(change, Set)


@pytest.mark.thorough
@pytest.mark.parametrize("backwards", [False, True])
def test_children_are_told_without_their_foreign_key(
    mongo_client: MongoClient[dict[str, Any]], tmp_path: Path, *, backwards: bool
) -> None:
    """It is the same in all of one parent: one operator puts a child in or takes it out, and no child is read."""
    held = Copy("all_lines", (down("order_lines"),), fields("no", "quantity"), Form.ARRAY, TRANSACTION)
    body = Document("orders", references=(Reference("customer_orders", Holder.CHILD),), copies=(held,))
    references = (Reference("order_lines", Holder.CHILD), Reference("product_lines", Holder.CHILD))
    lines = Collection("lines", Document("line", references=references), ("order_id", "no"))
    rest = (each for each in DESIGN.collections if each not in (ORDERS, CUSTOMERS))
    customers = Collection("customers", Document("customer"), ("id",))
    design = Design(MODEL, (customers, Collection("orders", body, ("id",)), lines, *rest))
    for kind, operator in ((ChangeKind.INSERT, Push), (ChangeKind.DELETE, Pull)):
        steps = list(steps_within(upkeep_steps(design, RowChange("line", kind, "rows")).steps))
        assert not any(isinstance(step, Fetch) for step in steps)
        assert [type(change) for change in changes_of(steps, "all_lines")] == [operator]
    before, after = dict(ROWS), ROWS | {"line": ROWS["line"][1:]}
    if backwards:
        before, after = after, before
    settled = settle(design, before, after, "line", mongo_client, tmp_path)
    assert settled is not None
    assert settled.stale
    assert not settled.wrong


def test_ids_are_pushed_and_pulled() -> None:
    """A row that moves is pulled from one parent and pushed to the other."""
    pulled, pushed = changes_of(steps_of("orders", ChangeKind.UPDATE, "customer_id"), "order_ids")
    assert isinstance(pulled, Pull)
    assert isinstance(pushed, Push)
    assert pushed.order == (("id", 1),)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backwards", [False, True])
def test_the_one_id_of_a_one_to_one_is_no_array(
    mongo_client: MongoClient[dict[str, Any]], tmp_path: Path, *, backwards: bool
) -> None:
    """It is set when the row comes that it leads to, and goes with it."""
    references = (Reference("boss_of", Holder.CHILD), Reference("employee_passport", Holder.PARENT, "passport"))
    employees = Collection("employees", Document("employee", references=references), ("id",))
    passports = Collection("passports", Document("passport"), ("employee_id",))
    rest = (each for each in DESIGN.collections if each is not EMPLOYEES)
    design = _followed(Design(MODEL, (*rest, employees, passports)))
    before, after = dict(ROWS), ROWS | {"passport": ROWS["passport"][1:]}
    if backwards:
        before, after = after, before
    settled = settle(design, before, after, "passport", mongo_client, tmp_path)
    assert settled is not None
    assert settled.stale
    assert not settled.wrong


def test_freshness_says_when() -> None:
    """What may be behind is left to the sync; a snapshot is taken when its holder comes, and never again."""
    change = upkeep_steps(DESIGN, RowChange("product", ChangeKind.UPDATE, "rows", frozenset({"title", "price"})))
    assert change.left == ("orders.lines.later",)
    assert not changes_of(list(steps_within(change.steps)), "price_then")
    assert changes_of(steps_of("line", ChangeKind.INSERT), "price_then")
    assert not changes_of(steps_of("line", ChangeKind.UPDATE, "product_id"), "price_then")


def test_what_does_not_matter_needs_nothing() -> None:
    """A change of an attribute that nothing follows from."""
    made = upkeep_steps(DESIGN, RowChange("customer", ChangeKind.UPDATE, "rows", frozenset({"city"})))
    assert made.steps == ()
    assert made.left == ()


def test_every_derived_thing_is_listed_once() -> None:
    """By collection and path."""
    ids = [upkeep.id for upkeep in upkeeps_of(DESIGN)]
    assert len(set(ids)) == len(ids)
    assert {"customers.newest", "customers.order_ids", "orders.lines.product", "employees.path"} <= set(ids)


def test_a_capped_collection_is_a_gap() -> None:
    """It takes no part in transactions."""

    capped = replace(MAKERS, options=Options(CollectionKind.CAPPED, size_bytes=1 << 20))
    design = Design(MODEL, tuple(capped if each is MAKERS else each for each in DESIGN.collections))
    with pytest.raises(ReadGap, match="capped"):
        upkeep_steps(design, RowChange("product", ChangeKind.INSERT, "rows"))
