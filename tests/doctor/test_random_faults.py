"""Faults of random strength among healthy collections: found exactly when they pass their threshold."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from bson import Binary, ObjectId
from pymongo.database import Database

from tests.doctor.faults import clean
from tests.doctor.looking import found, look

Db = Database[dict[str, Any]]


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


def _mixed(database: Db, draw: random.Random) -> bool:
    odd, main = draw.choice([0, 1, 2, 30]), draw.randint(40, 400)
    others: list[Any] = draw.choice([["x", "y"], [True], [{"a": 1}], [ObjectId()]])
    _put(database, [{"v": n + 0.5 * (n % 2)} for n in range(main)] + [{"v": draw.choice(others)} for _ in range(odd)])
    return odd > 0


def _indexes(database: Db, draw: random.Random) -> bool:
    number = draw.randint(5, 15)
    _put(database, [{f"f{chr(97 + n)}": n for n in range(20)}])
    for n in range(number - 1):
        database.things.create_index([(f"f{chr(97 + n)}", 1), (f"f{chr(98 + n)}", -1)])
    return number > 10


def _prefix(database: Db, draw: random.Random) -> bool:
    fields = draw.sample("abcdef", 3)
    _put(database, [dict.fromkeys("abcdef", n) for n in range(30)])
    database.things.create_index([(field, 1) for field in fields])
    shorter = draw.choice([fields[:1], fields[:2], fields[1:], fields[::-1]])
    unique = draw.random() < 0.3
    database.things.create_index([(field, 1) for field in shorter], unique=unique)
    return shorter in (fields[:1], fields[:2]) and not unique


def _dangling(database: Db, draw: random.Random) -> bool:
    makers, lost = [{"_id": ObjectId(), "since": n} for n in range(50)], draw.choice([0, 1, 7, 20])
    _put(database, list(makers), "makers")
    ids = [each["_id"] for each in makers[lost:]] + [ObjectId() for _ in range(lost)]
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


def _violated(database: Db, draw: random.Random) -> bool:
    wrong = draw.choice([0, 1, 40])
    database.things.insert_many([{"a": 1} for _ in range(100)] + [{"a": -1} for _ in range(wrong)])
    database.command("collMod", "things", validator={"$jsonSchema": {"properties": {"a": {"minimum": 0}}}})
    return wrong > 0


def _names(database: Db, draw: random.Random) -> bool:
    number = draw.choice([0, 3, 8, 60, 400])
    ids = [f"{draw.getrandbits(96):024x}" for _ in range(number)]
    _put(database, [{"by_id": dict.fromkeys(ids[n::5], 1), "n": n} for n in range(40)])
    return number > 7


KINDS: dict[str, tuple[str, Callable[[Db, random.Random], bool]]] = {
    "array": ("unbounded-array", _array),
    "values": ("unbounded-array", _values),
    "nesting": ("deep-nesting", _nesting),
    "blob": ("large-blob", _blob),
    "mixed": ("mixed-types", _mixed),
    "indexes": ("too-many-indexes", _indexes),
    "prefix": ("redundant-index", _prefix),
    "dangling": ("dangling-reference", _dangling),
    "stale": ("stale-copy", _stale),
    "violated": ("violated-validator", _violated),
    "names": ("dynamic-field-names", _names),
}


def _planted(database: Db, kind: str, seed: int) -> None:
    name, plant = KINDS[kind]
    draw = random.Random(f"{kind} {seed}")
    clean(database)
    expected = plant(database, draw)
    findings = found(look(database))
    rules = {each.rule for each in findings}
    assert rules == ({name} if expected else set()), (kind, seed, [each.message for each in findings])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_fault_is_found_exactly_when_it_is_one(kind: str, seed: int, database: Db) -> None:
    """Recall and precision are whole, for a fault of any strength."""
    _planted(database, kind, seed)


@pytest.mark.soak
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("kind", KINDS)
def test_many_faults_are_found_exactly_when_they_are_ones(kind: str, mongo_client: Any) -> None:
    """The same for fifty databases of each kind of fault."""
    for seed in range(3, 53):
        database = mongo_client[f"planted_{kind}_{seed}"]
        try:
            _planted(database, kind, seed)
        finally:
            mongo_client.drop_database(database.name)
