"""Hand-made designs that together use every primitive in every form."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.freshness import SAME_DOCUMENT, SNAPSHOT, TRANSACTION, Freshness, Level
from nestling.ir.model import Attribute, Cardinality, Entity, Hierarchy, Model, Relationship
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
    Index,
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
from nestling.ir.types import INTEGER, TEXT, Type, TypeName


def attribute(name, kind=TEXT, *, null=False, also=()):
    return Attribute(name, Type.parse(kind) if isinstance(kind, str) else kind, null, also)


def optional(name, kind=TEXT):
    return attribute(name, kind, null=True)


def entity(name, *attributes, key=("id",), uniques=()):
    own = () if any(a.name == "id" for a in attributes) or "id" not in key else (attribute("id", INTEGER),)
    return Entity(name, (*own, *attributes), key, uniques)


def link(parent, child, attributes, *, name="", cardinality=Cardinality.ONE_TO_MANY, required=True, references=("id",)):
    return Relationship(name or f"{parent}_{child}", parent, child, references, attributes, cardinality, required)


def model(*entities, links=(), hierarchies=()):
    return Model("test", entities, tuple(links), (), tuple(hierarchies))


def every_type() -> Design:
    """One attribute of every conceptual type, and one whose values were seen to have another."""
    kinds = {name: Type(name) for name in TypeName if name not in (TypeName.ARRAY, TypeName.ENUM)}
    thing = entity(
        "thing",
        *(attribute(f"a_{name}", kind) for name, kind in kinds.items()),
        attribute("a_enum", "enum('S', 'M')"),
        attribute("a_array", "array(integer)"),
        attribute("a_micro", "timestamp(6)"),
        attribute("a_short", "decimal(5,2)"),
        attribute("a_mixed", INTEGER, also=(TEXT,)),
        attribute("a_null", TEXT, null=True),
    )
    return Design(model(thing), (Collection("things", Document("thing"), ("id",)),))


def orders() -> Design:
    """Embeddings as object, array with overflow and scalars; orphans; dotted fields; references; copies; computed."""
    shop = model(
        entity(
            "customer",
            attribute("email"),
            attribute("name"),
            attribute("vat", null=True),
            uniques=(("email",), ("vat",)),
        ),
        entity(
            "order",
            attribute("customer_id", INTEGER),
            attribute("placed", "timestamp"),
            attribute("total", "decimal(9,2)"),
        ),
        entity(
            "line", attribute("order_id", INTEGER), attribute("product_id", INTEGER), attribute("quantity", INTEGER)
        ),
        entity("product", attribute("name"), attribute("price", "decimal(9,2)", null=True)),
        entity("invoice", attribute("order_id", INTEGER), attribute("number")),
        entity("label", attribute("order_id", INTEGER, null=True), attribute("word", null=True), key=()),
        entity("remark", attribute("order_id", INTEGER, null=True), attribute("words")),
        links=(
            link("customer", "order", ("customer_id",)),
            link("order", "line", ("order_id",)),
            link("product", "line", ("product_id",)),
            link("order", "invoice", ("order_id",), cardinality=Cardinality.ONE_TO_ONE),
            link("order", "label", ("order_id",), required=False),
            link("order", "remark", ("order_id",), required=False),
        ),
    )
    product_name, price = Field("name", "product_name"), Field("price", "price")
    product = Copy("product_copy", (Hop("product_line", up=True),), (product_name, price), Form.INLINE, SNAPSHOT)
    lines, now, soon = (Hop("order_line", up=False),), SAME_DOCUMENT, Freshness(Level.ASYNC, 5)
    line = Document(
        "line",
        references=(Reference("product_line", Holder.CHILD),),
        copies=(product,),
    )
    order = Document(
        "order",
        (Field("total", "sums.total"),),
        embeddings=(
            Embedding(
                "lines", "order_line", Form.ARRAY, line, (Order("id"),), Overflow(2, "order_lines", "more_lines")
            ),
            Embedding("invoice", "order_invoice", Form.OBJECT, Document("invoice")),
            Embedding("labels", "order_label", Form.SCALARS, Document("label"), orphans="lost_labels"),
            Embedding("remarks", "order_remark", Form.ARRAY, Document("remark"), orphans="lost_remarks"),
        ),
        references=(Reference("customer_order", Holder.CHILD),),
        copies=(
            Copy("customer", (Hop("customer_order", up=True),), (Field("name", "name"),), Form.OBJECT, TRANSACTION),
        ),
        computed=(
            Computed("sums.lines", lines, AggregateKind.COUNT, now),
            Computed("sums.items", lines, AggregateKind.SUM, soon, "quantity", 10, "sums.at"),
        ),
    )
    customer = Document(
        "customer",
        copies=(
            Copy("latest", (Hop("customer_order", up=False),), (Field("id", "id"), Field("placed", "placed")), Form.ARRAY,
                 TRANSACTION, (Order("placed", True),), 2),
        ),
    )  # fmt: skip
    return Design(
        shop,
        (
            Collection("customers", customer),
            Collection("orders", order, ("id",), constants=(("schema_version", 2),)),
            Collection("products", Document("product"), ("id",)),
        ),
        (Index("orders", (("customer_id", 1), ("placed", -1)), serves=("orders_of_customer",)),),
    )


def references() -> Design:
    """Ids held by the parent (alone, with copies, one to one, composite) and by both sides."""
    things = model(
        entity("person", attribute("name")),
        entity("task", attribute("person_id", INTEGER), attribute("title")),
        entity("passport", attribute("person_id", INTEGER), attribute("number")),
        entity("team", attribute("name")),
        entity(
            "seat",
            attribute("row", INTEGER),
            attribute("place", INTEGER),
            attribute("team_id", INTEGER),
            key=("row", "place"),
        ),
        entity("note", attribute("team_id", INTEGER), attribute("text")),
        links=(
            link("person", "task", ("person_id",)),
            link("person", "passport", ("person_id",), cardinality=Cardinality.ONE_TO_ONE),
            link("team", "seat", ("team_id",)),
            link("team", "note", ("team_id",)),
        ),
    )
    person = Document(
        "person",
        references=(
            Reference("person_task", Holder.PARENT, "tasks", (Field("title", "title"),), TRANSACTION),
            Reference("person_passport", Holder.PARENT, "passport"),
        ),
    )
    team = Document(
        "team",
        references=(Reference("team_seat", Holder.PARENT, "seats"), Reference("team_note", Holder.PARENT, "notes")),
    )
    note = Document("note", references=(Reference("team_note", Holder.CHILD),))
    return Design(
        things,
        (
            Collection("people", person, ("id",)),
            Collection("tasks", Document("task"), ("id",)),
            Collection("passports", Document("passport")),
            Collection("teams", team, ("id",)),
            Collection("seats", Document("seat"), ("row", "place")),
            Collection("notes", note, ("id",)),
        ),
    )


def buckets() -> Design:
    """Buckets with and without a window, a time series, a clustered and a capped collection."""
    reading = (attribute("sensor", INTEGER), attribute("at", "timestamp"), attribute("value", "float"))
    things = model(
        entity("reading", *reading),
        entity("click", attribute("address", TEXT, null=True), attribute("who"), key=()),
        entity("tick", *reading, key=()),
        entity("token", attribute("word")),
        entity("log", attribute("message")),
    )
    summary = (
        Summary("n", AggregateKind.COUNT),
        Summary("mean", AggregateKind.AVG, "value"),
        Summary("peak", AggregateKind.MAX, "value"),
    )
    hourly = Bucket(("sensor",), "readings", 3, BucketWindow("at", WindowUnit.HOUR), summary)
    return Design(
        things,
        (
            Collection("readings", Document("reading"), bucket=hourly),
            Collection(
                "clicks", Document("click", (Field("address", "url"),)), bucket=Bucket(("address",), "clicks", 2)
            ),
            Collection(
                "ticks", Document("tick"), options=Options(CollectionKind.TIME_SERIES, "at", "sensor", "minutes")
            ),
            Collection("tokens", Document("token"), ("id",), Options(CollectionKind.CLUSTERED)),
            Collection("logs", Document("log"), options=Options(CollectionKind.CAPPED, size_bytes=100_000)),
        ),
    )


def variants() -> Design:
    """Members under a discriminator, and inline subtypes."""
    things = model(
        entity("book", attribute("title"), attribute("isbn"), uniques=(("isbn",),)),
        entity("film", attribute("title"), attribute("minutes", INTEGER)),
        entity("vehicle", attribute("plate")),
        entity("car", attribute("doors", INTEGER)),
        entity("truck", attribute("tons", "decimal(4,1)")),
        links=(
            link("vehicle", "car", ("id",), cardinality=Cardinality.ONE_TO_ONE),
            link("vehicle", "truck", ("id",), cardinality=Cardinality.ONE_TO_ONE),
        ),
        hierarchies=(Hierarchy("vehicles", "vehicle", ("vehicle_car", "vehicle_truck")),),
    )
    root = Document(
        "vehicle",
        embeddings=(
            Embedding("car", "vehicle_car", Form.INLINE, Document("car")),
            Embedding("truck", "vehicle_truck", Form.INLINE, Document("truck")),
        ),
    )
    kinds = Variant("kind", subtypes=(("vehicle_car", "car"), ("vehicle_truck", "truck")))
    members = Variant("type", "book", (Member("film", Document("film")),))
    return Design(
        things,
        (
            Collection("media", Document("book"), ("id",), variant=members),
            Collection("vehicles", root, ("id",), variant=kinds),
        ),
    )


def splits() -> Design:
    """Attributes in another collection, in GridFS, rows in an archive; pairs; slots; a tree's ancestors; a home dropped."""
    things = model(
        entity("video", attribute("title"), optional("plot"), optional("file", "bytes"), attribute("year", INTEGER)),
        entity("product", attribute("name"), optional("weight", "float"), optional("colour"), optional("size")),
        entity("month", attribute("product_id", INTEGER), attribute("number", INTEGER), attribute("sold", INTEGER)),
        entity("folder", attribute("parent_id", INTEGER, null=True), attribute("name")),
        entity("country", attribute("code"), attribute("name"), key=("code",)),
        entity("city", attribute("country_code", TEXT, null=True), attribute("name")),
        links=(
            link("product", "month", ("product_id",)),
            link("folder", "folder", ("parent_id",), required=False),
            link("country", "city", ("country_code",), required=False, references=("code",)),
        ),
    )  # fmt: skip
    parent = (Hop("folder_folder", up=True),)
    folder = Document(
        "folder",
        references=(Reference("folder_folder", Holder.CHILD),),
        copies=(
            Copy("ancestors", parent, (Field("id", "id"),), Form.SCALARS, TRANSACTION, closure=True),
            Copy("path", parent, (Field("name", "name"),), Form.PATH, TRANSACTION, closure=True),
        ),
    )
    country = Copy(
        "country", (Hop("country_city", up=True),), (Field("code", "code"), Field("name", "name")), Form.OBJECT,
        TRANSACTION, home=True, orphans="lost_countries",
    )  # fmt: skip
    product = Document(
        "product",
        pairs=(Pairs("specs", ("weight", "colour", "size")),),
        embeddings=(Embedding("months", "product_month", Form.ARRAY, Document("month"), slots=Slots("number", 3)),),
    )
    cold = (
        Split("video_plots", ("plot",)),
        Split("video_files", ("file",), gridfs=True),
        Split("old_videos", rows=Before("year", "2000")),
    )
    return Design(
        things,
        (
            Collection("videos", Document("video"), ("id",), splits=cold),
            Collection("products", product, ("id",)),
            Collection("folders", folder, ("id",)),
            Collection("cities", Document("city", copies=(country,)), ("id",)),
        ),
    )


def odd_names() -> Design:
    """Names with spaces, dots, quotes, backticks, bars, dollars, Unicode, line breaks, and words of other languages."""
    quotes = ('"q"', "`t`", "x|y", "it's", "#x;", "*/", "a b", "a.b", "li\nne", "$d")
    words = ("größe", "日本", "__proto__", "constructor", "1", "0", "class")
    uniques = (("größe", "1", "0"), ("__proto__",))
    thing = entity("odd table*/", *map(attribute, (*quotes, *words)), uniques=uniques)
    pair = entity('a "pair"', attribute("1"), attribute("0"), key=("1", "0"))
    other = entity("ta.b|le", attribute("the thing", INTEGER))
    return Design(
        model(thing, pair, other, links=(link("odd table*/", "ta.b|le", ("the thing",), name='is "in"'),)),
        (
            Collection("odd table*/", Document("odd table*/"), ("id",)),
            Collection('a "pair"', Document('a "pair"'), ("1", "0")),
            Collection("ta.b|le", Document("ta.b|le", references=(Reference('is "in"', Holder.CHILD),)), ("id",)),
        ),
    )


DESIGNS = {made.__name__: made for made in (every_type, orders, references, buckets, variants, splits, odd_names)}
