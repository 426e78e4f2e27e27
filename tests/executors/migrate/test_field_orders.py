"""Orders of fields in sub-documents, which MongoDB compares: a migration keeps them, or says which it does not keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.emitters.field_searches.field_orders import field_orders, id_orders
from nestling.executors.found_fields import find_fields
from nestling.ir.design import Design
from nestling.ir.migration import CollectionOrigin, Phase
from nestling.ir.primitives import Collection, Document, Holder, Reference
from nestling.ir.proposal import Proposal
from tests.emitters.designs import DESIGNS
from tests.emitters.test_loaded import rows_of
from tests.sqlite_rows import sqlite_source

Documents = Database[dict[str, Any]]
Trip = dict[str, Any]


def trip(n: int) -> Trip:
    """A document whose sub-documents are not in the order of their fields' names."""
    return {
        "_id": {"van": f"V{n % 20}", "day": n // 20},
        "stops": [{"seq": k, "addr": f"Street {k}", "ok": True} for k in range(n % 4)],
        "depot": {"name": f"D{n % 5}", "lat": 1.5, "active": n % 2 == 0, "boss": {"name": "x", "age": n}},
        "note": f"x{n}",
        "any": {"z": 1, "a": {"y": 2, "b": 3}} if n % 2 else 1,
    }


def turned(document: Trip, *names: str) -> Trip:
    """The document, in which these sub-documents are the other way round."""
    return document | {name: dict(reversed(document[name].items())) for name in names}


def moves(mongod: Server, database: Documents) -> tuple[Proposal, Proposal]:
    """What is there, and the same with the stops in a collection of their own."""
    old = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    return old, replace(old, design=apart(old.design))


def apart(design: Design) -> Design:
    """The design with the stops in a collection of their own."""
    (trips,) = design.collections
    (stops,) = (each for each in trips.body.embeddings if each.field == "stops")
    others = tuple(each for each in trips.body.embeddings if each is not stops)
    references = (Reference(stops.relationship, Holder.CHILD),)
    own = Collection(
        "stops", Document("stops", stops.body.fields, references=references), design.model.entity("stops").key
    )
    return Design(design.model, (replace(trips, body=replace(trips.body, embeddings=others)), own))


def told(error: MigrationError) -> set[str]:
    """The paths a refusal names."""
    return {each.what.split("`")[1] for each in error.problems}


@pytest.mark.thorough
@pytest.mark.parametrize("origin", [CollectionOrigin.SERVER, CollectionOrigin.STREAM])
def test_fields_stay_in_order(
    origin: CollectionOrigin, mongod: Server, database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole `_id`, a whole sub-document and values kept whole are found as before, whoever builds the documents."""
    if origin is CollectionOrigin.STREAM:
        monkeypatch.setattr("nestling.pipeline.migration_job.SORTS_ARRAYS_SINCE", (999,))
    documents = [trip(n) for n in range(120)]
    database.trips.insert_many(documents)
    old, new = moves(mongod, database)
    assert old.design.model.entity("trips").key == ("van", "day")
    assert pipeline.plan_migration(old, new, database).moves[0].way is origin
    assert pipeline.migrate(old, new, database, cutover=True).phase is Phase.DONE
    for each in documents:
        found = database.trips.find_one({"_id": each["_id"], "depot": each["depot"], "any": each["any"]})
        assert found is not None
        assert [*found["_id"]] == ["van", "day"]
        assert database.stops.count_documents({"_id.van": each["_id"]["van"], "_id.day": each["_id"]["day"]}) == len(
            each["stops"]
        )
    assert [*(database.stops.find_one({"_id.seq": 2}) or {})] == ["_id", "addr", "ok"]
    database.trips.update_one({"_id": documents[7]["_id"]}, {"$set": {"note": "y"}}, upsert=True)
    assert database.trips.count_documents({}) == 120


@pytest.mark.thorough
def test_what_stands_in_several_orders_is_told(mongod: Server, database: Documents) -> None:
    """The order of most documents counts; an `_id` in another one is refused, other sub-documents are a risk with counts."""
    documents = [turned(trip(n), *(("_id",) if n < 3 else ("depot",) if n < 10 else ())) for n in range(120)]
    database.trips.insert_many(documents)
    old, new = moves(mongod, database)
    risks = pipeline.plan_migration(old, new, database).risks
    ids = next(each for each in risks if each.startswith("`trips._id` in 3 documents, such as _id"))
    assert "an upsert by it will create a second document. `migrate` refuses this without `--drop-id-order`" in ids
    assert [each for each in risks if each.startswith("`trips.depot` in 7 documents")]
    with pytest.raises(MigrationError, match=r"(?s)`trips._id` in 3 documents.*`--drop-id-order`") as refused:
        pipeline.migrate(old, new, database)
    assert told(refused.value) == {"trips._id"}
    assert database.list_collection_names() == ["trips"]
    assert pipeline.migrate(old, new, database, may_lose=["id_order"], cutover=True).phase is Phase.DONE
    assert {(*each["_id"],) for each in database.trips.find()} == {("van", "day")}


def test_a_design_in_another_order_is_refused(mongod: Server, database: Documents) -> None:
    """Also where all documents agree, and the new design says otherwise."""
    database.trips.insert_many([trip(n) for n in range(40)])
    old, new = moves(mongod, database)
    trips, stops = new.design.collections
    other = replace(new, design=replace(new.design, collections=(replace(trips, id=("day", "van")), stops)))
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(old, other, database)
    assert told(refused.value) == {"trips._id"}


@pytest.mark.thorough
def test_an_id_that_comes_in_another_order_is_noticed(mongod: Server, database: Documents) -> None:
    """Of what is built the comparison asks it, and of what was written meanwhile the cutover."""
    database.trips.insert_many([trip(n) for n in range(40)])
    old, new = moves(mongod, database)
    assert pipeline.migrate(old, new, database).phase is Phase.READY
    late = turned(trip(41), "_id")
    database.trips.insert_one(late)
    with pytest.raises(MigrationError, match=r"`trips._id` in 1 document"):
        pipeline.migrate(old, new, database, cutover=True)
    database.trips.delete_one({"_id": late["_id"]})
    built = database["trips.new"].find_one_and_delete({"note": "x5"})
    assert built is not None
    database["trips.new"].insert_one(turned(built, "_id"))
    with pytest.raises(MigrationError, match=r"(?s)`trips.new._id` in 1 document.*--abort"):
        pipeline.migrate(old, new, database)


@pytest.mark.thorough
def test_models_read_at_two_times_may_differ_in_order(mongod: Server, database: Documents) -> None:
    """The old design's order of attributes counts."""
    database.trips.insert_many([trip(n) for n in range(40)])
    old, new = moves(mongod, database)
    entities = tuple(replace(each, attributes=each.attributes[::-1]) for each in new.design.model.entities)
    other = replace(new, design=replace(new.design, model=replace(new.design.model, entities=entities)))
    assert pipeline.migrate(old, other, database, cutover=True).phase is Phase.DONE
    assert database.trips.count_documents({"depot": trip(6)["depot"]}) == 1


def test_another_order_alone_changes_nothing(mongod: Server, database: Documents) -> None:
    """Copies and fields that only come in another order in the design: the collection stays as it is."""
    database.users.insert_many([{"_id": n, "email": f"u{n}@x.org", "name": f"User {n}"} for n in range(50)])
    told = ({"userId": n % 50, "name": f"User {n % 50}", "email": f"u{n % 50}@x.org"} for n in range(200))
    database.tickets.insert_many([{"_id": n, "title": f"t{n}", "reporter": each} for n, each in enumerate(told)])
    old = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    tickets, users = old.design.collections
    (copy,) = tickets.body.copies
    assert [each.path for each in copy.attributes] == ["reporter.name", "reporter.email"]
    body = replace(tickets.body, copies=(replace(copy, attributes=copy.attributes[::-1]),))
    new = replace(old, design=replace(old.design, collections=(replace(tickets, body=body), users)))
    assert new.design != old.design
    plan = pipeline.plan_migration(old, new, database)
    assert {each.way for each in plan.moves} == {CollectionOrigin.KEPT}
    assert (plan.changes, plan.left) == ((), ())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("made", DESIGNS)
def test_what_is_loaded_is_in_order(made: str, database: Documents, tmp_path: Path) -> None:
    """On every primitive, loading writes the fields of sub-documents as the design has them."""
    design = DESIGNS[made]()
    sqlite_source(tmp_path / "rows.db", design.model, rows_of(design))
    pipeline.load(Proposal("", design), f"sqlite:///{tmp_path / 'rows.db'}", database, check=False)
    assert find_fields(database, field_orders(design, design)) == ()
    assert find_fields(database, id_orders(design)) == ()
