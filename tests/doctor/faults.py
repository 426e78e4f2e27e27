"""One fault for every rule, planted in a real database: `over` its threshold, or just within it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bson import Binary, ObjectId
from pymongo import MongoClient
from pymongo.database import Database

Db = Database[dict[str, Any]]
Plant = Callable[[Db, bool], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """How to plant it, the place it is found at (collection, path), and thresholds that make it small enough to plant.

    `grow` makes it, after a first look; else `plant` does. `also`: rules that rightly find it, too.
    """

    plant: Plant
    collection: str
    path: str = ""
    thresholds: dict[str, float] = field(default_factory=dict)
    grow: Plant | None = None
    also: frozenset[str] = frozenset()


def clean(database: Db) -> None:
    """Two collections nobody can say anything against."""
    authors = [{"_id": ObjectId(), "name": f"author {n}", "born": 1900 + n} for n in range(40)]
    books = [
        {
            "author_id": authors[n % 40]["_id"],
            "title": f"title {n}",
            "tags": ["a", "b"][: n % 3],
            "cover": {"kind": "soft", "colour": {"name": "red"}},
            "at": {"type": "Point", "coordinates": [float(n % 90), 2.5]},
        }
        for n in range(300)
    ]
    _validated(database, "authors", ["name", "born"])
    _validated(database, "books", ["title", "author_id"])
    database.authors.insert_many(authors)
    database.books.insert_many(books)
    database.books.create_index([("author_id", 1), ("title", 1)])


def _validated(database: Db, name: str, required: list[str], **options: Any) -> None:
    schema = {"$jsonSchema": {"bsonType": "object", "required": required}}
    database.create_collection(name, validator=schema, **options)


def _filled(database: Db, documents: list[dict[str, Any]], *, name: str = "things") -> None:
    """The documents in a collection with a validator of its own."""
    _validated(database, name, ["_id"])
    database[name].insert_many(documents)


def _long_array(database: Db, over: bool) -> None:
    _filled(database, [{"items": [{"n": n} for n in range(201 if over else 200)]}, {"items": []}])


def _logs(database: Db, over: bool) -> None:
    _filled(database, [{"log": list(range(30 + over))} for _ in range(5)])


def _push(database: Db, over: bool) -> None:
    if over:
        database.things.update_many({}, {"$push": {"log": {"$each": list(range(10))}}})


def _large(database: Db, over: bool) -> None:
    _filled(database, [{"text": "x" * (9_000_000 if over else 10_000)}])


def _bloated(database: Db, over: bool) -> None:
    size = 9_000 if over else 1_000
    _filled(database, [{"a": "x" * size, "b": "y" * size, "n": n} for n in range(20)])


def _nested(database: Db, over: bool) -> None:
    deep: Any = {"e": 1} if over else 1
    _filled(database, [{"a": {"b": {"c": {"d": deep}}}}])


def _blob(database: Db, over: bool) -> None:
    _filled(database, [{"n": n, "photo": Binary(b"\1" * (150_000 if over and not n else 2_000))} for n in range(200)])


def _fields(database: Db, over: bool) -> None:
    letters = "abcdefghijklmnop"
    names = [f"{a}{b}_x" for a in letters for b in letters][: 220 if over else 190]
    _filled(database, [dict.fromkeys(names, 1) for _ in range(3)])


def _map(database: Db, over: bool) -> None:
    days = 28 if over else 0
    _filled(database, [{"visits": {f"2026-02-{day + 1:02}": day for day in range(days)}, "n": n} for n in range(3)])


def _awkward(database: Db, over: bool) -> None:
    _filled(database, [{"price " if over else "price": 1}])


def _unvalidated(database: Db, over: bool) -> None:
    if over:
        database.things.insert_one({"a": 1})
    else:
        _filled(database, [{"a": 1}])


def _weak(database: Db, over: bool) -> None:
    _validated(database, "things", ["a"], validationAction="warn" if over else "error")
    database.things.insert_one({"a": 1})


def _violated(database: Db, over: bool) -> None:
    database.things.insert_many([{"a": 1}, {"b" if over else "a": 2}])
    database.command("collMod", "things", validator={"$jsonSchema": {"required": ["a"]}})


def _mixed(database: Db, over: bool) -> None:
    _filled(database, [{"rating": 4}, {"rating": 4.5}, {"rating": None}, {"rating": "5" if over else 3}])


def _dates(database: Db, over: bool) -> None:
    """Texts that begin with the day: `over`, in all documents; else among other texts."""
    texts = ["31.12.2024", "1.2.2025", "02.01.2025", "05.10.2024"]
    _filled(database, [{"at": text} for text in (*texts, "30.11.2024" if over else "soon")])


def _numbers(database: Db, over: bool) -> None:
    """Prices and quantities as texts: `over`, all are numbers; else one says that it is not known, and quantities are few."""
    prices = [{"price": f"{n}.5", "zip": f"{10_000 + n}", "unit_price_code": f"{n}"} for n in range(40)]
    _filled(database, [*prices, {"price": "7" if over else "on request"}, *({"qty": f"{n}"} for n in range(20))])


def _nothing(database: Db, over: bool) -> None:
    _filled(database, [{"a": "x", "n": 1}, {"a": None, "n": 2}, {"n": 3} if over else {"a": None, "n": 3}])


def _unused(database: Db, over: bool) -> None:
    _filled(database, [{"a": n} for n in range(20)])
    database.things.create_index("a")
    if not over:
        assert database.things.find_one({"a": 3})


def _hidden(database: Db, over: bool) -> None:
    """Hidden; or, where nothing is to be found, hidden but unique, which keeps it at work."""
    _filled(database, [{"a": n} for n in range(20)])
    database.things.create_index("a", unique=not over, hidden=True)


def _redundant(database: Db, over: bool) -> None:
    _filled(database, [{"a": n, "b": n, "c": n, "d": n} for n in range(20)])
    database.things.create_index("a", unique=not over, name="short")
    database.things.create_index([("a", 1), ("b", -1)])


def _many_indexes(database: Db, over: bool) -> None:
    _filled(database, [{f"f{chr(97 + n)}": n for n in range(20)}])
    for n in range(10 if over else 9):
        database.things.create_index([(f"f{chr(97 + n)}", 1), (f"f{chr(98 + n)}", 1)])


def _every_field(database: Db, over: bool) -> None:
    _filled(database, [dict.fromkeys("abcdef", n) for n in range(20)])
    for name in "abcde" if over else "abcd":
        database.things.create_index(name)


def _heavy(database: Db, over: bool) -> None:
    _filled(database, [{"words": [f"{n} {w}" for w in range(40)], "n": n} for n in range(300)])
    if over:
        database.things.create_index("words")
        database.things.create_index([("n", 1), ("words", -1)])
        database.client.admin.command("fsync")


def _ttl(database: Db, over: bool) -> None:
    _filled(database, [{"expires_at": datetime(2099, 1, 1, tzinfo=UTC)}], name="sessions")
    if not over:
        database.sessions.create_index("expires_at", expireAfterSeconds=0)


def _idle_ttl(database: Db, over: bool) -> None:
    dates = [datetime(2099, 1, 1, tzinfo=UTC), "2099-01-01T00:00:00Z"]
    _filled(database, [{"exp": dates[over], "n": n} for n in range(20)])
    database.things.create_index("exp", expireAfterSeconds=60)


def _referring(database: Db, indexed: bool, dangling: int) -> None:
    makers = [{"_id": ObjectId(), "name": f"maker {n}"} for n in range(30)]
    _filled(database, list(makers), name="makers")
    ids = [maker["_id"] for maker in makers[: 30 - dangling]] + [ObjectId() for _ in range(dangling)]
    _filled(database, [{"maker_id": ids[n % 30], "n": n} for n in range(1_200)])
    if indexed:
        database.things.create_index("maker_id")


def _counters(database: Db, over: bool) -> None:
    parts = [{"thing_id": f"t{n * n % 37}"} for n in range(400)]
    counts = Counter(each["thing_id"] for each in parts)
    things: list[dict[str, Any]] = [{"_id": f"t{n}", "part_count": counts[f"t{n}"]} for n in range(37)]
    if over:
        things[4]["part_count"] += 1
    _filled(database, things)
    _filled(database, list(parts), name="parts")


def _copied(database: Db, over: bool) -> None:
    makers = [{"_id": n, "name": f"maker {n}"} for n in range(30)]
    _filled(database, list(makers), name="makers")
    things = [{"maker": {"_id": n % 30, "name": f"maker {n % 30}"}} for n in range(90)]
    if over:
        things[4]["maker"]["name"] = "as it was called"
    _filled(database, things)


def _two_way(database: Db, over: bool) -> None:
    books: list[dict[str, Any]] = [{"_id": ObjectId(), "author_ids": []} for _ in range(20)]
    authors: list[dict[str, Any]] = [
        {"_id": ObjectId(), "book_ids": [book["_id"] for book in books[n : n + 4]]} for n in range(16)
    ]
    for author in authors:
        for book in books:
            if book["_id"] in author["book_ids"]:
                book["author_ids"].append(author["_id"])
    if over:
        books[5]["author_ids"].pop()
    _filled(database, list(books), name="novels")
    _filled(database, list(authors), name="writers")


def _collections(database: Db, over: bool) -> None:
    for n in range(4 if over else 1):
        _filled(database, [{"a": n}], name=f"events_{n}")


def _profiled(run: Callable[[Db], None]) -> Plant:
    """Statements the server's profiler sees."""

    def plant(database: Db, over: bool) -> None:
        _filled(database, [{"_id": n, "city": f"city {n % 700}", "n": n} for n in range(1_400)])
        _filled(database, [{"thing": n, "text": f"text {n}"} for n in range(1_400)], name="notes")
        if not over:
            database.things.create_index("city")
            database.notes.create_index("thing")
        host, port = database.client.address or ("", 0)
        client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
        with client:  # nestling leaves itself out
            application = client[database.name]
            application.command("profile", 2)
            for _ in range(22):
                if over:
                    run(application)
                else:
                    list(application.things.find({"city": "city 7"}))
            application.command("profile", 0)

    return plant


def _read_in_part(database: Db, over: bool) -> None:
    """Articles of which lists show the title, and the body: `over`, no read takes the raw text they were made of."""
    _filled(database, [{"_id": n, "title": f"title {n}", "body": "b" * 900, "raw": "r" * 3_000} for n in range(40)])
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
    with client:
        application = client[database.name]
        application.command("profile", 2)
        for n in range(24):
            shown = {"title": 1, "body": 1} if over or n % 6 else {"title": 1, "raw": 1}
            list(application.things.find({"_id": n}, shown))
        application.command("profile", 0)


def _join(database: Db) -> None:
    lookup = {"from": "notes", "localField": "n", "foreignField": "thing", "as": "notes"}
    list(database.things.aggregate([{"$match": {"_id": 4}}, {"$lookup": lookup}]))


def _scan(database: Db) -> None:
    list(database.things.find({"city": "city 7"}).sort("n", -1))


def _script(database: Db) -> None:
    list(database.things.find({"$where": "this.n > 5000"}))


def _any_case(database: Db) -> None:
    list(database.things.find({"city": {"$regex": "^CITY 7$", "$options": "i"}}))


def _anywhere(database: Db) -> None:
    list(database.things.find({"city": {"$regex": "ty 7$"}}))


_JOINING = frozenset({"excessive-lookup", "read-together", "unindexed-lookup", "unindexed-reference"})
_SCANNING = frozenset({"missing-index", "unindexed-reference"})

FAULTS: dict[str, Fault] = {
    "unbounded-array": Fault(_long_array, "things", "items"),
    "growing-array": Fault(_logs, "things", "log", grow=_push),
    "oversize-risk": Fault(_large, "things", also=frozenset({"bloated-document", "large-blob"})),
    "bloated-document": Fault(_bloated, "things"),
    "deep-nesting": Fault(_nested, "things", "a.b.c.d.e"),
    "large-blob": Fault(_blob, "things", "photo"),
    "many-fields": Fault(_fields, "things"),
    "dynamic-field-names": Fault(_map, "things", "visits.{*}"),
    "awkward-field-names": Fault(_awkward, "things", "price "),
    "no-validator": Fault(_unvalidated, "things"),
    "weak-validator": Fault(_weak, "things"),
    "violated-validator": Fault(_violated, "things"),
    "dates-as-texts": Fault(_dates, "things", "at"),
    "numbers-as-texts": Fault(_numbers, "things", "price"),
    "mixed-types": Fault(_mixed, "things", "rating"),
    "null-or-missing": Fault(_nothing, "things", "a"),
    "unused-index": Fault(_unused, "things", "a_1", {"unused-index.days": 0}),
    "hidden-index": Fault(_hidden, "things", "a_1", {"hidden-index.days": 0}),
    "redundant-index": Fault(_redundant, "things", "short"),
    "too-many-indexes": Fault(_many_indexes, "things"),
    "every-field-indexed": Fault(_every_field, "things"),
    "heavy-indexes": Fault(_heavy, "things", thresholds={"heavy-indexes.bytes": 50_000, "heavy-indexes.share": 40}),
    "missing-ttl": Fault(_ttl, "sessions", "expires_at"),
    "idle-ttl": Fault(_idle_ttl, "things", "exp"),
    "unindexed-reference": Fault(lambda db, over: _referring(db, not over, 0), "things", "maker_id"),
    "dangling-reference": Fault(lambda db, over: _referring(db, indexed=True, dangling=3 * over), "things", "maker_id"),
    "drifted-counter": Fault(_counters, "things", "part_count"),
    "stale-copy": Fault(_copied, "things", "maker.name"),
    "two-way-disagreement": Fault(_two_way, "novels", "author_ids[]"),
    "too-many-collections": Fault(_collections, "", "", {"too-many-collections.collections": 3}),
    "unread-fields": Fault(_read_in_part, "things", "", {"unread-fields.statements": 20}),
    "excessive-lookup": Fault(_profiled(_join), "", also=_JOINING),
    "read-together": Fault(_profiled(_join), "things", also=_JOINING),
    "unindexed-lookup": Fault(_profiled(_join), "notes", "thing", also=_JOINING),
    "missing-index": Fault(_profiled(_scan), "things", "city, n", also=_SCANNING),
    "costly-statement": Fault(_profiled(_script), "things", "$where", also=frozenset({"unindexed-reference"})),
    "case-insensitive-regex": Fault(_profiled(_any_case), "things", "city", also=_SCANNING),
    "unanchored-pattern": Fault(_profiled(_anywhere), "things", "city", also=_SCANNING),
}
