"""Indexes and options that no design can say: carried over where they mean the same, or else a migration has to be told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.executors.migrate import migrating
from nestling.ir.migration import Phase
from nestling.ir.primitives import Index
from nestling.pipeline.migrating import drop_old
from nestling.pipeline.reversing import in_place, redesign

Documents = Database[dict[str, Any]]


@pytest.fixture
def address(database: Documents, mongod: Server) -> str:
    """Of the database."""
    return f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true"


def _shops(database: Documents) -> None:
    database["shops"].insert_many(
        {
            "_id": i,
            "name": f"Shop {i}",
            "city": f"c{i % 5}",
            "kind": "a",
            "at": i,
            "active": i % 2 == 0,
            "text": f"lorem w{i}",
            "geo": {"type": "Point", "coordinates": [i / 100, 2]},
            "reviews": [{"_id": 100 * i + k, "stars": k, "by": f"u{k}"} for k in range(i % 4 + 1)],
        }
        for i in range(60)
    )


def _special(database: Documents) -> None:
    shops = database["shops"]
    shops.create_index([("text", "text")])
    shops.create_index([("geo", "2dsphere")])
    shops.create_index([("city", "hashed")])
    shops.create_index([("$**", 1)], wildcardProjection={"kind": 1})
    shops.create_index("at", partialFilterExpression={"active": True})
    shops.create_index([("kind", 1), ("at", 1)], sparse=True)
    shops.create_index("name", collation={"locale": "en", "strength": 2}, unique=True)


def _names(database: Documents) -> set[str]:
    return set(database["shops"].index_information())


@pytest.mark.thorough
def test_what_a_design_cannot_say_is_carried_over(database: Documents, address: str) -> None:
    """Every kind of index is there after the cutover, and works; the plan lists them; nothing is asked."""
    _shops(database)
    _special(database)
    found = in_place(address)
    new = redesign(found, "normalized").proposal
    before = database["shops"].index_information()
    plan = pipeline.plan_migration(found.in_place, new, database)
    assert {"shops: text: text", "shops: geo: 2dsphere", "shops: city: hashed"} <= set(plan.indexes_built)
    assert not [each for each in plan.risks if "--drop-indexes" in each]
    assert pipeline.migrate(found.in_place, new, database, cutover=True).phase is Phase.DONE
    assert "reviews" not in (database["shops"].find_one() or {})
    assert {name: before[name] for name in before} == {
        name: each for name, each in database["shops"].index_information().items() if name in before
    }
    assert database["shops"].count_documents({"$text": {"$search": "w7"}}) == 1
    with pytest.raises(DuplicateKeyError):
        database["shops"].insert_one({**(database["shops"].find_one({"_id": 1}) or {}), "_id": 99, "name": "SHOP 2"})


def test_a_hidden_index_stays_hidden(database: Documents, address: str) -> None:
    """Of a collection that is rebuilt: one that a design says, and one that it cannot say."""
    _shops(database)
    database["shops"].create_index("city", hidden=True)
    database["shops"].create_index("kind")
    database["shops"].create_index([("geo", "2dsphere")], hidden=True)
    found = in_place(address)
    made = redesign(found, "normalized").proposal
    new = replace(made, design=replace(made.design, indexes=found.in_place.design.indexes))
    assert pipeline.migrate(found.in_place, new, database, cutover=True).phase is Phase.DONE
    assert "reviews" not in (database["shops"].find_one() or {})
    told = database["shops"].index_information()
    assert {name for name, each in told.items() if each.get("hidden")} == {"city_1", "geo_2dsphere"}
    assert "kind_1" in told


@pytest.mark.thorough
def test_an_index_into_what_moves_is_refused(database: Documents, address: str) -> None:
    """Its fields are no longer there: named in the plan, and not lost unless that is said."""
    _shops(database)
    database["shops"].create_index([("reviews.by", "text")], name="words")
    database["shops"].create_index([("city", 1), ("name", 1)])
    found = in_place(address)
    new = redesign(found, "normalized").proposal
    plan = pipeline.plan_migration(found.in_place, new, database)
    assert {"shops: city, name", "shops: reviews.by: text"} <= set(plan.indexes_dropped)
    (told,) = (each for each in plan.risks if "refuses this without `--drop-indexes`" in each)
    assert "on reviews.by: text; " in told or "on city, name; " in told
    with pytest.raises(MigrationError, match=r"(?s)`words` of `shops` on reviews.by: text would be lost.*city, name"):
        pipeline.migrate(found.in_place, new, database, cutover=True)
    assert "shops.new" not in database.list_collection_names()
    assert pipeline.migrate(found.in_place, new, database, cutover=True, may_lose=["indexes"]).equal
    assert not {"words", "city_1_name_1"} & _names(database)


@pytest.mark.thorough
def test_an_index_that_comes_meanwhile(database: Documents, address: str) -> None:
    """It stops the run that does not know it, and the next one carries it over."""
    _shops(database)
    found = in_place(address)
    new = redesign(found, "normalized").proposal

    def create(what: str, rows: int, total: int | None) -> None:
        del rows, total
        if what.endswith("cutover"):
            database["shops"].create_index([("geo", "2dsphere")])

    with pytest.raises(MigrationError, match="have changed since this run began"):
        pipeline.migrate(found.in_place, new, database, cutover=True, watch=create)
    assert pipeline.migrate(found.in_place, new, database, cutover=True).phase is Phase.DONE
    assert "geo_2dsphere" in _names(database)


@pytest.mark.thorough
def test_one_that_waits_survives_an_interruption(
    database: Documents, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A carried index that removes documents is built at the cutover, also when that was halfway through."""
    _shops(database)
    database["shops"].create_index("at", expireAfterSeconds=10**9, partialFilterExpression={"active": True})
    found = in_place(address)
    new = redesign(found, "normalized").proposal

    def lost(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(migrating, "switch_indexes", lost)
        with pytest.raises(KeyboardInterrupt):
            pipeline.migrate(found.in_place, new, database, cutover=True)
    assert pipeline.migrate(found.in_place, new, database, cutover=True).phase is Phase.DONE
    assert database["shops"].index_information()["at_1"]["partialFilterExpression"] == {"active": True}


def test_an_index_on_the_discriminator_stays(database: Documents, address: str) -> None:
    """The best design has it too, and does not ask for it to be dropped."""
    kinds = ({"url": "/p", "x": 1}, {"ip": "10.0.0.1", "agent": "M"}, {"code": 500, "msg": "m"})
    names = ("click", "login", "error")
    database["events"].insert_many({"_id": i, "type": names[i % 3], "ts": i, **kinds[i % 3]} for i in range(600))
    database["events"].create_index([("type", 1), ("ts", -1)])
    database.command("profile", 2)
    for i in range(50):
        database["events"].find_one({"_id": i})
    database.command("profile", 0)
    found = in_place(address)
    assert found.in_place.design.collections[0].variant is not None
    index = Index("events", (("type", 1), ("ts", -1)))
    new = redesign(found, "optimal").proposal
    assert index in [replace(each, serves=()) for each in new.design.indexes]
    pipeline.migrate(found.in_place, new, database, cutover=True)
    assert "type_1_ts_-1" in database["events"].index_information()


def test_options_are_not_lost_silently(database: Documents, address: str) -> None:
    """A default collation and a validator: told by `inspect` and the plan, and refused."""
    rules = {"$expr": {"$gte": ["$at", 0]}}
    database.create_collection("shops", collation={"locale": "en", "strength": 2}, validator=rules)
    _shops(database)
    found = in_place(address)
    assert [each for each in found.in_place.gaps if "has its own collation (locale en, strength 2)" in each.what]
    new = redesign(found, "normalized").proposal
    risks = [each for each in pipeline.plan_migration(found.in_place, new, database).risks if "--drop-options" in each]
    assert len(risks) == 1
    assert "default collation" in risks[0]
    assert "the application's own validator" in risks[0]
    with pytest.raises(MigrationError, match=r"(?s)default collation .* of `shops` would be lost.*validator"):
        pipeline.migrate(found.in_place, new, database, cutover=True)
    assert pipeline.migrate(found.in_place, new, database, cutover=True, may_lose=["options"]).equal


def test_bounds_are_not_lost_silently(database: Documents, address: str) -> None:
    """Of a capped collection, the number of documents too."""
    database.create_collection("shops", capped=True, size=1_000_000, max=500)
    _shops(database)
    found = in_place(address)
    new = redesign(found, "normalized").proposal
    with pytest.raises(MigrationError, match=r"the bounds \(1,000,[0-9]+ bytes, 500 documents; capped\) of `shops`"):
        pipeline.migrate(found.in_place, new, database, cutover=True)


@pytest.mark.thorough
def test_only_what_is_built_anew_is_checked(database: Documents, address: str) -> None:
    """Nulls of a collection that stays are nobody's business; the plan names no index the database does not have."""
    database["users"].insert_many(
        {"_id": i, "name": f"U{i}", "address": {"street": f"s{i}", "city": "x"}} for i in range(50)
    )
    database["orders"].insert_many(
        {"_id": i, "user_id": i % 50, "placed": i, "note": None if i % 2 else "n"} for i in range(200)
    )
    found = in_place(address)
    today = found.in_place
    keys = (("user_id", 1), ("placed", -1))
    new = replace(today, design=replace(today.design, indexes=(Index("orders", keys),)))
    plan = pipeline.plan_migration(today, new, database)
    assert (plan.indexes_built, plan.indexes_dropped) == (("orders: user_id, -placed",), ())
    assert pipeline.migrate(today, new, database, cutover=True).phase is Phase.DONE
    assert "user_id_1_placed_-1" in database["orders"].index_information()


def test_a_sub_document_is_there_once(database: Documents, address: str) -> None:
    """So nothing is new about its key being unique."""
    database["users"].insert_many(
        {"_id": i, "name": f"U{i}", "address": {"street": f"s{i}", "city": "x"}} for i in range(50)
    )
    found = in_place(address)
    plan = pipeline.plan_migration(found.in_place, redesign(found, "normalized").proposal, database)
    assert len(plan.moves) == 2
    assert not [each for each in plan.risks if "gets a unique index" in each]


@pytest.mark.thorough
def test_an_index_another_one_begins_with_is_not_built_again(database: Documents, address: str) -> None:
    """It is today's design's own, and goes with it: the longer one does its work; where the collection stays, so does it."""
    _shops(database)
    database["cities"].insert_many({"_id": f"c{n}", "name": f"n{n}", "zip": n} for n in range(5))
    for name in ("shops", "cities"):
        database[name].create_index("name")
        database[name].create_index([("name", 1), ("city", 1)] if name == "shops" else [("name", 1), ("zip", 1)])
    found = in_place(address)
    shops = Index("shops", (("name", 1), ("city", 1)))
    normalized = redesign(found, "normalized").proposal
    design = normalized.design
    cities = tuple(each for each in found.in_place.design.indexes if each.collection == "cities")
    others = tuple(each for each in design.indexes if each.collection not in ("shops", "cities"))
    new = replace(normalized, design=replace(design, indexes=(shops, *cities, *others)))
    plan = pipeline.plan_migration(found.in_place, new, database)
    assert "shops: name, city" in plan.indexes_built
    assert not {"shops: name", "cities: name", "cities: name, zip"} & {*plan.indexes_built}
    assert plan.indexes_dropped == ("shops: name",)
    assert not [risk for risk in plan.risks if "--drop-indexes" in risk]
    assert pipeline.migrate(found.in_place, new, database, cutover=True).equal
    assert {name for name in _names(database) if name.startswith("name")} == {"name_1_city_1"}
    assert set(database["cities"].index_information()) == {"_id_", "name_1", "name_1_zip_1"}


def test_what_a_design_has_for_its_structure_is_no_loss(database: Documents, address: str) -> None:
    """Migrated back: elements of an array are found with their document, as the index on their parent's key did before."""
    stops = [{"no": k, "place": f"P{k}"} for k in range(3)]
    database["trips"].insert_many([{"_id": i, "km": i % 90, "stops": stops} for i in range(60)])
    found = in_place(address)
    today, apart = found.in_place, redesign(found, "normalized").proposal
    assert pipeline.migrate(today, apart, database, cutover=True).phase is Phase.DONE
    drop_old(today, apart, database)
    assert "_id.trip_id_1" in database["stops"].index_information()
    assert not pipeline.plan_migration(apart, today, database).refused
    database["stops"].create_index("place")
    with pytest.raises(MigrationError, match="the index `place_1` of `stops`") as refused:
        pipeline.migrate(apart, today, database)
    assert len(refused.value.problems) == 1
    database["stops"].drop_index("place_1")
    assert pipeline.migrate(apart, today, database, cutover=True).phase is Phase.DONE
    assert database["trips"].find_one({"_id": 3}, {"_id": 0}) == {"km": 3, "stops": stops}
