"""Fields that repeat other rows: copies where all documents agree, and data of their own where one does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.emitters.field_searches.unknown_fields import unknown_fields
from nestling.executors.found_fields import find_fields
from nestling.executors.read import read_rows
from nestling.ir.primitives import Computed, Copy
from nestling.pipeline import home_queries
from nestling.sources.mongo import LiveDatabase

Documents = Database[dict[str, Any]]
ODD = "was called so"


def found_in(mongod: Server, database: Documents) -> LiveDatabase:
    """What `inspect` makes of it."""
    return pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"))


def derived(found: LiveDatabase) -> Iterator[Copy | Computed]:
    """What today's design derives from other rows."""
    for store in found.in_place.design.stores:
        for node in store.nodes():
            yield from node.body.copies
            yield from node.body.computed


def values(found: LiveDatabase, database: Documents) -> set[object]:
    """Every value of every row of the model."""
    design = found.in_place.design
    queries = home_queries(design)
    rows = (read_rows(database, queries[each.name], each) for each in design.model.entities)
    return {value for each in rows for row in each for value in row}


def users(database: Documents) -> None:
    """Those that the documents below refer to."""
    database.users.insert_many([{"_id": n, "name": f"name {n}", "email": f"u{n}@example.org"} for n in range(40)])


def beside(database: Documents) -> None:
    """A field beside the reference."""
    users(database)
    orders = [{"_id": n, "user_id": n % 40, "user_email": f"u{n % 40}@example.org"} for n in range(400)]
    database.orders.insert_many(orders)


def with_the_id(database: Documents) -> None:
    """A sub-document with the reference and what is copied."""
    users(database)
    orders = [{"_id": n, "user": {"_id": n % 40, "name": f"name {n % 40}"}} for n in range(400)]
    database.orders.insert_many(orders)


def without_the_id(database: Documents) -> None:
    """A sub-document of copies beside the reference."""
    users(database)
    copied = [{"name": f"name {n}", "email": f"u{n}@example.org"} for n in range(40)]
    database.orders.insert_many([{"_id": n, "user_id": n % 40, "user": copied[n % 40]} for n in range(400)])


def in_elements(database: Documents) -> None:
    """A field of elements of an array."""
    database.products.insert_many([{"_id": n, "name": f"name {n}"} for n in range(40)])
    lines = [{"line": n, "product_id": n, "product_name": f"name {n}"} for n in range(40)]
    database.orders.insert_many([{"_id": n, "lines": [lines[n % 40], lines[(n + 7) % 40]]} for n in range(400)])


def arrays(database: Documents) -> None:
    """An array of the rows that refer to its document."""
    reviews = [{"_id": n, "product_id": n // 3, "text": f"text {n}"} for n in range(300)]
    database.reviews.insert_many(reviews)
    copied = [{"review_id": each["_id"], "text": each["text"]} for each in reviews]
    database.products.insert_many([{"_id": n, "reviews": copied[3 * n : 3 * n + 3]} for n in range(100)])


def counts(database: Documents) -> None:
    """The number of the rows that refer to its document."""
    database.reviews.insert_many(
        [{"_id": n, "product_id": p} for n, p in enumerate(p for p in range(100) for _ in range(p % 4))]
    )
    database.products.insert_many([{"_id": n, "review_count": n % 4} for n in range(100)])


CASES: dict[Callable[[Documents], None], tuple[str, dict[str, object], str]] = {
    beside: ("orders", {"user_email": ODD}, "orders.user_email"),
    with_the_id: ("orders", {"user.name": ODD}, "orders.user.name"),
    without_the_id: ("orders", {"user.name": ODD}, "orders.user.name"),
    in_elements: ("orders", {"lines.0.product_name": ODD}, "orders.lines[].product_name"),
    arrays: ("products", {"reviews.0.text": ODD}, "products.reviews"),
    counts: ("products", {"review_count": 77}, "products.review_count"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("write", CASES)
def test_what_all_documents_agree_on_is_a_copy(
    write: Callable[[Documents], None], mongod: Server, database: Documents
) -> None:
    """It is said what that means, and how to keep it as data."""
    write(database)
    found = found_in(mongod, database)
    assert [*derived(found)]
    _, _, path = CASES[write]
    (note,) = [each for each in found.reading.notes if f"`{path}`" in each]
    documents = database[path.split(".", maxsplit=1)[0]].count_documents({})
    assert f"in all of {documents} documents" in note
    assert "`migrate` derives again" in note
    assert "as independent data" in note


@pytest.mark.one_in(2)
@pytest.mark.parametrize("write", CASES)
def test_one_document_that_differs_makes_it_data(
    write: Callable[[Documents], None], mongod: Server, database: Documents
) -> None:
    """Its rows hold what the document holds, nothing of it is unknown to the design, and a note names it."""
    write(database)
    collection, odd, path = CASES[write]
    database[collection].update_one({"_id": 7}, {"$set": odd})
    found = found_in(mongod, database)
    (note,) = [each for each in found.reading.notes if f"`{path}`" in each]
    assert f"in 1 of {database[collection].count_documents({})} documents, such as _id 7" in note
    assert set(odd.values()) <= values(found, database)
    assert find_fields(database, unknown_fields(found.in_place.design)) == ()
    assert pipeline.check(found.in_place, database).clean


def test_a_value_without_a_source_makes_it_data(mongod: Server, database: Documents) -> None:
    """What only the copies still hold is a row's own; a copy beside it that is no such thing stays one."""
    beside(database)
    database.orders.update_many({}, [{"$set": {"user_name": {"$concat": ["name ", {"$toString": "$user_id"}]}}}])
    database.users.delete_many({"_id": {"$gte": 38}})
    database.orders.update_many({"user_id": {"$gte": 38}}, {"$unset": {"user_name": 1}})
    found = found_in(mongod, database)
    assert any("`orders.user_email`" in each and "in 20 of 400 documents" in each for each in found.reading.notes)
    assert "u39@example.org" in values(found, database)
    (copy,) = derived(found)
    assert isinstance(copy, Copy)
    assert [each.path for each in copy.attributes] == ["user_name"]


def test_a_copy_has_its_fields_as_documents_have_them(mongod: Server, database: Documents) -> None:
    """The design says them in the order of the first document; where others have another, `check` finds them right."""
    users(database)
    copied = [{"name": f"name {n}", "email": f"u{n}@example.org"} for n in range(40)]
    turned = [{name: each[name] for name in ("email", "name")} for each in copied]
    orders = [{"_id": n, "user_id": n % 40, "user": (turned if n % 3 == 1 else copied)[n % 40]} for n in range(400)]
    database.orders.insert_many(orders)
    found = found_in(mongod, database)
    (copy,) = [each for each in derived(found) if isinstance(each, Copy)]
    assert [field.path for field in copy.attributes] == ["name", "email"]
    report = pipeline.check(found.in_place, database)
    assert report.clean
    assert report.checked == 400


@pytest.mark.thorough
@pytest.mark.parametrize("stale", [0, 20, 60])
def test_copies_that_went_stale_are_noted(mongod: Server, database: Documents, stale: int) -> None:
    """Under another name and as a counter, while most agree: the note says in how many documents they differ."""
    users(database)
    made = [{"_id": n, "user_id": n % (1 + n % 31), "author": f"name {n % (1 + n % 31)}"} for n in range(400)]
    counts = Counter(each["user_id"] for each in made)
    for each in made[:stale]:
        each["author"] = ODD
    database.posts.insert_many(made)
    for n in range(40):
        database.users.update_one({"_id": n}, {"$set": {"post_count": counts[n] + (n < stale // 20)}})
    notes = " ".join(found_in(mongod, database).reading.notes)
    if not stale:
        assert "`posts.author` is `users.name` in 400 of 400 rows: a copy, or a coincidence" in notes
        assert "`users.post_count` is the number of rows of `posts` that refer to its document, in all of" in notes
    else:
        assert f"in {400 - stale} of 400 rows: a copy that is stale in {stale}, or a coincidence" in notes
        counted = f"refer to its row in {40 - stale // 20} of 40 rows: a counter that is off in {stale // 20}, or a coincidence"
        assert counted in notes


@pytest.mark.parametrize(("drifted", "said"), [(0, "a counter, or"), (7, "a counter that is off in 7, or")])
def test_a_counter_of_elements_is_noted(mongod: Server, database: Documents, drifted: int, said: str) -> None:
    """It stays data of its own: a note says what it looks like, and how often it differs."""
    sizes = [n * n % 11 for n in range(300)]
    database.threads.insert_many(
        {
            "_id": n,
            "comments": [{"at": 100 * n + m, "text": f"t{m}"} for m in range(size)],
            "comment_count": size + (n < drifted),
        }
        for n, size in enumerate(sizes)
    )
    found = found_in(mongod, database)
    assert not tuple(derived(found))
    (note,) = [each for each in found.reading.notes if "number of elements" in each]
    assert note.startswith(
        f"`threads.comment_count` is the number of elements of `threads.comments` in {300 - drifted} of 300"
    )
    assert said in note


def test_a_count_of_two_arrays_is_the_count_of_one(mongod: Server, database: Documents) -> None:
    """Where members are kept twice, as documents and in the users, their number follows from one of them."""
    pairs = [(room, user) for room in range(60) for user in range(80) if (room * 7 + user * 3) % (5 + room % 9) == 0]
    rooms, users = {room for room, _ in pairs}, range(80)
    members = [{"_id": n, "room_id": room, "user_id": user} for n, (room, user) in enumerate(pairs)]
    database.members.insert_many(members)
    counted = Counter(room for room, _ in pairs)
    database.rooms.insert_many(
        [{"_id": room, "member_count": counted[room], "users_count": counted[room]} for room in sorted(rooms)]
    )
    database.users.insert_many(
        [{"_id": user, "room_ids": [room for room, other in pairs if other == user]} for user in users]
    )
    found = found_in(mongod, database)
    assert {each.field for each in derived(found) if isinstance(each, Computed)} <= {"member_count", "users_count"}


def test_a_counter_that_counts_something_else_is_not_compared(mongod: Server, database: Documents) -> None:
    """A number of answers that leaves out the deleted ones is noted from the rows that were read, and is data of its own."""
    database.topics.insert_many({"_id": n, "answer_count": n % 7 if n % 6 else 0} for n in range(210))
    database.answers.insert_many({"topic_id": n, "text": "x"} for n in range(210) for _ in range(n % 7))
    compared: list[str] = []
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    found = pipeline.in_place(uri, watch=lambda what, *_: compared.append(what))
    assert not [*derived(found)]
    assert not [what for what in compared if what.startswith("comparing")]
    said = "`topics.answer_count` is the number of rows of `answers` that refer to its row in 180 of 210 rows"
    assert [note for note in found.reading.notes if note.startswith(said)]
