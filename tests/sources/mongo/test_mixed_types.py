"""SQL about a live database whose fields hold values of several types: it means what MongoDB means, type by type."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from pymongo.database import Database

from nestling import Store
from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.pipeline import convert
from nestling.sources.mongo import live_database

IDS = [ObjectId(f"64f{n:021x}") for n in range(30)]
DAY = datetime(2024, 1, 9)  # noqa: DTZ001 - as the driver reads it
DAYS = [DAY + timedelta(days=n % 20 - 8) for n in range(60)]
VALUES: tuple[Any, ...] = (1, "1", True, 2.5, Decimal128("1"), "x")


@dataclass
class Live:
    """A live database as it is."""

    in_place: Proposal
    database: Database[Any]

    def rows(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        """What a statement answers."""
        return [tuple(row.values()) for row in Store(self.in_place, self.database).execute(sql, **values)]

    def numbers(self, condition: str, **values: object) -> set[Any]:
        """The numbers of the orders of which a condition is true."""
        return {no for (no,) in self.rows(f"SELECT no FROM orders WHERE {condition}", **values)}

    def found(self, condition: dict[str, Any]) -> set[Any]:
        """Those that MongoDB finds."""
        return {each["no"] for each in self.database.orders.find(condition)}


@pytest.fixture
def live(database: Database[Any]) -> Live:
    """Orders that refer to people by ObjectIds and sometimes by their texts, at dates and their texts, of any value."""
    database.people.insert_many([{"_id": each, "name": f"n{n:02}"} for n, each in enumerate(IDS)])
    database.orders.insert_many(
        {
            "_id": n,
            "no": n,
            "person_id": IDS[n % 7] if n % 3 else str(IDS[n % 7]),
            "at": DAYS[n] if n % 4 else DAYS[n].isoformat(),
            **({"value": VALUES[n % 6]} if n % 5 else {}),
        }
        for n in range(60)
    )
    facts = gather(database.client, [database.name], Budget(30.0, Amount(), structure=True))
    return Live(live_database(facts, name="read").in_place, database)


@pytest.mark.thorough
def test_an_id_finds_ids_and_a_text_finds_texts(live: Live) -> None:
    """Equality, lists, and their negations, with the types the values are given with."""
    for given in (IDS[3], str(IDS[3]), "no id", None):
        assert live.numbers("person_id = :id", id=given) == (live.found({"person_id": given}) if given else set())
        assert live.numbers("person_id IN (:id, :other)", id=given, other=IDS[4]) == live.found(
            {"person_id": {"$in": [given, IDS[4]]}}
        )
        if given is not None:
            assert live.numbers("person_id <> :id", id=given) == live.found({"person_id": {"$ne": given}})
            assert live.numbers("person_id IS NOT :id", id=given) == live.found({"person_id": {"$ne": given}})
    text = str(IDS[3])
    assert live.numbers(f"person_id = '{text}'") == live.found({"person_id": text})
    assert live.numbers(f"person_id NOT IN ('{text}')") == live.found({"person_id": {"$ne": text}})


@pytest.mark.one_in(2)
@pytest.mark.parametrize("given", [1, "1", True, 2.5, "x", 1.0])
def test_values_of_all_types_are_told_apart(live: Live, given: object) -> None:
    """A truth value is no number and a number no text; numbers are equal whatever their types."""
    assert live.numbers("value = :v", v=given) == live.found({"value": given})
    present = {"value": {"$ne": given, "$exists": True}}
    assert live.numbers("value <> :v", v=given) == live.found(present)
    for sql, mongo in ((">", "$gt"), (">=", "$gte"), ("<", "$lt"), ("<=", "$lte")):
        assert live.numbers(f"value {sql} :v", v=given) == live.found({"value": {mongo: given}}), sql
        outside = {"value": {"$not": {mongo: given}, "$exists": True}}
        assert live.numbers(f"NOT value {sql} :v", v=given) == live.found(outside), sql


def test_a_range_stays_within_the_type(live: Live) -> None:
    """Dates are compared with dates and texts with texts, also where the server computes the condition."""
    for given in (DAY, DAY.isoformat()):
        for sql, mongo in ((">", "$gt"), (">=", "$gte"), ("<", "$lt"), ("<=", "$lte")):
            wanted = live.found({"at": {mongo: given}})
            assert live.numbers(f"at {sql} :at", at=given) == wanted
            computed = {
                no for no, inside in live.rows(f"SELECT no, at {sql} :at AS inside FROM orders", at=given) if inside
            }
            assert computed == wanted
    text = DAY.isoformat()
    assert live.numbers(f"NOT at > '{text}'") == live.found({"at": {"$not": {"$gt": text}}})


def test_an_order_is_mongodbs(live: Live) -> None:
    """By type first: numbers, texts, truth values, dates."""
    for way, direction in (("", 1), (" DESC", -1)):
        mine = [no for (no,) in live.rows(f"SELECT no FROM orders ORDER BY value{way}, at{way}, no")]
        order = [("value", direction), ("at", direction), ("no", 1)]
        assert mine == [each["no"] for each in live.database.orders.find().sort(order)]


def test_groups_are_mongodbs(live: Live) -> None:
    """A group for each value, whose type counts."""
    mine = Counter({repr(value): n for value, n in live.rows("SELECT value, count(*) AS n FROM orders GROUP BY value")})
    theirs = live.database.orders.aggregate([{"$group": {"_id": "$value", "n": {"$sum": 1}}}])
    assert sorted(mine.values()) == sorted(each["n"] for each in theirs)


def test_sums_leave_out_what_is_no_number(live: Live) -> None:
    """As `$sum` and `$avg` do, where SQL would read numbers from texts."""
    for key, sql in ((None, "'all'"), ("$person_id", "person_id")):
        mine = live.rows(f"SELECT {sql} AS k, sum(value) AS s, avg(value) AS a FROM orders GROUP BY 1")
        group = {"_id": key, "s": {"$sum": "$value"}, "a": {"$avg": "$value"}}
        theirs = [(each["s"], each["a"]) for each in live.database.orders.aggregate([{"$group": group}])]
        assert sorted(map(_numbers, theirs)) == sorted(_numbers(row[1:]) for row in mine)


def _numbers(row: tuple[Any, ...]) -> tuple[float, ...]:
    return tuple(-1.0 if each is None else float(str(each)) for each in row)


def test_a_join_is_a_lookup(live: Live) -> None:
    """Rows are joined as `$lookup` joins them, by the index of the collection they are in."""
    sql = "SELECT o.no, p.name FROM orders o JOIN people p ON p._id = o.person_id"
    lookup = {"from": "people", "localField": "person_id", "foreignField": "_id", "as": "p"}
    theirs = live.database.orders.aggregate([{"$lookup": lookup}, {"$unwind": "$p"}])
    assert sorted(live.rows(sql)) == sorted((each["no"], each["p"]["name"]) for each in theirs)
    made = convert(live.in_place, sql)
    assert isinstance(made, CompiledRead)
    assert "'localField'" in repr(made.pipeline)
    assert "$expr" not in repr(made.pipeline)


def test_an_index_serves(live: Live) -> None:
    """Conditions are on the fields themselves."""
    for condition in ("person_id = :v", "person_id IN (:v)", "at >= :v", "value < :v"):
        made = convert(live.in_place, f"SELECT no FROM orders WHERE {condition}")
        assert isinstance(made, CompiledRead)
        assert "$expr" not in repr((made.filter, made.pipeline)), condition


def test_a_write_keeps_the_type_it_is_given(live: Live) -> None:
    """An ObjectId stays one and a text a text, however it looks."""
    store = Store(live.in_place, live.database)
    for given in (IDS[5], str(IDS[5]), 7):
        store.execute("UPDATE orders SET person_id = :id, value = :v WHERE no = 1", id=given, v=given)
        assert live.database.orders.find_one({"no": 1}, {"_id": 0, "person_id": 1, "value": 1}) == {
            "person_id": given,
            "value": given,
        }
    done = store.execute("UPDATE orders SET no = -no WHERE person_id = :id", id=str(IDS[3]))
    assert done.affected == live.database.orders.count_documents({"person_id": str(IDS[3])}) > 0
    insert = "INSERT INTO orders (_id, no, person_id, at, value) VALUES (:n, :n, :id, :at, NULL)"
    store.execute(insert, n=1000, id=str(IDS[6]), at=DAY)
    assert live.database.orders.find_one({"_id": 1000}) == {
        "_id": 1000,
        "no": 1000,
        "person_id": str(IDS[6]),
        "at": DAY,
    }


def test_elements_have_the_types_of_the_key_around_them(database: Database[Any]) -> None:
    """Which is theirs too: an `_id` that is an ObjectId here and a text there."""
    ids = [each if n % 3 else str(each) for n, each in enumerate(IDS)]
    database.orders.insert_many({"_id": each, "lines": [{"no": n} for n in range(2)]} for each in ids)
    facts = gather(database.client, [database.name], Budget(30.0, Amount(), structure=True))
    model = live_database(facts, name="read").in_place.design.model
    key = model.entity("orders").attribute("_id")
    inherited = model.entity("lines").attribute("order_id")
    assert [str(each) for each in (key.type, *key.also)] == ["objectid", "text"]
    assert (inherited.type, inherited.also) == (key.type, key.also)
