"""The shop of the read tests in designs that put its tables at every kind of place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.model import Model, OnDelete, OnUpdate
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Order, Overflow, Reference, Slots
from tests.planner.reads.shop import MODEL


def model(**actions: tuple[OnDelete, OnUpdate]) -> Model:
    """The shop's model with other foreign key actions."""
    links = tuple(
        replace(link, on_delete=actions[link.name][0], on_update=actions[link.name][1])
        if link.name in actions
        else link
        for link in MODEL.relationships
    )
    return replace(MODEL, relationships=links)


def refer(*names: str) -> tuple[Reference, ...]:
    """References held by the child."""
    return tuple(Reference(name, Holder.CHILD) for name in names)


def root(
    entity: str, *embeddings: Embedding, references: tuple[Reference, ...] = (), key: tuple[str, ...] = ("id",)
) -> Collection:
    """A collection of an entity."""
    return Collection(f"{entity}s", Document(entity, embeddings=embeddings, references=references), id=key)


def lines(**options: object) -> Embedding:
    """Lines inside their order."""
    body = Document("line", references=refer("product_lines"))
    return Embedding("lines", "order_lines", Form.ARRAY, body, **options)  # type: ignore[arg-type]


def orders(*inside: Embedding, **options: object) -> Embedding:
    """Orders inside their customer."""
    return Embedding("orders", "customer_orders", Form.ARRAY, Document("orders", embeddings=inside), **options)  # type: ignore[arg-type]


PRODUCT = root("product", references=refer("maker_products"))
MAKER = root("maker")
EMPLOYEE = root("employee", references=refer("boss_of"))
PASSPORT = root("passport", references=refer("employee_passport"), key=("employee_id",))
REST = (PRODUCT, MAKER, EMPLOYEE, PASSPORT)
LINES = root("line", references=refer("order_lines", "product_lines"), key=("order_id", "no"))
ORDERS = root("orders", references=refer("customer_orders"))


def loose(of: Model) -> Model:
    """The model without enforced foreign keys."""
    return replace(of, relationships=tuple(replace(link, enforced=False) for link in of.relationships))


def normalized(of: Model) -> Design:
    return Design(of, (root("customer"), ORDERS, LINES, *REST))


def nested(of: Model) -> Design:
    return Design(of, (root("customer", orders(lines(orphans="stray_lines"), orphans="stray_orders")), *REST))


def ordered(of: Model) -> Design:
    order = (Order("quantity", descending=True),)
    arrays = root("orders", lines(orphans="stray_lines", order=order), references=refer("customer_orders"))
    return Design(of, (root("customer"), arrays, *REST))


def overflowing(of: Model) -> Design:
    over = Overflow(1, "more_lines", "more")
    arrays = root("orders", lines(orphans="stray_lines", overflow=over), references=refer("customer_orders"))
    return Design(of, (root("customer"), arrays, *REST))


def slotted(of: Model) -> Design:
    arrays = root("orders", lines(slots=Slots("no", 6, 0)), references=refer("customer_orders"))
    return Design(of, (root("customer"), arrays, *REST))


def object_passport(of: Model) -> Design:
    inside = Embedding("passport", "employee_passport", Form.OBJECT, Document("passport"), orphans="stray_passports")
    employee = root("employee", inside, references=refer("boss_of"))
    made = Embedding("products", "maker_products", Form.ARRAY, Document("product"), orphans="stray_products")
    return Design(of, (root("customer"), ORDERS, LINES, employee, root("maker", made)))


def listed(of: Model) -> Design:
    customer = replace(
        root("customer"),
        body=Document("customer", references=(Reference("customer_orders", Holder.PARENT, "order_ids"),)),
    )
    maker = replace(
        root("maker"), body=Document("maker", references=(Reference("maker_products", Holder.PARENT, "product_ids"),))
    )
    return Design(of, (customer, root("orders"), LINES, maker, root("product"), EMPLOYEE, PASSPORT))


DESIGNS: dict[str, Callable[[Model], Design]] = {
    each.__name__: each for each in (normalized, nested, ordered, overflowing, slotted, object_passport, listed)
}
