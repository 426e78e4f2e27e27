"""Cases for home views: a design, documents written by hand as docs/document-forms.md says, and the rows they stand for.

Every primitive is here alone, and with those it is hardest to combine with. A case says why it is there.
"""

# ruff: noqa: DTZ001 - a BSON date has no zone
from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
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
    Overflow,
    Pairs,
    Reference,
    Slots,
    Split,
    Variant,
    WindowUnit,
)
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.types import Type

Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class Case:
    """`documents` by collection, `rows` by entity in attribute order."""

    name: str
    why: str
    model: Model
    collections: tuple[Collection, ...]
    documents: dict[str, list[dict[str, Any]]]
    rows: dict[str, Rows]


def entity(name: str, attributes: str, key: str = "", uniques: tuple[tuple[str, ...], ...] = ()) -> Entity:
    """An entity from `id:integer! note` (text when no type is given, `!` for NOT NULL)."""
    found = []
    for word in attributes.split():
        bare = word.rstrip("!")
        attribute, _, kind = bare.partition(":")
        found.append(Attribute(attribute, Type.parse(kind or "text"), nullable=bare == word))
    return Entity(name, tuple(found), tuple(key.split()), uniques)


def link(
    name: str, parent: str, child: str, *, required: bool = True, cardinality: Cardinality = Cardinality.ONE_TO_MANY
) -> Relationship:
    """A relationship from `order.id` to `line.order_id` (several attributes: `order.id,no`)."""
    (up, up_names), (down, down_names) = parent.split("."), child.split(".")
    names = tuple(up_names.split(",")), tuple(down_names.split(","))
    return Relationship(name, up, down, *names, cardinality=cardinality, required=required)


ORDER = entity("order", "id:integer! note", "id")
LINE = entity("line", "order_id:integer! no:integer! quantity:integer", "order_id no")
SERIAL = entity("serial", "order_id:integer! no:integer! serial! remark", "order_id no serial")
ORDER_LINE = link("order_line", "order.id", "line.order_id")
LINE_SERIAL = link("line_serial", "line.order_id,no", "serial.order_id,no")
CHILD = Holder.CHILD
PARENT = Holder.PARENT


def lines(**more: Any) -> Embedding:
    """The lines of an order, as an array."""
    body = more.pop("body", Document("line"))
    return Embedding("lines", "order_line", Form.ARRAY, body, **more)


def serials(**more: Any) -> Embedding:
    """The serials of a line, as an array."""
    return Embedding("serials", "line_serial", Form.ARRAY, Document("serial"), **more)


def orders(*embeddings: Embedding, **more: Any) -> Collection:
    """The orders' collection."""
    return Collection("orders", Document("order", embeddings=embeddings), ("id",), **more)


ROOTS = Case(
    "roots",
    "a collection's documents are rows; a missing field is NULL; fields may be renamed and nested, `_id` may be composite",
    Model("m", (ORDER, LINE), (ORDER_LINE,)),
    (
        Collection("orders", Document("order", fields=(Field("note", "about.note"),)), ("id",)),
        Collection(
            "lines",
            Document("line", references=(Reference("order_line", CHILD),)),
            ("order_id", "no"),
            constants=(("schema_version", 1),),
        ),
    ),
    {
        "orders": [{"_id": 1, "about": {"note": "a"}}, {"_id": 2}],
        "lines": [{"_id": {"order_id": 1, "no": 1}, "quantity": 5, "schema_version": 1}],
    },
    {"order": [(1, "a"), (2, None)], "line": [(1, 1, 5)]},
)

NESTED = Case(
    "nested",
    "a key three levels deep is told by the levels above; orphans hold their own embeddings; empty arrays give no rows",
    Model("m", (ORDER, LINE, SERIAL), (link("order_line", "order.id", "line.order_id", required=False), LINE_SERIAL)),
    (orders(lines(body=Document("line", embeddings=(serials(),)), orphans="stray_lines")),),
    {
        "orders": [
            {
                "_id": 1,
                "note": "a",
                "lines": [{"no": 1, "quantity": 5, "serials": [{"serial": "x"}, {"serial": "y", "remark": "r"}]}],
            },
            {"_id": 2, "lines": []},
        ],
        "stray_lines": [
            {"_id": {"order_id": 9, "no": 1}, "quantity": 6, "serials": [{"serial": "z"}]},
            {"_id": {"order_id": 9, "no": 2}, "serials": []},
        ],
    },
    {
        "order": [(1, "a"), (2, None)],
        "line": [(1, 1, 5), (9, 1, 6), (9, 2, None)],
        "serial": [(1, 1, "x", None), (1, 1, "y", "r"), (9, 1, "z", None)],
    },
)

OVERFLOW = Case(
    "overflow",
    "pages hold what an array's bound leaves over, of parents and of orphans, and are told apart by the foreign key",
    NESTED.model,
    (
        orders(
            lines(
                body=Document("line", embeddings=(serials(overflow=Overflow(1, "more_serials")),)),
                overflow=Overflow(1, "more_lines"),
                orphans="stray_lines",
            )
        ),
    ),
    {
        "orders": [
            {"_id": 1, "lines": [{"no": 1, "serials": [{"serial": "a"}], "has_overflow": True}], "has_overflow": True}
        ],
        "more_lines": [
            {
                "_id": {"order_id": 1, "page": 2},
                "order_id": 1,
                "page": 2,
                "lines": [{"no": 2, "quantity": 7, "serials": [{"serial": "c"}], "has_overflow": False}],
            }
        ],
        "more_serials": [
            {
                "_id": {"order_id": 1, "no": 1, "page": 2},
                "order_id": 1,
                "no": 1,
                "page": 2,
                "serials": [{"serial": "b"}],
            },
            {
                "_id": {"order_id": 9, "no": 1, "page": 2},
                "order_id": 9,
                "no": 1,
                "page": 2,
                "serials": [{"serial": "e"}],
            },
        ],
        "stray_lines": [
            {"_id": {"order_id": 9, "no": 1}, "quantity": 6, "serials": [{"serial": "d"}], "has_overflow": True}
        ],
    },
    {
        "order": [(1, None)],
        "line": [(1, 1, None), (1, 2, 7), (9, 1, 6)],
        "serial": [(1, 1, "a", None), (1, 1, "b", None), (1, 2, "c", None), (9, 1, "d", None), (9, 1, "e", None)],
    },
)

DETAIL = entity("detail", "order_id:integer! weight:float", "order_id")
WORD = entity("word", "order_id:integer! word")
FORMS = Case(
    "forms",
    "an object that is `{}` is a row of NULLs, a missing one is none; bare values may be null",
    Model(
        "m",
        (ORDER, DETAIL, WORD),
        (
            link("detail", "order.id", "detail.order_id", cardinality=Cardinality.ONE_TO_ONE),
            link("words", "order.id", "word.order_id"),
        ),
    ),
    (
        orders(
            Embedding("detail", "detail", Form.OBJECT, Document("detail")),
            Embedding("words", "words", Form.SCALARS, Document("word")),
        ),
    ),
    {
        "orders": [
            {"_id": 1, "detail": {"weight": 1.5}, "words": ["x", None, "x"]},
            {"_id": 2, "detail": {}, "words": []},
            {"_id": 3, "words": [None]},
        ]
    },
    {
        "order": [(1, None), (2, None), (3, None)],
        "detail": [(1, 1.5), (2, None)],
        "word": [(1, "x"), (1, None), (1, "x"), (3, None)],
    },
)

SLOTS = Case(
    "slots",
    "places of a pre-allocated array that hold no row are null, and no row",
    Model("m", (ORDER, LINE), (ORDER_LINE,)),
    (orders(lines(slots=Slots("no", 3))),),
    {"orders": [{"_id": 1, "lines": [None, {"no": 2}, {"no": 3, "quantity": 8}]}, {"_id": 2, "lines": [None] * 3}]},
    {"order": [(1, None), (2, None)], "line": [(1, 2, None), (1, 3, 8)]},
)

EVENT = entity("event", "id:integer! sensor at:timestamp value:float", "id")
MARK = entity("mark", "event_id:integer! text", "")
BUCKETS = Case(
    "buckets",
    "events tell what their bucket's header says, where that is NULL too; what they embed is found below them",
    Model("m", (EVENT, MARK), (link("marks", "event.id", "mark.event_id"),)),
    (
        Collection(
            "events",
            Document("event", embeddings=(Embedding("marks", "marks", Form.ARRAY, Document("mark")),)),
            bucket=Bucket(("sensor",), "events", 2, BucketWindow("at", WindowUnit.DAY)),
        ),
    ),
    {
        "events": [
            {
                "_id": {"sensor": "a", "bucket_start": datetime(2024, 1, 1), "page": 1},
                "sensor": "a",
                "bucket_start": datetime(2024, 1, 1),
                "bucket_end": datetime(2024, 1, 2),
                "page": 1,
                "count": 2,
                "events": [
                    {"id": 1, "at": datetime(2024, 1, 1, 5), "value": 0.5, "marks": [{"text": "!"}, {}]},
                    {"id": 2, "at": datetime(2024, 1, 1, 6), "marks": []},
                ],
            },
            {"_id": {"page": 1}, "page": 1, "count": 1, "events": [{"id": 3, "marks": []}]},
        ]
    },
    {
        "event": [
            (1, "a", datetime(2024, 1, 1, 5), 0.5),
            (2, "a", datetime(2024, 1, 1, 6), None),
            (3, None, None, None),
        ],
        "mark": [(1, "!"), (1, None)],
    },
)

VEHICLE = entity("vehicle", "id:integer! name", "id")
CAR = entity("car", "id:integer! doors:integer", "id")
SHIP = entity("ship", "id:integer! draught:float", "id")
ONE = Cardinality.ONE_TO_ONE
SUBTYPES = Case(
    "subtypes",
    "the discriminator tells which subtype rows a document holds: none, one, or several; a row of NULLs counts",
    Model(
        "m",
        (VEHICLE, CAR, SHIP),
        (
            link("is_car", "vehicle.id", "car.id", cardinality=ONE),
            link("is_ship", "vehicle.id", "ship.id", cardinality=ONE),
        ),
    ),
    (
        Collection(
            "vehicles",
            Document(
                "vehicle",
                embeddings=(
                    Embedding("car", "is_car", Form.INLINE, Document("car")),
                    Embedding("ship", "is_ship", Form.INLINE, Document("ship")),
                ),
            ),
            ("id",),
            variant=Variant("kind", subtypes=(("is_car", "car"), ("is_ship", "ship"))),
        ),
    ),
    {
        "vehicles": [
            {"_id": 1, "name": "none"},
            {"_id": 2, "kind": "car", "doors": 4},
            {"_id": 3, "kind": ["car", "ship"], "draught": 0.5},
        ]
    },
    {"vehicle": [(1, "none"), (2, None), (3, None)], "car": [(2, 4), (3, None)], "ship": [(3, 0.5)]},
)

WHEEL = entity("wheel", "id:integer! vehicle_id:integer!", "id")
SHARED_PATHS = Case(
    "shared paths",
    "fields of a subtype, the document's own and computed ones are in one sub-document together",
    Model(
        "m",
        (VEHICLE, CAR, WHEEL),
        (link("is_car", "vehicle.id", "car.id", cardinality=ONE), link("wheels", "vehicle.id", "wheel.vehicle_id")),
    ),
    (
        Collection(
            "vehicles",
            Document(
                "vehicle",
                fields=(Field("name", "about.name"),),
                embeddings=(
                    Embedding("car", "is_car", Form.INLINE, Document("car", fields=(Field("doors", "has.doors"),))),
                    Embedding("wheels", "wheels", Form.ARRAY, Document("wheel")),
                ),
                computed=(Computed("has.wheels", (Hop("wheels", up=False),), AggregateKind.COUNT, TRANSACTION),),
            ),
            ("id",),
            variant=Variant("kind", subtypes=(("is_car", "car"),)),
        ),
    ),
    {
        "vehicles": [
            {"_id": 1, "about": {"name": "none"}, "wheels": [], "has": {"wheels": 0}},
            {"_id": 2, "kind": "car", "wheels": [{"id": 7}, {"id": 8}], "has": {"doors": 4, "wheels": 2}},
            {"_id": 3, "kind": "car", "wheels": [], "has": {"wheels": 0}},
        ]
    },
    {
        "vehicle": [(1, "none"), (2, None), (3, None)],
        "car": [(2, 4), (3, None)],
        "wheel": [(7, 2), (8, 2)],
    },
)

MEMBERS = Case(
    "members",
    "kinds of rows in one collection have ids that begin with the discriminator, and may share field names",
    Model("m", (ORDER, LINE), (ORDER_LINE,)),
    (
        orders(
            variant=Variant(
                "kind",
                "order",
                members=(Member("line", Document("line", references=(Reference("order_line", CHILD),))),),
            )
        ),
    ),
    {
        "orders": [
            {"_id": {"kind": "order", "id": 1}, "kind": "order", "note": "a"},
            {"_id": {"kind": "line", "order_id": 1, "no": 2}, "kind": "line", "quantity": 3},
        ]
    },
    {"order": [(1, "a")], "line": [(1, 2, 3)]},
)

FILE = entity("file", "id:integer! name! size:integer opened:date", "id", (("name",),))
ACCESS = entity("access", "file_name! at:integer!", "file_name at")
SPLITS = Case(
    "splits",
    "attributes in another collection, rows before a date in a third: both joined back, also where a child's key needs them",
    Model("m", (FILE, ACCESS), (link("accesses", "file.name", "access.file_name"),)),
    (
        Collection(
            "files",
            Document("file", embeddings=(Embedding("accesses", "accesses", Form.ARRAY, Document("access")),)),
            ("id",),
            splits=(Split("file_parts", ("name", "size")), Split("old_files", rows=Before("opened", "2020-01-01"))),
        ),
    ),
    {
        "files": [
            {"_id": 1, "accesses": [{"at": 7}, {"at": 8}]},
            {"_id": 2, "opened": datetime(2021, 1, 1), "accesses": []},
        ],
        "old_files": [{"_id": 3, "opened": datetime(2019, 1, 1), "accesses": [{"at": 9}]}],
        "file_parts": [{"_id": 1, "name": "a", "size": 5}, {"_id": 2, "name": "b"}, {"_id": 3, "name": "c"}],
    },
    {
        "file": [(1, "a", 5, None), (2, "b", None, date(2021, 1, 1)), (3, "c", None, date(2019, 1, 1))],
        "access": [("a", 7), ("a", 8), ("c", 9)],
    },
)

GADGET = entity("gadget", "id:integer! colour weight:float spec:json", "id")
PAIRS = Case(
    "pairs",
    "attributes in a list of pairs; those left out are NULL, a null among them is json's own",
    Model("m", (GADGET,)),
    (
        Collection(
            "gadgets", Document("gadget", pairs=(Pairs("more", ("colour", "weight", "spec"), "name", "is"),)), ("id",)
        ),
    ),
    {
        "gadgets": [
            {"_id": 1, "more": [{"name": "colour", "is": "red"}, {"name": "spec", "is": {"a": [1]}}]},
            {"_id": 2, "more": []},
            {"_id": 3, "more": [{"name": "weight", "is": 0.5}]},
        ]
    },
    {"gadget": [(1, "red", None, {"a": [1]}), (2, None, None, None), (3, None, 0.5, None)]},
)

PLAYER = entity("player", "id:integer! team_code", "id")
TEAM = entity("team", "id:integer! code! founded:date", "id", (("code",),))
BADGE = entity("badge", "a:integer! b:integer! player_id:integer", "a b")
LISTED = Case(
    "listed",
    "a foreign key only the parent tells is found by the parent's array of ids, which may hold composite ids and copies, "
    "may lie in the archive, and may refer to what is split off; rows no parent lists have NULL",
    Model(
        "m",
        (TEAM, PLAYER, BADGE),
        (
            link("players", "team.code", "player.team_code", required=False),
            link("badges", "player.id", "badge.player_id", required=False),
        ),
    ),
    (
        Collection(
            "teams",
            Document("team", references=(Reference("players", PARENT, "player_ids"),)),
            ("id",),
            splits=(Split("old_teams", rows=Before("founded", "1950-01-01")), Split("team_codes", ("code",))),
        ),
        Collection(
            "players",
            Document("player", references=(Reference("badges", PARENT, "badges", (Field("b", "b"),)),)),
            ("id",),
        ),
        Collection("badges", Document("badge")),
    ),
    {
        "teams": [{"_id": 1, "player_ids": [10, 11]}],
        "old_teams": [{"_id": 2, "founded": datetime(1900, 1, 1), "player_ids": [12]}],
        "team_codes": [{"_id": 1, "code": "A"}, {"_id": 2, "code": "B"}],
        "players": [
            {"_id": 10, "badges": [{"id": {"a": 1, "b": 2}, "b": 2}]},
            {"_id": 11, "badges": []},
            {"_id": 12, "badges": [{"id": {"a": 1, "b": 3}, "b": 3}, {"id": {"a": 2, "b": 3}, "b": 3}]},
            {"_id": 13, "badges": []},
        ],
        "badges": [{"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 2, "b": 3}, {"a": 3, "b": 3}],
    },
    {
        "team": [(1, "A", None), (2, "B", date(1900, 1, 1))],
        "player": [(10, "A"), (11, "A"), (12, "B"), (13, None)],
        "badge": [(1, 2, 10), (1, 3, 12), (2, 3, 12), (3, 3, None)],
    },
)

TICKET = entity("ticket", "id:integer! screen_no:integer", "id")
SCREEN = entity("screen", "no:integer! seats:integer layout:json", "no")
SEAT = entity("seat", "ticket_id:integer! row:integer!", "ticket_id row")


def screens(form: Form, *copied: str) -> tuple[Collection, ...]:
    """Tickets whose copies are the home of the screens, with their seats embedded."""
    copy = Copy(
        "screen",
        (Hop("tickets", up=True),),
        tuple(Field(name, f"copied.{name}" if form is Form.INLINE else name) for name in copied),
        form,
        TRANSACTION,
        home=True,
        orphans="empty_screens",
    )
    seats = Embedding("seats", "seats", Form.ARRAY, Document("seat"))
    return (Collection("tickets", Document("ticket", copies=(copy,), embeddings=(seats,)), ("id",)),)


COPIES_MODEL = Model(
    "m",
    (TICKET, SCREEN, SEAT),
    (link("tickets", "screen.no", "ticket.screen_no", required=False), link("seats", "ticket.id", "seat.ticket_id")),
)
COPIED_ROWS: dict[str, Rows] = {
    "ticket": [(1, 5), (2, 5), (3, 6), (4, None), (5, 99)],
    "screen": [(5, 80, {"a": 1}), (6, None, None), (7, 10, None)],
    "seat": [(1, 1), (5, 2)],
}
HOME_COPIES = Case(
    "home copies",
    "rows whose home is copies count once each; a child that refers to nothing brings no row; unreferred ones are orphans",
    COPIES_MODEL,
    screens(Form.OBJECT, "seats", "layout"),
    {
        "tickets": [
            {"_id": 1, "screen_no": 5, "screen": {"seats": 80, "layout": {"a": 1}}, "seats": [{"row": 1}]},
            {"_id": 2, "screen_no": 5, "screen": {"seats": 80, "layout": {"a": 1}}, "seats": []},
            {"_id": 3, "screen_no": 6, "screen": {}, "seats": []},
            {"_id": 4, "seats": []},
            {"_id": 5, "screen_no": 99, "seats": [{"row": 2}]},
        ],
        "empty_screens": [{"_id": 7, "seats": 10}],
    },
    COPIED_ROWS,
)
INLINE_HOME_COPIES = Case(
    "inline home copies",
    "inline, a copied key tells a row of NULLs from a reference to nothing",
    COPIES_MODEL,
    screens(Form.INLINE, "no", "seats", "layout"),
    {
        "tickets": [
            {"_id": 1, "screen_no": 5, "copied": {"no": 5, "seats": 80, "layout": {"a": 1}}, "seats": [{"row": 1}]},
            {"_id": 2, "screen_no": 5, "copied": {"no": 5, "seats": 80, "layout": {"a": 1}}, "seats": []},
            {"_id": 3, "screen_no": 6, "copied": {"no": 6}, "seats": []},
            {"_id": 4, "seats": []},
            {"_id": 5, "screen_no": 99, "seats": [{"row": 2}]},
        ],
        "empty_screens": [{"_id": 7, "seats": 10}],
    },
    COPIED_ROWS,
)

ODD = entity("odd", "a.b:integer! $price select _id naïve", "a.b")
ODD_NAMES = Case(
    "odd names",
    "names with dots, dollars, reserved words and letters beyond ASCII are told apart and come back",
    Model("m", (ODD,)),
    (Collection("odd things", Document("odd"), ("a.b",)),),
    {"odd things": [{"_id": 1, "＄price": "p", "select": "s", "_id_": "i", "naïve": "n"}, {"_id": 2, "naïve": "m"}]},
    {"odd": [(1, "p", "s", "i", "n"), (2, None, None, None, "m")]},
)

READING = entity("reading", "at:timestamp! sensor value:float")
TIME_SERIES = Case(
    "time series",
    "a time series' documents are rows like any other, equal ones included",
    Model("m", (READING,)),
    (
        Collection(
            "readings", Document("reading"), options=Options(CollectionKind.TIME_SERIES, time="at", meta="sensor")
        ),
    ),
    {"readings": [{"at": datetime(2024, 1, 1), "sensor": "a", "value": 0.5}] * 2 + [{"at": datetime(2024, 1, 1)}]},
    {"reading": [(datetime(2024, 1, 1), "a", 0.5)] * 2 + [(datetime(2024, 1, 1), None, None)]},
)

CASES = (
    ROOTS,
    NESTED,
    OVERFLOW,
    FORMS,
    SLOTS,
    BUCKETS,
    SUBTYPES,
    SHARED_PATHS,
    MEMBERS,
    SPLITS,
    PAIRS,
    LISTED,
    HOME_COPIES,
    INLINE_HOME_COPIES,
    ODD_NAMES,
    TIME_SERIES,
)
