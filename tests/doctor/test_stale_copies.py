"""The command that brings copies up to date writes them, and nothing else an application changes meanwhile."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from nestling.executors.facts import copied_values
from nestling.executors.facts.drawing import HASH_UP_TO
from tests.doctor.looking import found, look
from tests.doctor.shell import run

POSTS, USERS = 3_000, 200
Db = Database[dict[str, Any]]


def _repair(database: Db) -> str:
    """The command of the one stale copy there is."""
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    _, command = finding.commands
    return command


def test_flags_of_the_same_name_are_no_copies(database: Db) -> None:
    """A comment's flag or state is its own, however often it equals the post's; a title that does so is the post's."""
    database.posts.insert_many(
        {"_id": n, "is_deleted": n % 20 == 0, "status": "open" if n % 3 else "shut", "title": f"title {n}"}
        for n in range(500)
    )
    for user in range(300):
        numbers = [user * 4 + k for k in range(4)]
        database.users.insert_one(
            {
                "_id": user,
                "comments": [
                    {
                        "id": n,
                        "post_id": n * 7 % 500,
                        "is_deleted": n % 33 == 0,
                        "status": "open" if n % 4 else "shut",
                        "title": f"title {n * 7 % 500}" if n % 9 else "old",
                    }
                    for n in numbers
                ],
            }
        )
    assert [each.path for each in found(look(database)) if each.rule == "stale-copy"] == ["comments[].title"]


def test_writes_beside_the_repair_are_kept(database: Db) -> None:
    """Elements pushed, and siblings of the copy changed, while the command runs, are all there afterwards."""
    database.users.insert_many({"_id": n, "name": f"user {n}"} for n in range(USERS))
    database.posts.insert_many(
        {"_id": n, "user": {"_id": n % USERS, "name": f"user {n % USERS}" if n % 3 else "old", "seen": 0}, "tags": []}
        for n in range(POSTS)
    )
    command, done, pushed = _repair(database), Event(), Counter[int]()

    def push() -> None:
        while not done.is_set():
            number = pushed.total() * 37 % POSTS
            database.posts.update_one({"_id": number}, {"$push": {"tags": "new"}, "$inc": {"user.seen": 1}})
            pushed[number] += 1

    writer = Thread(target=push)
    writer.start()
    try:
        for _ in range(5):
            database.posts.update_many({"_id": {"$mod": [3, 0]}}, {"$set": {"user.name": "old"}})
            run(database.client, command)
    finally:
        done.set()
        writer.join()
    assert pushed
    kept = {each["_id"]: (len(each["tags"]), each["user"]["seen"]) for each in database.posts.find()}
    assert kept == {number: (pushed[number], pushed[number]) for number in range(POSTS)}
    assert not database.posts.count_documents({"user.name": "old"})


def test_a_key_of_any_name_is_followed(database: Db) -> None:
    """Where the reference holds another key than `_id`, the copy is brought up to what that key's document says."""
    database.users.insert_many({"_id": n + 1, "user_id": n, "name": f"user {n}"} for n in range(USERS))
    database.posts.insert_many(
        {"_id": f"p{n}", "user_id": n % USERS, "user_name": f"user {n % USERS}" if n % 5 else "old"} for n in range(600)
    )
    database.posts.insert_one({"_id": "bare", "user_id": 3})
    run(database.client, _repair(database))
    assert not database.posts.count_documents({"user_name": "old"})
    assert all(each["user_name"] == f"user {each['user_id']}" for each in database.posts.find({"_id": {"$ne": "bare"}}))
    assert database.posts.find_one({"_id": "bare"}) == {"_id": "bare", "user_id": 3}


@pytest.mark.thorough
def test_copies_in_documents_beside_the_reference_are_found(database: Db) -> None:
    """`item.name` beside `item_id` is a copy as `item_name` is, in arrays too; its command keeps what else is in there."""
    database.items.insert_many({"_id": f"i{n}", "name": f"item {n}", "price": n} for n in range(90))
    database.sales.insert_many(
        {
            "_id": n,
            "item_id": f"i{n % 90}",
            "item": {"name": f"item {n % 90}" if n % 9 else "old", "note": n},
            "lines": [
                {"item_id": f"i{at}", "item": {"name": f"item {at}" if n % 7 else "old"}} for at in (n % 90, n % 45)
            ],
        }
        for n in range(270)
    )
    stale = {each.path: each for each in found(look(database)) if each.rule == "stale-copy"}
    assert set(stale) == {"item.name", "lines[].item.name"}
    for finding in stale.values():
        run(database.client, finding.commands[-1])
    assert all(
        each["item"] == {"name": f"item {each['_id'] % 90}", "note": each["_id"]} for each in database.sales.find()
    )
    assert not [each for each in found(look(database)) if each.rule == "stale-copy"]


@pytest.mark.parametrize(("stale", "is_copy"), [(50, True), (51, False)])
def test_half_of_the_values_are_equal_in_a_copy(stale: int, is_copy: bool, database: Db) -> None:
    """Where fewer are, the field has a name like that of a copy and is none."""
    database.makers.insert_many({"_id": n, "name": f"maker {n}"} for n in range(100))
    database.things.insert_many(
        {"_id": n, "maker_id": n, "maker_name": f"maker {n}" if n >= stale else f"other {n}"} for n in range(100)
    )
    told = {each.path: each.number for each in found(look(database)) if each.rule == "stale-copy"}
    assert told == ({"maker_name": stale} if is_copy else {})


@pytest.mark.parametrize("inside", ["product", "product_async"])
def test_copies_beside_a_compound_id_are_found(inside: str, database: Db) -> None:
    """As a junction's documents have them: the references are its `_id`, and what is copied lies beside that."""
    database.product.insert_many({"_id": n, "name": f"product {n}", "price": 1.5 * n} for n in range(240))
    database.product_category.insert_many(
        {
            "_id": {"product_id": n % 240, "category_id": n // 240},
            inside: {"name": f"product {n % 240}" if n > 20 else "old"},
        }
        for n in range(480)
    )
    command = _repair(database)
    run(database.client, command)
    assert not database.product_category.count_documents({f"{inside}.name": "old"})
    assert not [each for each in found(look(database)) if each.rule == "stale-copy"]


def test_all_copies_are_compared(database: Db) -> None:
    """One stale copy in 4,000 is found every time, and the numbers are those of all documents."""
    database.users.insert_many({"_id": n, "name": f"user {n}"} for n in range(USERS))
    database.posts.insert_many(
        {"_id": n, "user_id": n % USERS, "user_name": f"user {n % USERS}" if n != 2_345 else "old"}
        for n in range(4_000)
    )
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    assert finding.message == "1 of 4,000 copies of `users.name` differs: < 1 %"


@pytest.mark.thorough
def test_a_sample_of_copies_is_the_same_on_every_run(database: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of larger collections a sample is compared: the numbers stay while the documents do, and the finding calls it a sample."""
    monkeypatch.setattr(copied_values, "WHOLE_UP_TO_BYTES", 1_000)
    monkeypatch.setattr(copied_values, "SAMPLED", 500)
    database.users.insert_many({"_id": n, "name": f"user {n}"} for n in range(USERS))
    database.posts.insert_many(
        {"_id": n, "user_id": n % USERS, "user_name": f"user {n % USERS}" if n % 5 else "old"} for n in range(4_000)
    )
    for most in (HASH_UP_TO, 1_000):
        monkeypatch.setattr(copied_values, "HASH_UP_TO", most)
        (one, *_), (two, *_) = (look(database).copies for _ in range(2))
        assert one == two
        assert not one.whole
        assert 250 <= one.checked <= 1_000
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    assert "in a sample differ" in finding.message


def _shown(database: Db) -> list[dict[str, Any]]:
    """What the one command of the one stale copy shows; it writes nothing."""
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    (command,) = finding.commands
    assert "{$merge:" not in command
    shown: list[dict[str, Any]] = run(database.client, command)
    return shown


def test_a_text_that_is_a_number_is_equal_to_that_number(database: Db) -> None:
    """`"12.50"`, 12.5 and its decimal say the same of a product; two texts are compared to the letter."""
    prices = [12.5, "12.50", Decimal128("12.5"), "12.5"]
    database.products.insert_many({"_id": n, "code": f"1{n}.0", "price": prices[n % 4]} for n in range(80))
    database.stock.insert_many(
        {"_id": n, "product_id": n % 80, "product_price": prices[n % 3], "product_code": f"1{n % 80}.0" if n else "10"}
        for n in range(400)
    )
    copies = {each.target_field: each for each in look(database).copies}
    assert (copies["price"].checked, copies["price"].equal) == (400, 400 - _unlike_texts(prices))
    assert (copies["code"].checked, copies["code"].equal) == (400, 399)


def _unlike_texts(prices: list[Any]) -> int:
    """How many of the copies are texts that differ to the letter from a text."""
    pairs = [(prices[n % 3], prices[n % 80 % 4]) for n in range(400)]
    return sum(isinstance(mine, str) and isinstance(theirs, str) and mine != theirs for mine, theirs in pairs)


@pytest.mark.thorough
def test_no_command_copies_values_of_several_types(database: Db) -> None:
    """Where the source holds texts beside numbers, it gets one type first: a copy would take each as it is."""
    database.products.insert_many({"_id": n, "size": n + 0.5 if n % 10 else f"{n}.5"} for n in range(100))
    database.stock.insert_many(
        {"_id": n, "product_id": n % 100, "product_size": n % 100 + 0.5 if n % 50 else 0.1} for n in range(900)
    )
    findings = found(look(database))
    (stale,) = [each for each in findings if each.rule == "stale-copy"]
    assert stale.number == 18
    assert stale.remedy.startswith("First give `products.size` one type")
    assert len(_shown(database)) >= 18
    (mixed,) = [each for each in findings if each.rule == "mixed-types"]
    for command in (*mixed.commands, _repair_after(database, mixed.commands)):
        run(database.client, command)
    assert not database.stock.count_documents({"product_size": {"$not": {"$type": "double"}}})
    assert not [each for each in found(look(database)) if each.rule == "stale-copy"]


def _repair_after(database: Db, commands: tuple[str, ...]) -> str:
    for command in commands:
        run(database.client, command)
    return _repair(database)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("collection", "date", "copy"),
    [
        ("orders", "placedAt", {"product_price": 7}),
        ("orders", "placedAt", {"product_title": "old"}),
        ("visits", "visitedOn", {"product_title": "old"}),
        ("listings", "createdAt", {"product_price": 7}),
    ],
)
def test_a_copy_of_a_moment_is_asked_about(database: Db, collection: str, date: str, copy: dict[str, Any]) -> None:
    """An amount in a document with a date, and any field of an event: no command writes, both answers are given."""
    ((field, old),) = copy.items()
    source = field.removeprefix("product_")
    made = [{"_id": n, "price": n + 10, "title": f"thing {n}"} for n in range(50)]
    database.products.insert_many(made)
    database[collection].insert_many(
        {
            "_id": n,
            "product_id": n % 50,
            field: made[n % 50][source] if n % 20 else old,
            date: datetime(2024, 1, 1 + n % 28, tzinfo=UTC),
        }
        for n in range(400)
    )
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    assert "If the copy records its source at some moment" in finding.remedy
    assert "If it is to follow its source," in finding.remedy
    assert {each["_id"] for each in _shown(database)} == {*range(0, 400, 20)}


def test_prices_of_order_lines_are_asked_about_without_a_date(database: Db) -> None:
    """An amount in a line is what was agreed on."""
    database.products.insert_many({"_id": n, "price": n + 10} for n in range(50))
    database.baskets.insert_many(
        {"_id": n, "lines": [{"product_id": n % 50, "price": n % 50 + 10 if n % 20 else 7}]} for n in range(400)
    )
    assert [each["_id"] for each in _shown(database)] == [*range(0, 400, 20)]


def test_a_copy_beside_a_date_of_the_record_is_mended(database: Db) -> None:
    """When a document was created says nothing of its copies: the first command shows them, the second mends them."""
    database.users.insert_many({"_id": n, "name": f"user {n}"} for n in range(50))
    database.posts.insert_many(
        {
            "_id": n,
            "user_id": n % 50,
            "user_name": f"user {n % 50}" if n % 20 else "old",
            "createdAt": datetime(2024, 1, 1, tzinfo=UTC),
        }
        for n in range(400)
    )
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    show, mend = finding.commands
    assert [each["_id"] for each in run(database.client, show)] == [*range(0, 400, 20)]
    run(database.client, mend)
    assert not database.posts.count_documents({"user_name": "old"})


def test_a_source_without_the_field_makes_no_copy_stale(database: Db) -> None:
    """Members of a room without a name have a name of their own: what differs is what the command shows."""
    database.rooms.insert_many({"_id": n} | ({"name": f"room {n}"} if n % 4 else {}) for n in range(200))
    database.members.insert_many(
        {"_id": n, "room_id": n % 200, "room_name": f"room {n % 200}" if n % 4 else f"user {n}"} for n in range(2_000)
    )
    assert [each for each in found(look(database)) if each.rule == "stale-copy"] == []
    database.members.update_many({"_id": {"$lte": 10}}, {"$set": {"room_name": "old"}})
    (finding,) = [each for each in found(look(database)) if each.rule == "stale-copy"]
    assert finding.number == len(run(database.client, finding.commands[0])) == 8
