"""A design that uses every primitive at once, and as many rows for it as are asked for."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Cardinality, Model
from nestling.ir.primitives import (
    Before,
    Bucket,
    BucketWindow,
    Collection,
    CollectionKind,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Member,
    Options,
    Order,
    Overflow,
    Pairs,
    Reference,
    Slots,
    Split,
    Summary,
    Variant,
    WindowUnit,
)
from nestling.ir.rows import AggregateKind, Hop
from tests.planner.homes.home_cases import Rows, entity, link

CUSTOMER = entity("customer", "code! name city", "code")
ORDER = entity("order", "id:integer! customer placed:date note photo:bytes colour size", "id")
LINE = entity("line", "order_id:integer! no:integer! product price:decimal(10,1)", "order_id no")
SERIAL = entity("serial", "order_id:integer! no:integer! serial!", "order_id no serial")
SEAT = entity("seat", "order_id:integer! place:integer! guest", "order_id place")
REMARK = entity("remark", "order_id:integer text", "")
PRODUCT = entity("product", "name! category:integer stock:integer", "name")
CATEGORY = entity("category", "id:integer! parent:integer name", "id")
READING = entity("reading", "id:integer! sensor at:timestamp value:integer", "id")
TICK = entity("tick", "at:timestamp! sensor value:float", "")
BADGE = entity("badge", "a:integer b:integer", "")
CAR = entity("car", "id:integer! doors:integer", "id")
SHIP = entity("ship", "id:integer! draught:float", "id")
HOST = entity("host", "name! address", "name")
MESSAGE = entity("message", "id:integer! host text", "id")
TAG = entity("tag", "id:integer! label", "id")
TAGGING = entity("tagging", "order_id:integer! tag_id:integer!", "order_id tag_id")

MODEL = Model(
    "shop",
    (
        *(
            CUSTOMER,
            ORDER,
            LINE,
            SERIAL,
            SEAT,
            REMARK,
            PRODUCT,
            CATEGORY,
            READING,
            TICK,
            BADGE,
            CAR,
            SHIP,
            HOST,
            MESSAGE,
        ),
        *(TAG, TAGGING),
    ),
    (
        link("customer_order", "customer.code", "order.customer", required=False),
        link("order_line", "order.id", "line.order_id"),
        link("line_serial", "line.order_id,no", "serial.order_id,no"),
        link("order_seat", "order.id", "seat.order_id"),
        link("order_remark", "order.id", "remark.order_id", required=False),
        link("product_line", "product.name", "line.product", required=False),
        link("category_product", "category.id", "product.category", required=False),
        link("category_tree", "category.id", "category.parent", required=False),
        link("host_message", "host.name", "message.host", required=False),
        link("order_tagging", "order.id", "tagging.order_id"),
        link("tag_tagging", "tag.id", "tagging.tag_id"),
        link("order_car", "order.id", "car.id", cardinality=Cardinality.ONE_TO_ONE, required=False),
    ),
)

LINES = Embedding(
    "lines",
    "order_line",
    Form.ARRAY,
    Document(
        "line",
        references=(Reference("product_line", Holder.CHILD),),
        embeddings=(Embedding("serials", "line_serial", Form.SCALARS, Document("serial"), orphans="stray_serials"),),
    ),
    order=(Order("price", descending=True),),
    overflow=Overflow(2, "more_lines"),
    orphans="stray_lines",
)
TAGGED = (Hop("order_tagging", up=False), Hop("tag_tagging", up=True))
ORDERS = Collection(
    "orders",
    Document(
        "order",
        fields=(Field("note", "about.note"),),
        pairs=(Pairs("properties", ("colour", "size")),),
        embeddings=(
            LINES,
            Embedding("seats", "order_seat", Form.ARRAY, Document("seat"), slots=Slots("place", 4)),
            Embedding("remarks", "order_remark", Form.ARRAY, Document("remark"), orphans="stray_remarks"),
            Embedding(
                "taggings",
                "order_tagging",
                Form.SCALARS,
                Document("tagging", references=(Reference("tag_tagging", Holder.CHILD),)),
            ),
        ),
        references=(Reference("customer_order", Holder.CHILD), Reference("order_car", Holder.PARENT, "car")),
        copies=(
            Copy(
                "client",
                (Hop("customer_order", up=True),),
                (Field("name", "name"), Field("city", "town")),
                Form.OBJECT,
                TRANSACTION,
            ),
            Copy("labels", TAGGED, (Field("label", "label"),), Form.SCALARS, TRANSACTION),
        ),
        computed=(
            Computed("about.lines", (Hop("order_line", up=False),), AggregateKind.COUNT, TRANSACTION),
            Computed(
                "about.total",
                (Hop("order_line", up=False),),
                AggregateKind.MAX,
                TRANSACTION,
                "order_id",
                stamp="about.at",
            ),
        ),
    ),
    ("id",),
    splits=(
        Split("photos", ("photo",), gridfs=True),
        Split("old_orders", rows=Before("placed", "2021-01-01")),
    ),
    constants=(("version", 2),),
)
DESIGN = Design(
    MODEL,
    (
        ORDERS,
        Collection(
            "customers",
            Document(
                "customer",
                copies=(
                    Copy(
                        "recent",
                        (Hop("customer_order", up=False),),
                        (Field("id", "id"), Field("placed", "placed")),
                        Form.ARRAY,
                        TRANSACTION,
                        (Order("placed", descending=True),),
                        2,
                    ),
                ),
            ),
            ("code",),
            splits=(Split("cities", ("city",)),),
        ),
        Collection(
            "products", Document("product", references=(Reference("category_product", Holder.CHILD),)), ("name",)
        ),
        Collection(
            "categories",
            Document(
                "category",
                references=(Reference("category_tree", Holder.CHILD),),
                copies=(
                    Copy(
                        "path",
                        (Hop("category_tree", up=True),),
                        (Field("id", "id"),),
                        Form.PATH,
                        TRANSACTION,
                        closure=True,
                    ),
                    Copy(
                        "above",
                        (Hop("category_tree", up=True),),
                        (Field("name", "name"),),
                        Form.ARRAY,
                        TRANSACTION,
                        closure=True,
                    ),
                ),
            ),
            ("id",),
        ),
        Collection(
            "readings",
            Document("reading"),
            bucket=Bucket(
                ("sensor",),
                "readings",
                3,
                BucketWindow("at", WindowUnit.DAY),
                (
                    Summary("total", AggregateKind.SUM, "value"),
                    Summary("mean", AggregateKind.AVG, "value"),
                    Summary("top", AggregateKind.MAX, "at"),
                ),
            ),
        ),
        Collection("ticks", Document("tick"), options=Options(CollectionKind.TIME_SERIES, time="at", meta="sensor")),
        Collection("badges", Document("badge")),
        Collection(
            "vehicles",
            Document("ship"),
            ("id",),
            variant=Variant("kind", "ship", (Member("car", Document("car")),)),
        ),
        Collection(
            "messages",
            Document(
                "message",
                copies=(
                    Copy(
                        "sender",
                        (Hop("host_message", up=True),),
                        (Field("name", "name"), Field("address", "address")),
                        Form.OBJECT,
                        TRANSACTION,
                        home=True,
                        orphans="silent_hosts",
                    ),
                ),
            ),
            ("id",),
        ),
        Collection("tags", Document("tag"), ("id",)),
    ),
)


def shop_rows(orders: int) -> dict[str, Rows]:
    """Rows for every entity: lines that overflow, rows without a parent, equal rows without a key, buckets of several pages."""
    day, start = date(2020, 12, 1), datetime.fromisoformat("2024-01-01")
    numbers = range(1, orders + 1)
    lines = [(n, k, f"p{(n + k) % 7}", Decimal(k * n % 5 * 5).scaleb(-1)) for n in numbers for k in range(n % 6)]
    return {
        "customer": [(f"c{n:03}", f"name {n}", None if n % 2 else f"city {n % 3}") for n in range(orders // 3 + 2)],
        "order": [
            (
                n,
                f"c{n % (orders // 3 + 1):03}" if n % 5 else None,
                None if n % 11 == 0 else day + timedelta(days=n),
                f"note {n}" if n % 2 else None,
                bytes([n % 256]) * (n % 3 * 200_000) if n % 20 == 0 else None,
                "red" if n % 3 else None,
                "XL" if n % 4 == 0 else None,
            )
            for n in numbers
        ],
        "line": [*lines, (orders + 7, 1, None, None), (orders + 7, 2, "p1", Decimal("1.0"))],
        "serial": [
            *((o, k, f"s{o}-{k}-{i}") for o, k, *_ in lines for i in range((o + k) % 3)),
            (orders + 7, 2, "stray below a stray"),
            (1, 99, "stray"),
        ],
        "seat": [(n, p, None if p == 2 else f"guest {p}") for n in numbers for p in range(1, 5) if (n + p) % 3 == 0],
        "remark": [
            *((n, "same") for n in numbers for _ in range(n % 3)),
            (None, "alone"),
            (None, "alone"),
            (orders + 9, None),
        ],
        "product": [(f"p{n}", n or None, n) for n in range(7)],
        "category": [(n, n // 2 or None, f"category {n}") for n in range(1, 20)],
        "reading": [
            (
                n,
                f"sensor {n % 3}" if n % 7 else None,
                start + timedelta(hours=5 * n) if n % 13 else None,
                n if n % 4 else None,
            )
            for n in numbers
        ],
        "tick": [(start + timedelta(seconds=n // 2), f"s{n % 2}", n / 8) for n in numbers],
        "badge": [(n % 4 or None, n % 2) for n in range(orders // 2)],
        "car": [(n, n % 5) for n in numbers if n % 4 == 0],
        "ship": [(n, n / 4) for n in numbers if n % 4 == 0],
        "host": [(f"h{n}", f"address {n}" if n % 2 else None) for n in range(8)],
        "message": [(n, f"h{n % 5}" if n % 6 else None, "text") for n in numbers],
        "tag": [(n, f"label {n % 3}" if n else None) for n in range(5)],
        "tagging": [(n, t) for n in numbers for t in range(5) if (n + t) % 4 == 0],
    }
