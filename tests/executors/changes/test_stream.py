"""The change stream reader: order, points to go on from, images, drops, and what it says when it cannot."""

from __future__ import annotations

from typing import Any

import pytest
from bson.timestamp import Timestamp
from pymongo.database import Database

from nestling.common.errors import HistoryLost, NoChangeStreams
from nestling.common.server_codes import NO_CHANGE_STREAMS
from nestling.executors.changes import (
    ChangeEvent,
    ChangeStream,
    EventKind,
    Watching,
    follow,
    keep_images,
    without_images,
)
from nestling.executors.changes.errors import changes_error
from nestling.executors.changes.fragments import Fragments
from nestling.executors.changes.pipeline import splits


def taken(stream: ChangeStream, count: int) -> list[ChangeEvent]:
    """So many changes, within a while."""
    found: list[ChangeEvent] = []
    for _ in range(40):
        found += stream.take(count - len(found), wait_seconds=0.25).changes
        if len(found) >= count:
            break
    return found


def test_changes_come_in_order_with_what_they_touched(database: Database[Any]) -> None:
    """Kinds, ids and paths; collections nobody asked for are not seen."""
    with follow(database, Watching(("a",))) as stream:
        database.a.insert_one({"_id": 1, "x": {"y": 1}, "n": [1, 2]})
        database.b.insert_one({"_id": 1})
        database.a.update_one({"_id": 1}, {"$set": {"x.y": 2, "n.1": 5}, "$unset": {"z": 1}})
        database.a.replace_one({"_id": 1}, {"x": 3, "z": 1})
        database.a.update_one({"_id": 1}, {"$unset": {"z": 1}})
        database.a.delete_one({"_id": 1})
        found = taken(stream, 5)
    kinds = [EventKind.INSERT, EventKind.UPDATE, EventKind.REPLACE, EventKind.UPDATE, EventKind.DELETE]
    assert [each.kind for each in found] == kinds
    assert {each.collection for each in found} == {"a"}
    assert {each.id for each in found} == {1}
    assert [each.changed for each in found] == [None, frozenset({"x.y", "n.1"}), None, frozenset({"z"}), None]


@pytest.mark.thorough
def test_updates_of_other_paths_do_not_come(database: Database[Any]) -> None:
    """Only those of the paths asked for, of what is in them, and of what is around them; array places do not matter."""
    touching = {"a": frozenset({"x.y", "n"})}
    with follow(database, Watching(("a", "b"), touching=touching)) as stream:
        database.a.insert_one({"_id": 1, "x": [{"y": {"z": 1}, "q": 1}], "n": 1, "nn": 1, "x.yy": 1})
        for number, path in enumerate(["x.0.q", "x.0.y.z", "nn", "n", "x.0.y", "x.0.yy", "x.0", "x"]):
            database.a.update_one(
                {"_id": 1}, {"$set": {path: {"y": {"z": number}} if path.startswith("x") else number}}
            )
        database.a.update_one({"_id": 1}, {"$unset": {"n": 1}})
        database.b.insert_one({"_id": 2})
        database.b.update_one({"_id": 2}, {"$set": {"q": 1}})
        found = taken(stream, 9)
    changed = [set(each.changed) for each in found if each.changed is not None]
    assert changed == [{"x.0.y.z"}, {"n"}, {"x.0.y"}, {"x.0"}, {"x"}, {"n"}, {"q"}]


@pytest.mark.thorough
def test_a_stream_goes_on_after_its_point(database: Database[Any]) -> None:
    """What was taken does not come again; what came in between does."""
    with follow(database, Watching(("a",))) as stream:
        database.a.insert_many([{"_id": number} for number in range(5)])
        first = taken(stream, 3)
        point = stream.point
    assert [each.id for each in first] == [0, 1, 2]
    database.a.insert_one({"_id": 5})
    with follow(database, Watching(("a",)), after=point) as stream:
        assert [each.id for each in taken(stream, 3)] == [3, 4, 5]


def test_a_stream_begins_at_a_time(database: Database[Any]) -> None:
    """What happened since then comes, whether or not anything comes later; its points are such as one can go on from."""
    database.a.insert_one({"_id": 0})
    time = database.client.admin.command("ping")["operationTime"]
    at = Timestamp(time.time, time.inc + 1)
    database.a.insert_many([{"_id": number} for number in range(1, 4)])
    with follow(database, Watching(("a",)), at=at) as stream:
        assert [each.id for each in taken(stream, 2)] == [1, 2]
        point = stream.point
    with follow(database, Watching(("a",)), after=point) as stream:
        assert [each.id for each in taken(stream, 1)] == [3]


def test_documents_before_the_change_come_where_they_are_kept(database: Database[Any]) -> None:
    """Images are kept from the moment they are asked for."""
    database.create_collection("a")
    database.a.insert_one({"_id": 1, "x": 1})
    assert without_images(database, ["a", "never made"]) == ("a",)
    assert keep_images(database, ["a"]) == ("a",)
    assert without_images(database, ["a"]) == ()
    with follow(database, Watching(("a",), before=True, after=True)) as stream:
        database.a.update_one({"_id": 1}, {"$set": {"x": 2}})
        database.a.delete_one({"_id": 1})
        update, delete = taken(stream, 2)
    assert update.before == {"_id": 1, "x": 1}
    assert delete.before == {"_id": 1, "x": 2}
    assert delete.after is None


def test_a_dropped_database_does_not_end_the_stream(database: Database[Any]) -> None:
    """The server's cursor ends; the stream goes on behind it."""
    database.a.insert_one({"_id": 1})
    with follow(database, Watching(("a",))) as stream:
        database.client.drop_database(database.name)
        gone = taken(stream, 3)
        database.a.insert_one({"_id": 2})
        (back,) = taken(stream, 1)
    assert [each.kind for each in gone] == [EventKind.DROP, EventKind.DROP_DATABASE, EventKind.INVALIDATE]
    assert (back.kind, back.id) == (EventKind.INSERT, 2)


def test_a_renamed_collection_is_told(database: Database[Any]) -> None:
    """Away from a name that matters, and to one."""
    database.a.insert_one({"_id": 1})
    with follow(database, Watching(("a",))) as stream:
        database.a.rename("b")
        database.b.rename("a")
        away, back = taken(stream, 2)
    assert (away.kind, away.collection, away.to) == (EventKind.RENAME, "a", "b")
    assert (back.kind, back.collection, back.to) == (EventKind.RENAME, "b", "a")


def test_a_point_no_server_knows_is_lost_history(database: Database[Any]) -> None:
    """A resume token that leads nowhere is said so."""
    from nestling.executors.changes import HistoryPoint

    with (
        pytest.raises(HistoryLost, match="resume point"),
        follow(database, Watching(("a",)), after=HistoryPoint({"_data": "FF"})),
    ):
        pass


def test_a_standalone_server_is_told_how_to_become_a_replica_set() -> None:
    """The error names the option and the command."""
    from pymongo.errors import OperationFailure

    found = changes_error(OperationFailure("only supported on replica sets", NO_CHANGE_STREAMS), "shop")
    assert isinstance(found, NoChangeStreams)
    assert "--replSet" in str(found)
    assert "rs.initiate()" in str(found)


def test_fragments_of_a_large_event_become_one() -> None:
    """The fields of all, under the token of the last."""
    fragments = Fragments()
    first = {"_id": 1, "splitEvent": {"fragment": 1, "of": 2}, "operationType": "update", "fullDocument": {"x": 1}}
    last = {"_id": 2, "splitEvent": {"fragment": 2, "of": 2}, "fullDocumentBeforeChange": {"x": 0}}
    assert fragments.whole(first) is None
    whole = fragments.whole(last)
    assert whole is not None
    assert whole["_id"] == 2
    assert (whole["fullDocument"], whole["fullDocumentBeforeChange"]) == ({"x": 1}, {"x": 0})
    assert fragments.whole({"_id": 3}) == {"_id": 3}


@pytest.mark.parametrize(
    ("version", "can"), [((6, 0, 5), False), ((6, 0, 9), True), ((6, 3, 2), False), ((7, 0, 0), True)]
)
def test_only_some_servers_split_large_events(version: tuple[int, ...], can: bool) -> None:
    """From 6.0.9 and 7.0 on."""
    assert splits(version) is can
