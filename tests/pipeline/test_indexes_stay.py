"""Today's indexes of a live database stay in a better design, and new ones find a name beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import LoadError, Problem
from nestling.common.server import Server
from nestling.executors.create import create_indexes
from nestling.executors.migrate import migrating
from nestling.ir.migration import Phase
from nestling.ir.primitives import Index
from nestling.ir.programs.command import CreateIndex
from nestling.ir.proposal import Proposal
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.pipeline.migrating import abort_migration
from nestling.pipeline.reversing import in_place, redesign
from nestling.planner.options.structures.in_place import with_other_indexes

Documents = Database[dict[str, Any]]


@pytest.fixture
def address(database: Documents, mongod: Server) -> str:
    """Of a shop whose indexes are of some documents, or compare texts in another way."""
    people = ({"_id": i, "name": f"n{i}", **({"phone": f"p{i}"} if i % 3 else {})} for i in range(300))
    database["people"].insert_many(people)
    database["people"].create_index("phone", sparse=True)
    database["people"].create_index("name", collation={"locale": "de", "strength": 2})
    paid = ({"_id": i, "type": "ab"[i % 2], "code": f"c{i}", "person_id": i % 300} for i in range(600))
    database["payments"].insert_many(paid)
    database["payments"].create_index("code", partialFilterExpression={"type": "a"})
    database["payments"].create_index("person_id", partialFilterExpression={"person_id": {"$exists": True}})
    return f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true"


def _told(database: Documents) -> dict[str, Mapping[str, Any]]:
    return {name: database[name].index_information() for name in ("people", "payments")}


def _with(found: Proposal, *indexes: Index) -> Proposal:
    return replace(found, design=replace(found.design, indexes=(*found.design.indexes, *indexes)))


def test_indexes_of_some_documents_stay(address: str, database: Documents) -> None:
    """Also where no statement uses them, and where one over all documents stands beside them."""
    database.command("profile", 2)
    for i in range(50):
        database["payments"].find_one({"_id": i})
        list(database["payments"].find({"person_id": i}))
    database.command("profile", 0)
    found = in_place(address)
    made = redesign(found, "optimal")
    assert {*found.in_place.design.indexes} <= {replace(each, serves=()) for each in made.proposal.design.indexes}
    assert not [name for change in made.changes for name in change.gone if "phone" in name or "person_id" in name]
    plan = pipeline.plan_migration(found.in_place, made.proposal, database)
    assert plan.indexes_dropped == ()
    before = _told(database)
    assert pipeline.migrate(found.in_place, made.proposal, database, cutover=True).phase is Phase.DONE
    for name, indexes in before.items():
        assert indexes.items() <= database[name].index_information().items()


@pytest.mark.thorough
def test_a_new_index_finds_a_name(address: str, database: Documents) -> None:
    """Where one of some documents or of another collation has the usual name, both are there; the plan says so."""
    found = in_place(address).in_place
    new = _with(found, Index("payments", (("code", 1),)), Index("people", (("name", 1),)))
    plan = pipeline.plan_migration(found, new, database)
    assert {
        "payments: code, named `code_1_2`, because another index has the usual name",
        "people: name, named `name_1_2`, because another index has the usual name",
    } <= set(plan.indexes_built)
    before = _told(database)
    assert pipeline.migrate(found, new, database).phase is Phase.READY
    assert not pipeline.plan_migration(found, new, database).indexes_built
    assert pipeline.migrate(found, new, database, cutover=True).phase is Phase.DONE
    for name, indexes in before.items():
        assert indexes.items() <= database[name].index_information().items()
    assert set(database["payments"].index_information()["code_1_2"]) == {"v", "key"}


def test_an_index_that_is_unique_does_the_work(address: str, database: Documents) -> None:
    """One over all documents, be it unique: no second one is built."""
    found = in_place(address).in_place
    database["payments"].drop_index("code_1")
    database["payments"].create_index("code", unique=True, name="codes")
    new = _with(found, Index("payments", (("code", 1),)), Index("people", (("name", -1),)))
    plan = pipeline.plan_migration(found, new, database)
    assert not [each for each in plan.indexes_built if "code" in each]
    assert pipeline.migrate(found, new, database, cutover=True).phase is Phase.DONE
    assert [name for name in database["payments"].index_information() if "code" in name] == ["codes"]


@pytest.mark.thorough
def test_what_is_aborted_leaves_no_index(address: str, database: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a unique one either, also where a run ended while it built them; what was there before stays."""
    found = in_place(address).in_place
    new = _with(found, Index("payments", (("code", 1),), unique=True), Index("people", (("name", 1), ("phone", 1))))
    before = _told(database)
    assert pipeline.migrate(found, new, database).phase is Phase.READY
    assert "code_1_unique" in database["payments"].index_information()
    dropped = abort_migration(database).indexes
    assert {each.name for each in dropped} >= {"code_1_unique", "name_1_phone_1"}
    assert _told(database) == before

    def half(_: Documents, commands: Sequence[CreateIndex]) -> None:
        create_indexes(database, [each for each in commands if each.name == "code_1_unique"])
        raise LoadError(Problem("the connection was lost"))

    database["people"].create_index([("name", 1), ("phone", 1)], name="own")
    before = _told(database)
    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(migrating, "create_indexes", half)
            with pytest.raises(LoadError):
                pipeline.migrate(found, new, database)
    assert {each.name for each in abort_migration(database).indexes} >= {"code_1_unique"}
    assert _told(database) == before


@pytest.mark.thorough
def test_an_index_that_cannot_be_built_has_a_next_move(address: str, database: Documents) -> None:
    """Whatever the server says."""
    found = in_place(address).in_place
    database["payments"].insert_one({"_id": 1000, "type": ["b"], "code": ["x", "y"]})
    new = _with(found, Index("payments", (("type", 1), ("code", 1))))
    with pytest.raises(LoadError, match="parallel arrays") as caught:
        pipeline.migrate(found, new, database)
    assert "remove the index from the design" in (caught.value.problems[0].next_move or "")


def test_a_default_collation_is_every_index_s(database: Documents, mongod: Server) -> None:
    """What an abort drops, and which index does another's work, is seen with the collation a collection's indexes inherit."""
    database.create_collection("people", collation={"locale": "en", "strength": 2})
    database["people"].insert_many(
        [{"_id": i, "name": f"n{i}", "code": f"c{i}", "city": f"t{i % 9}"} for i in range(99)]
    )
    database["people"].create_index("name")
    database["people"].create_index("city", collation={"locale": "simple"})
    found = in_place(f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true").in_place
    mine = (
        Index("people", (("name", 1),)),
        Index("people", (("code", 1),), unique=True),
        Index("people", (("city", 1),)),
    )
    others = (each for each in found.design.indexes if each.collection != "people")
    new = replace(found, design=replace(found.design, indexes=(*others, *mine)))
    before = database["people"].index_information()
    built = pipeline.plan_migration(found, new, database).indexes_built
    assert {each.partition(" (")[0].partition(",")[0] for each in built} == {"people: code", "people: city"}
    assert pipeline.migrate(found, new, database).phase is Phase.READY
    there = database["people"].index_information()
    assert {name: each.get("collation", {}).get("locale") for name, each in there.items()} == {
        "_id_": "en",
        "name_1": "en",
        "city_1": None,
        "city_1_2": "en",
        "code_1_unique": "en",
    }
    assert {each.name for each in abort_migration(database).indexes} == {"code_1_unique", "city_1_2"}
    assert database["people"].index_information() == before


def test_an_index_of_a_kind_stands_once(database: Documents, mongod: Server) -> None:
    """One of a field that only documents of one kind have is the design's, which would name the kind; not so one that leaves out
    documents of that kind, too.
    """
    fields = (("name", "topic"), ("uids", "names"), ("open", "waiting"))
    rooms = ({"_id": i, "t": "cdl"[i % 3], "at": i, **dict.fromkeys(fields[i % 3], i % 7)} for i in range(3_000))
    database["rooms"].insert_many(rooms)
    database["rooms"].create_index("open", sparse=True)
    today = in_place(
        f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true"
    ).in_place.design
    (index,) = today.indexes
    of_kind = replace(index, partial=(*index.partial, Clause("t", ClauseOperator.EQUAL, "l")), serves=("asked",))
    of_fewer = replace(of_kind, partial=(*of_kind.partial, Clause("waiting", ClauseOperator.EQUAL, 3)))
    made, lost = with_other_indexes(replace(today, indexes=(of_kind, of_fewer)), today)
    assert made.indexes == (replace(index, serves=("asked",)), of_fewer)
    assert not lost
