"""What comes while rows are compared is carried over before writes are refused, and for how long they are is told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.executors.abilities import server_version
from nestling.executors.changes import READ_AHEAD
from nestling.executors.changes.pipeline import splits
from nestling.executors.migrate import migrating
from nestling.executors.migrate.compare import HomeDifferences, HomeViews
from nestling.executors.migrate.cutover import fence
from nestling.executors.migrate.follow import ChangeFollower, at_hand
from nestling.executors.migrate.state import MigrationState, States
from nestling.executors.moment import now
from nestling.pipeline.migrating import abort_migration
from nestling.sources.sql.shelf import SqliteShelf
from tests.executors.migrate.test_array_orders import designs

WRITES = 3 * migrating.NEAR


@pytest.mark.thorough
def test_hardly_anything_is_left_when_writes_are_refused(
    mongod: Server, database: Database[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many writes come during the first comparison: none of them waits for the fence."""
    database["orders"].insert_many(
        {"_id": n, "at": n, "lines": [{"line": k, "sku": f"s{k}"} for k in range(1, 4)]} for n in range(WRITES)
    )
    moves = designs(mongod, database)
    followers, carried = list[ChangeFollower](), list[int]()
    compare, drain = HomeViews.compare, ChangeFollower.drain

    def written_meanwhile(sides: HomeViews, entities: Any = None) -> HomeDifferences:
        found = compare(sides, entities)
        if not carried:
            for n in range(WRITES):
                database["orders"].update_one({"_id": n}, {"$set": {"at": -n}})
        return found

    def drained(follower: ChangeFollower) -> None:
        followers.append(follower)
        drain(follower)

    def fenced(job: Any, there: Any, states: States, state: MigrationState) -> MigrationState:
        carried.append(followers[-1].changes)
        return fence(job, there, states, state)

    monkeypatch.setattr(HomeViews, "compare", written_meanwhile)
    monkeypatch.setattr(ChangeFollower, "drain", drained)
    monkeypatch.setattr("nestling.executors.migrate.migrating.fence", fenced)
    told = list[str]()
    done = pipeline.migrate(*moves, database, cutover=True, watch=lambda what, *_: told.append(what))
    assert done.equal
    assert any(each.startswith(f"migrating changes: {WRITES - 1} carried over, about ") for each in told)
    assert carried == [WRITES - 1]  # of the first document nothing changed
    assert done.changes == WRITES - 1
    assert done.refused_seconds is not None
    assert 0 < done.refused_seconds < done.seconds


@pytest.mark.thorough
def test_without_a_cutover_nothing_is_refused(mongod: Server, database: Database[dict[str, Any]]) -> None:
    """There is no time to tell; the plan tells about how long it will be."""
    database["orders"].insert_many({"_id": n, "lines": [{"line": 1, "sku": "s"}]} for n in range(20))
    moves = designs(mongod, database)
    assert (pipeline.plan_migration(*moves, database).refused_seconds or 0) > 0
    assert pipeline.migrate(*moves, database).refused_seconds is None


def test_what_changes_are_derived_in_is_made_once(
    mongod: Server, database: Database[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changes that come one at a time are carried over one at a time, and find the tables of the first one; all arrive."""
    database["orders"].insert_many(
        {"_id": n, "at": n, "lines": [{"line": k, "sku": f"s{k}"} for k in range(1, 4)]} for n in range(20)
    )
    moves = designs(mongod, database)
    assert pipeline.migrate(*moves, database).equal
    made, drain, init = list[object](), ChangeFollower.drain, SqliteShelf.__init__
    numbers = iter(range(1, 6))

    def counted(shelf: SqliteShelf, *args: Any, **named: Any) -> None:
        made.append(shelf)
        init(shelf, *args, **named)

    def one_at_a_time(follower: ChangeFollower) -> None:
        for n in numbers:
            database["orders"].update_one({"_id": n}, {"$set": {"at": -n, "lines.0.sku": f"new {n}"}})
            drain(follower)
        drain(follower)

    monkeypatch.setattr(SqliteShelf, "__init__", counted)
    monkeypatch.setattr(ChangeFollower, "drain", one_at_a_time)
    done = pipeline.migrate(*moves, database, cutover=True)
    assert done.equal
    assert done.changes == 5
    assert len(made) == 2
    skus = database["lines"].distinct("sku")
    assert {f"new {n}" for n in range(1, 6)} < set(skus)


@pytest.mark.thorough
def test_a_change_too_large_to_be_told_ends_in_words(mongod: Server, database: Database[dict[str, Any]]) -> None:
    """A server that does not split events cannot tell both pictures of a large document: the way back is named, and open."""
    database["orders"].insert_many({"_id": n, "at": n, "lines": [{"line": 1, "sku": "s"}]} for n in range(20))
    moves = designs(mongod, database)
    assert pipeline.migrate(*moves, database).equal
    for letter in "ab":
        database["orders"].update_one({"_id": 7}, {"$set": {"lines": [{"line": 1, "sku": letter * 9_000_000}]}})
    if splits(server_version(database)):
        assert pipeline.migrate(*moves, database).equal
        return
    with pytest.raises(MigrationError, match=r"more than 8 MiB is too large .*\n  → end the migration with `--abort`"):
        pipeline.migrate(*moves, database)
    abort_migration(database)
    assert pipeline.migrate(*designs(mongod, database), database, cutover=True).equal


@pytest.mark.parametrize(
    ("behind", "seconds", "told"),
    [
        (3, None, "about 3 more at hand"),
        (3, 0, "about 3 more at hand"),
        (3, 65, "about 3 more at hand, written up to 65 s ago"),
        (READ_AHEAD, 65, "2,000 or more at hand, written up to 65 s ago"),
    ],
)
def test_it_is_told_how_far_behind_it_is(behind: int, seconds: float | None, told: str) -> None:
    """How many are held says nothing once that is as many as are ever held: how old the last one was does."""
    wall = None if seconds is None else now() - timedelta(seconds=seconds)
    assert at_hand(behind, wall) == told
