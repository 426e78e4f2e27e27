"""Faults of random strength, for rules where that says more than `faults.py`: planting says whether it passed the threshold."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bson import Binary, ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from tests.doctor.faults import FAULTS

Db = Database[dict[str, Any]]
Plant = Callable[[Db, random.Random], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """What is planted: the rule, and thresholds for small databases. `grow` makes it, after a first look; else `plant` does."""

    rule: str
    plant: Plant
    thresholds: dict[str, float] = field(default_factory=dict)
    grow: Plant | None = None


def _put(database: Db, documents: list[dict[str, Any]], name: str = "things") -> None:
    database.create_collection(name, validator={"$jsonSchema": {"required": ["_id"]}})
    database[name].insert_many(documents)


def _array(database: Db, draw: random.Random) -> bool:
    length = draw.choice([draw.randint(0, 200), draw.randint(201, 900)])
    _put(database, [{"items": [{"n": n} for n in range(length)]} for _ in range(draw.randint(1, 3))])
    return length > 200


def _values(database: Db, draw: random.Random) -> bool:
    length = draw.choice([draw.randint(0, 3_000), draw.randint(3_001, 6_000)])
    _put(database, [{"ids": list(range(length))}, *({"ids": []} for _ in range(40))])
    return length > 3_000


def _logs(database: Db, draw: random.Random) -> bool:
    _put(database, [{"log": list(range(40))} for _ in range(draw.randint(2, 9))])
    return False


def _push(database: Db, draw: random.Random) -> bool:
    more = draw.choice([0, 1, 2, 3, 20])  # 2 of 40 are 5 %
    database.things.update_many({}, {"$push": {"log": {"$each": list(range(more))}}})
    return more > 2


def _nesting(database: Db, draw: random.Random) -> bool:
    levels = draw.randint(0, 9)
    value: Any = 1
    for level in range(levels):
        value = {f"l{chr(97 + level)}": value} if draw.random() < 0.5 else [{f"l{chr(97 + level)}": value}]
    _put(database, [{"a": value}])
    return levels > 3


def _blob(database: Db, draw: random.Random) -> bool:
    size = draw.choice([draw.randint(1, 99_000), draw.randint(100_000, 900_000)])
    _put(database, [{"photo": Binary(bytes(10))} for _ in range(300)])
    database.things.insert_one({"photo": Binary(bytes(size))})
    return size + 5 > 100_000


def _large(database: Db, draw: random.Random) -> bool:
    size = draw.choice([draw.randint(1_000, 8_388_500), draw.randint(8_388_609, 12_000_000)])
    _put(database, [{"text": "x" * size}])
    return size > 8_388_600


def _bloated(database: Db, draw: random.Random) -> bool:
    size = draw.choice([draw.randint(100, 8_100), draw.randint(8_200, 30_000)])
    _put(database, [{"a": "x" * size, "b": "y" * size, "n": n} for n in range(20)])
    return size >= 8_200


def _fields(database: Db, draw: random.Random) -> bool:
    number = draw.choice([draw.randint(120, 199), draw.randint(200, 256)])  # and `_id`
    letters = "abcdefghijklmnop"
    names = [f"{a}{b}_x" for a in letters for b in letters][:number]
    _put(database, [dict.fromkeys(names, 1) for _ in range(3)])
    return number > 199


def _names(database: Db, draw: random.Random) -> bool:
    number = draw.choice([0, 3, 8, 60, 400])
    ids = [f"{draw.getrandbits(96):024x}" for _ in range(number)]
    _put(database, [{"by_id": dict.fromkeys(ids[n::5], 1), "n": n} for n in range(40)])
    return number > 7


def _awkward(database: Db, draw: random.Random) -> bool:
    good, bad = (
        ["price", "Price", "unit price", "prix", "größe"],
        ["", " price", "price ", "pri\u200bce", "a.b", "a\tb"],
    )
    name, is_odd = draw.choice([*((each, False) for each in good), *((each, True) for each in bad)])
    _put(database, [{name: n} for n in range(draw.randint(1, 20))])
    return is_odd


def _unvalidated(database: Db, draw: random.Random) -> bool:
    has, number = draw.random() < 0.5, draw.choice([0, 1, 30])
    database.create_collection("things", validator={"$jsonSchema": {"required": ["_id"]}} if has else {})
    for n in range(number):
        database.things.insert_one({"a": n})
    return number > 0 and not has


def _weak(database: Db, draw: random.Random) -> bool:
    rules, demands = draw.choice(
        [
            ({"required": ["a"]}, True),
            ({"properties": {"a": {"bsonType": "int"}}}, True),
            ({"bsonType": "object"}, False),
        ]
    )
    action, level = draw.choice(["error", "error", "warn"]), draw.choice(["strict", "moderate", "off"])
    database.create_collection(
        "things", validator={"$jsonSchema": rules}, validationAction=action, validationLevel=level
    )
    database.things.insert_one({"a": 1})
    return not demands or action == "warn" or level == "off"


def _violated(database: Db, draw: random.Random) -> bool:
    wrong = draw.choice([0, 1, 40])
    database.things.insert_many([{"a": 1} for _ in range(100)] + [{"a": -1} for _ in range(wrong)])
    database.command("collMod", "things", validator={"$jsonSchema": {"properties": {"a": {"minimum": 0}}}})
    return wrong > 0


def _mixed(database: Db, draw: random.Random) -> bool:
    odd, main = draw.choice([0, 1, 2, 30]), draw.randint(40, 400)
    others: list[Any] = draw.choice([["x", "y"], [True], [{"a": 1}], [ObjectId()]])
    _put(database, [{"v": n + 0.5 * (n % 2)} for n in range(main)] + [{"v": draw.choice(others)} for _ in range(odd)])
    return odd > 0


def _nothing(database: Db, draw: random.Random) -> bool:
    nulls, missing, empty = (draw.choice([0, 0, 2, 3, 30]) for _ in range(3))  # of 200, 1 % is 2
    documents = [{"v": None}] * nulls + [{"w": 1}] * missing + [{"v": ""}] * empty
    _put(database, [dict(each) for each in documents] + [{"v": f"text {n}"} for n in range(200 - len(documents))])
    ways = [name for name, times in (("null", nulls), ("missing", missing), ("empty", empty)) if times > 2]
    return len(ways) > 1


def _unused(database: Db, draw: random.Random) -> bool:
    asked = draw.random() < 0.5
    _put(database, [{"a": n, "b": n} for n in range(20)])
    database.things.create_index(
        [("a", 1)] if draw.random() < 0.5 else [("a", 1), ("b", -1)], unique=draw.random() < 0.3
    )
    database.books.drop_indexes()
    if asked:
        assert database.things.find_one({"a": 3})
    return not asked and not next(each for each in database.things.list_indexes() if "a" in each["key"]).get("unique")


def _prefix(database: Db, draw: random.Random) -> bool:
    fields = draw.sample("abcdef", 3)
    _put(database, [dict.fromkeys("abcdef", n) for n in range(30)])
    database.things.create_index([(field, 1) for field in fields])
    shorter = draw.choice([fields[:1], fields[:2], fields[1:], fields[::-1]])
    unique = draw.random() < 0.3
    database.things.create_index([(field, 1) for field in shorter], unique=unique)
    return shorter in (fields[:1], fields[:2]) and not unique


def _indexes(database: Db, draw: random.Random) -> bool:
    number = draw.randint(5, 15)
    _put(database, [{f"f{chr(97 + n)}": n for n in range(20)}])
    for n in range(number - 1):
        database.things.create_index([(f"f{chr(97 + n)}", 1), (f"f{chr(98 + n)}", -1)])
    return number > 10


def _every_field(database: Db, draw: random.Random) -> bool:
    fields = draw.randint(4, 9)
    alone = draw.randint(2, fields)
    _put(database, [dict.fromkeys("abcdefghi"[:fields], n) for n in range(20)])
    for name in "abcdefghi"[:alone]:
        database.things.create_index(name)
    return alone >= 5 and 100 * alone > 70 * fields


def _ttl(database: Db, draw: random.Random) -> bool:
    name, says = draw.choice(
        [
            ("expires_at", True),
            ("expiry", True),
            ("validUntil", True),
            ("ttl", True),
            ("made_at", False),
            ("expiring", False),
        ]
    )
    value, is_date = draw.choice([(datetime(2099, 1, 1, tzinfo=UTC), True), ("2099-01-01", False)])
    has = draw.random() < 0.4
    _put(database, [{name: value} for _ in range(draw.randint(1, 30))])
    if has:
        database.things.create_index(name, expireAfterSeconds=0)
    return says and is_date and not has


def _makers(database: Db, lost: int = 0) -> list[ObjectId]:
    makers = [{"_id": ObjectId(), "since": n} for n in range(50)]
    _put(database, list(makers), "makers")
    return [ObjectId(str(each["_id"])) for each in makers[lost:]] + [ObjectId() for _ in range(lost)]


def _reference(database: Db, draw: random.Random) -> bool:
    number, has = draw.choice([draw.randint(200, 1_000), draw.randint(1_001, 2_500)]), draw.random() < 0.4
    ids = _makers(database)
    _put(database, [{"maker_id": ids[n % 50], "n": n} for n in range(number)])
    if has:
        database.things.create_index(draw.choice([[("maker_id", 1)], [("maker_id", -1), ("n", 1)]]))
    return number > 1_000 and not has


def _dangling(database: Db, draw: random.Random) -> bool:
    lost = draw.choice([0, 1, 7, 20])
    ids = _makers(database, lost)
    _put(database, [{"maker_id": ids[n % 50]} for n in range(draw.randint(50, 400))])
    return lost > 0


def _stale(database: Db, draw: random.Random) -> bool:
    stale, number = draw.choice([0, 1, 5]), draw.randint(20, 250)
    _put(database, [{"_id": n, "name": f"maker {n}"} for n in range(30)], "makers")
    things: list[dict[str, Any]] = [{"maker": {"_id": n % 30, "name": f"maker {n % 30}"}} for n in range(number)]
    for each in draw.sample(things, stale):
        each["maker"]["name"] += " & Sons"
    _put(database, things)
    return stale > 0


def _two_way(database: Db, draw: random.Random) -> bool:
    novels: list[dict[str, Any]] = [{"_id": ObjectId(), "author_ids": []} for _ in range(20)]
    writers: list[dict[str, Any]] = [
        {"_id": ObjectId(), "book_ids": [b["_id"] for b in novels[n : n + 4]]} for n in range(16)
    ]
    for writer in writers:
        for novel in novels:
            if novel["_id"] in writer["book_ids"]:
                novel["author_ids"].append(writer["_id"])
    alone = draw.choice([0, 1, 4])
    for novel in draw.sample([each for each in novels if len(each["author_ids"]) > 1], alone):
        novel["author_ids"].pop()
    _put(database, list(novels), "novels")
    _put(database, list(writers), "writers")
    return alone > 0


def _collections(database: Db, draw: random.Random) -> bool:
    number, others = draw.randint(0, 5), draw.randint(0, 4)
    for n in range(number):
        _put(database, [{"a": n}], f"stats_{2023 + n // 3}_{n % 3 + 10}")
    for name in "wxyz"[:others]:
        _put(database, [{"a": name}], name)
    return number > 3 or number + others + 2 > 8


Asks = Callable[[Db], Any]


def _asked(database: Db, number: int, ask: Asks) -> None:
    """Ask as an application that the profiler watches."""
    host, port = database.client.address or ("", 0)
    client: MongoClient[dict[str, Any]] = MongoClient(host, port, directConnection=True, appname="shop")
    with client:
        application = client[database.name]
        application.command("profile", 2)
        for _ in range(number):
            ask(application)
        application.command("profile", 0)


def _joined(database: Db) -> Any:
    lookup = {"from": "notes", "localField": "n", "foreignField": "thing", "as": "notes"}
    return list(database.things.aggregate([{"$match": {"_id": 4}}, {"$lookup": lookup}]))


def _things(database: Db, documents: int, notes: int) -> None:
    _put(database, [{"_id": n, "city": f"city {n % 50}", "n": n} for n in range(documents)])
    _put(database, [{"thing": n % documents, "text": "t"} for n in range(notes)], "notes")


def _joins(database: Db, draw: random.Random) -> bool:
    _things(database, 300, 300)
    database.notes.create_index("thing")
    total = draw.choice([draw.randint(8, 19), draw.randint(20, 40)])
    joins = draw.choice([draw.randint(0, total // 2), draw.randint(total // 2 + 1, total)])
    _asked(database, joins, _joined)
    _asked(database, total - joins, lambda db: db.things.find_one({"_id": 7}))
    return total >= 20 and 2 * joins > total


def _unindexed(database: Db, draw: random.Random) -> bool:
    notes, has = draw.choice([draw.randint(10, 100), draw.randint(101, 900)]), draw.random() < 0.3
    _things(database, 300, notes)
    if has:
        database.notes.create_index("thing")
    _asked(database, draw.randint(1, 9), _joined)
    return notes > 100 and not has


def _scans(database: Db, draw: random.Random) -> bool:
    number, has = draw.choice([draw.randint(20, 100), draw.randint(101, 900)]), draw.random() < 0.3
    _things(database, number, 5)
    if has:
        database.things.create_index([("city", 1), ("n", -1)])
    _asked(database, draw.randint(1, 30), lambda db: list(db.things.find({"city": "city 7"}).sort("n", -1)))
    return number > 100 and not has


def _patterns(database: Db, draw: random.Random) -> bool:
    ignores = draw.random() < 0.5
    _things(database, 90, 5)
    test = {"$regex": "^CITY 7$", "$options": "i"} if ignores else {"$regex": "^city 7$"}
    _asked(database, draw.randint(1, 9), lambda db: list(db.things.find({"city": test})))
    return ignores


def _of_fault(rule: str) -> Kind:
    """A fault that has no strength of its own: planted, or kept within its threshold."""

    def either(database: Db, draw: random.Random) -> bool:
        over = draw.random() < 0.5
        FAULTS[rule].plant(database, over)
        return over

    return Kind(rule, either, FAULTS[rule].thresholds)


_DRAWN: dict[str, Kind] = {
    "array": Kind("unbounded-array", _array),
    "values": Kind("unbounded-array", _values),
    "growth": Kind("growing-array", _logs, grow=_push),
    "nesting": Kind("deep-nesting", _nesting),
    "blob": Kind("large-blob", _blob),
    "large": Kind("oversize-risk", _large),
    "bloated": Kind("bloated-document", _bloated),
    "fields": Kind("many-fields", _fields),
    "names": Kind("dynamic-field-names", _names),
    "awkward": Kind("awkward-field-names", _awkward),
    "unvalidated": Kind("no-validator", _unvalidated),
    "weak": Kind("weak-validator", _weak),
    "violated": Kind("violated-validator", _violated),
    "mixed": Kind("mixed-types", _mixed),
    "nothing": Kind("null-or-missing", _nothing),
    "unused": Kind("unused-index", _unused, {"unused-index.days": 0}),
    "prefix": Kind("redundant-index", _prefix),
    "indexes": Kind("too-many-indexes", _indexes),
    "every field": Kind("every-field-indexed", _every_field),
    "ttl": Kind("missing-ttl", _ttl),
    "reference": Kind("unindexed-reference", _reference),
    "dangling": Kind("dangling-reference", _dangling),
    "stale": Kind("stale-copy", _stale),
    "two ways": Kind("two-way-disagreement", _two_way),
    "collections": Kind(
        "too-many-collections", _collections, {"too-many-collections.collections": 8, "too-many-collections.family": 3}
    ),
    "joins": Kind("excessive-lookup", _joins),
    "joined": Kind("read-together", _joins),
    "unindexed join": Kind("unindexed-lookup", _unindexed),
    "scans": Kind("missing-index", _scans),
    "patterns": Kind("case-insensitive-regex", _patterns),
}
KINDS = _DRAWN | {rule: _of_fault(rule) for rule in FAULTS.keys() - {kind.rule for kind in _DRAWN.values()}}
"""Every rule at least once."""
