"""What indexes of a live database keep unique, or let expire, a new design keeps, or the plan says what is lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.primitives import Field
from nestling.ir.proposal import Proposal
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.pipeline.reversing import in_place, redesign

DAY = 86_400


@pytest.fixture
def live(database: Database[Any], mongod: Server) -> str:
    """Accounts, their posts and their sessions, with every kind of unique index there is; the profiler has seen reads."""
    accounts = ({"_id": i, "email": f"u{i}@x", "nick": f"n{i}", "login": f"l{i}"} for i in range(200))
    database["accounts"].insert_many(accounts)
    database["accounts"].create_index("email", unique=True)
    database["accounts"].create_index("nick", unique=True, sparse=True)
    database["accounts"].create_index("login", unique=True, partialFilterExpression={"login": {"$type": "string"}})
    at = datetime.now(UTC)
    database["sessions"].insert_many(
        {"_id": f"s{i}", "account_id": i % 200, "token": f"t{i}", "at": at} for i in range(300)
    )
    database["sessions"].create_index("at", expireAfterSeconds=DAY)
    database["sessions"].create_index("token", unique=True)
    posts = ({"_id": i, "n": i, "slug": f"p{i}", "account_id": i % 200, "tags": ["a", "b"]} for i in range(300))
    database["posts"].insert_many(posts)
    database["posts"].create_index("n", unique=True)
    database["posts"].create_index("slug", unique=True)
    database["posts"].create_index([("account_id", 1), ("slug", 1)], unique=True)
    database["posts"].create_index("tags")
    database.command("profile", 2)
    for i in range(50):
        list(database["posts"].find({"account_id": i}))
        database["accounts"].find_one({"_id": i})
        database["sessions"].find_one({"_id": f"s{i}"})
    database.command("profile", 0)
    return f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true"


def _kept(database: Database[Any], name: str) -> set[tuple[tuple[str, ...], int | None]]:
    """Fields of the unique and expiring indexes of a collection."""
    found = database[name].index_information()
    return {
        (tuple(field for field, _ in each["key"]), each.get("expireAfterSeconds"))
        for each in found.values()
        if each.get("unique") or "expireAfterSeconds" in each
    }


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["optimal", "normalized"])
def test_what_indexes_keep_outlives_a_cutover(strategy: str, live: str, database: Database[Any]) -> None:
    """The new design has them all; after it has taken over, the server refuses what it refused before."""
    found = in_place(live)
    better = redesign(found, strategy).proposal
    plan = pipeline.plan_migration(found.in_place, better, database)
    assert not [risk for risk in plan.risks if "no index" in risk or "goes" in risk]
    before = {name: _kept(database, name) for name in ("accounts", "posts", "sessions")}
    assert pipeline.migrate(found.in_place, better, database, cutover=True, may_lose=["indexes"]).equal
    for name, kept in before.items():
        assert _kept(database, name) >= kept
    for double in ({"email": "u1@x"}, {"email": "new", "nick": "n1"}, {"email": "new", "login": "l1"}):
        with pytest.raises(DuplicateKeyError):
            database.get_collection("accounts").insert_one({"_id": 999, **double})


@pytest.fixture
def one_without(database: Database[Any], mongod: Server) -> str:
    """Users of whom one has no email, and a unique index by which no second one may lack it; the profiler has seen reads."""
    database["users"].insert_many([{"_id": i, "email": f"u{i}@x", "name": f"n{i}"} for i in range(100)])
    database["users"].insert_one({"_id": 777, "name": "none"})
    database["users"].create_index("email", unique=True)
    database["users"].create_index("email", name="sparse", sparse=True)
    database.command("profile", 2)
    for i in range(50):
        database["users"].find_one({"email": f"u{i}@x"})
    database.command("profile", 0)
    return f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true"


def _renamed(proposal: Proposal) -> Proposal:
    """The same with a name stored by another one, so that the collection is built anew."""
    (users,) = proposal.design.collections
    renamed = replace(users, body=replace(users.body, fields=(Field("name", "called"),)))
    return replace(proposal, design=replace(proposal.design, collections=(renamed,)))


@pytest.mark.one_in(2)
@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("strategy", ["optimal", "normalized"])
@pytest.mark.parametrize("anew", [False, True])
def test_a_missing_value_stays_one_of_those_that_are_unique(
    strategy: str, anew: bool, one_without: str, database: Database[Any]
) -> None:
    """The index is in the new design as it is, over all documents, and the only unique one on its field that is built."""
    found = in_place(one_without)
    better = redesign(found, strategy).proposal
    better = _renamed(better) if anew else better
    assert [each for each in planned_indexes(better.design) if each.unique and each.partial] == []
    plan = pipeline.plan_migration(found.in_place, better, database)
    assert "users: email (unique)" not in plan.indexes_dropped
    assert not [risk for risk in plan.risks if "unique" in risk]
    assert pipeline.migrate(found.in_place, better, database, cutover=True, may_lose=["indexes"]).equal
    with pytest.raises(DuplicateKeyError):
        database["users"].insert_one({"_id": 778, "name": "none", "called": "none"})


def test_an_index_of_fewer_documents_is_a_risk(one_without: str, database: Database[Any]) -> None:
    """It does not keep what one over all of them does: `migrate` asks first, and the plan says what is left."""
    found = in_place(one_without)
    design = found.in_place.design
    (unique, *others) = design.indexes
    weak = replace(unique, partial=(Clause("email", ClauseOperator.PRESENT),))
    new = replace(found.in_place, strategy="by hand", design=replace(design, indexes=(weak, *others)))
    plan = pipeline.plan_migration(found.in_place, new, database)
    (told,) = (risk for risk in plan.risks if "keeps that email of `users` is unique today" in risk)
    assert "only where email is not null: the application must take care of the rest" in told
    with pytest.raises(MigrationError, match="email_1"):
        pipeline.migrate(found.in_place, new, database, cutover=True)


@pytest.mark.thorough
def test_what_no_index_can_keep_is_said(live: str, database: Database[Any]) -> None:
    """Embedded rows: by the design's notes, and by the plan."""
    found = in_place(live)
    made = redesign(found, "embedded").proposal
    assert (
        "no index keeps that rows of `sessions` go 86,400 s after at, as one does today: the application must do so instead"
        in made.notes
    )
    plan = pipeline.plan_migration(found.in_place, made, database)
    (told,) = (risk for risk in plan.risks if risk.startswith("no index of the new design keeps "))
    for lost in ("that token of `sessions` is unique", "that rows of `sessions` go 86,400 s after at"):
        assert lost in told


def test_an_index_no_design_knows_is_carried_over(live: str, database: Database[Any]) -> None:
    """It is carried over to the collection that is built anew, as all its fields are there."""
    database["accounts"].create_index(
        [("nick", 1), ("other", 1)], unique=True, partialFilterExpression={"other": {"$gt": 5}}
    )
    found = in_place(live)
    plan = pipeline.plan_migration(found.in_place, redesign(found, "embedded").proposal, database)
    assert "accounts: nick, other (unique; partial: some documents only)" in plan.indexes_built
    assert not [risk for risk in plan.risks if "nick_1_other_1" in risk]
