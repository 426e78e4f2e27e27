"""Stale copies whose names say nothing, and counters that drifted: found while most agree, and by chance alone never."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.finding import Finding
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]
SHOPS, PRODUCTS, REVIEWS = 60, 500, 3_000


def _shop(database: Db, stale: float) -> dict[str, int]:
    """A shop in which this share of the copies and of the counters is wrong; how many are, by their fields."""
    draw = random.Random(5)
    sellers = [{"_id": f"s{n}", "shopName": f"Shop {n}"} for n in range(SHOPS)]
    products: list[dict[str, Any]] = [
        {"_id": f"p{n}", "sellerId": f"s{draw.randrange(SHOPS)}"} for n in range(PRODUCTS)
    ]
    reviews = [{"_id": n, "productId": f"p{draw.randrange(PRODUCTS)}"} for n in range(REVIEWS)]
    counts, wrong = Counter(each["productId"] for each in reviews), Counter[str]()
    for each in products:
        is_stale, has_drifted = draw.random() < stale, draw.random() < stale
        each["merchant"] = "Old shop" if is_stale else f"Shop {each['sellerId'][1:]}"
        each["reviewCount"] = counts[each["_id"]] + has_drifted
        wrong.update(merchant=is_stale, reviewCount=has_drifted)
    database.sellers.insert_many(sellers)
    database.products.insert_many(products)
    database.reviews.insert_many(reviews)
    return dict(wrong)


def _wrong(database: Db) -> dict[str, Finding]:
    findings = found(look(database))
    return {each.path: each for each in findings if each.rule in ("stale-copy", "drifted-counter")}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("stale", [0.0, 0.01, 0.05, 0.1, 0.15])
def test_what_went_stale_is_found_shown_and_mended(database: Db, stale: float) -> None:
    """However few or many: the numbers are exact, the first command shows the documents, the second mends them and no others."""
    wrong = {field: number for field, number in _shop(database, stale).items() if number}
    findings = _wrong(database)
    assert {path: each.number for path, each in findings.items()} == wrong
    for path, finding in findings.items():
        show, mend = finding.commands
        assert len(run(database.client, show)) == wrong[path]
        run(database.client, mend)
    assert not _wrong(database)
    assert not database.products.count_documents({"merchant": "Old shop"})


@pytest.mark.thorough
def test_what_agrees_half_of_the_time_is_no_copy(database: Db) -> None:
    """Where a third is different, nobody knows that it ever was a copy."""
    _shop(database, 0.35)
    assert not _wrong(database)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(6))
def test_fields_that_agree_by_chance_are_no_copies(database: Db, seed: int) -> None:
    """Booleans, words of an enum, small counts, and fields that are nearly always the same, however often they agree."""
    draw = random.Random(seed)

    def fields() -> dict[str, Any]:
        return {
            "active": draw.random() < 0.95,
            "state": draw.choices(["new", "paid", "sent"], [90, 5, 5])[0],
            "stars": draw.choice([5, 5, 5, 5, 4]),
            "uses": 0 if draw.random() < 0.95 else draw.randrange(40),
            "note": "" if draw.random() < 0.95 else f"note {draw.randrange(10**6)}",
            "reviewCount": 0 if draw.random() < 0.9 else draw.randrange(3),
            "numReviews": draw.choice([0, 0, 0, 1]),
            "city": draw.choice(["Ulm", "Bonn", "Kiel", "Trier"]),
        }

    database.products.insert_many({"_id": f"p{n}", **fields()} for n in range(300))
    database.reviews.insert_many(
        {"_id": n, "productId": f"p{draw.randrange(300) if n % 20 == 0 else 7}"}
        | {f"{k}X": v for k, v in fields().items()}
        for n in range(1_500)
    )
    assert not _wrong(database)


def _threads(database: Db, draw: random.Random, wrong: float, kept: int = 1_000) -> int:
    """Documents that count the elements of their own array, of which so many are kept; how many count wrong."""
    drifted = 0
    threads = []
    for n in range(PRODUCTS):
        size, has_drifted = draw.randrange(9), draw.random() < wrong
        drifted += has_drifted
        comments = [{"by": f"u{draw.randrange(99)}", "text": f"t{n}-{m}"} for m in range(size)]
        threads.append({"_id": n, "comments": comments[:kept], "comment_count": size + has_drifted})
    database.threads.insert_many(threads)
    return drifted


@pytest.mark.thorough
def test_a_counter_of_elements_that_drifted_is_found_shown_and_mended(database: Db) -> None:
    """The array is in the document itself."""
    drifted = _threads(database, random.Random(7), 0.05)
    (finding,) = _wrong(database).values()
    assert (finding.path, finding.number) == ("comment_count", drifted)
    assert "counts the elements of `comments`" in finding.message
    show, mend = finding.commands
    assert len(run(database.client, show)) == drifted
    run(database.client, mend)
    assert not _wrong(database)


def test_a_counter_of_more_than_an_array_keeps_has_not_drifted(database: Db) -> None:
    """Where the array keeps the latest alone, only the longest arrays have fewer elements than the counter says."""
    _threads(database, random.Random(7), 0.0, kept=7)
    assert not _wrong(database)


@pytest.mark.parametrize("indexed", [False, True])
def test_counters_are_counted_in_one_pass_without_an_index(database: Db, indexed: bool) -> None:
    """No lookup for each document; the commands give the same, also for documents without rows."""
    _shop(database, 0.02)
    database.products.insert_one({"_id": "none", "sellerId": "s1", "merchant": "Shop 1", "reviewCount": 2})
    if indexed:
        database.reviews.create_index("productId")
    finding = _wrong(database)["reviewCount"]
    show, mend = finding.commands
    assert ("$lookup" in show) == indexed
    assert {"_id": "none", "was": 2, "now": 0} in run(database.client, show)
    run(database.client, mend)
    assert "reviewCount" not in _wrong(database)


def test_what_lookups_need_is_created_first(database: Db) -> None:
    """Copies and references by a key without an index: the first command creates it, and the remedy says so."""
    database.users.insert_many({"_id": n, "user_code": f"u{n:05}", "name": f"N{n}"} for n in range(1_500))
    database.orders.insert_many(
        {"_id": n, "user_code": f"u{n % 1_520:05}", "user_name": f"N{n % 1_520}" if n % 50 else "Old"}
        for n in range(3_040)
    )
    findings = {each.rule: each for each in found(look(database)) if each.rule in ("stale-copy", "dangling-reference")}
    assert set(findings) == {"stale-copy", "dangling-reference"}
    for each in findings.values():
        assert "`users` has no index on `user_code`" in each.remedy
        create, show, *_ = each.commands
        run(database.client, create)
        assert run(database.client, show)
    again = [each for each in found(look(database)) if each.rule in findings]
    assert not any("has no index" in each.remedy for each in again)


def test_a_counter_that_agrees_with_other_rows_has_not_drifted(database: Db) -> None:
    """Rooms count their members; that some users list other rooms makes no number of members wrong."""
    pairs = [(room, user) for room in range(300) for user in range(60) if (room * 7 + user * 3) % (5 + room % 9) == 0]
    counts = Counter(room for room, _ in pairs)
    database.members.insert_many({"_id": n, "room_id": room, "user_id": user} for n, (room, user) in enumerate(pairs))
    database.rooms.insert_many(
        {"_id": room, "users_count": counts[room], "members_count": counts[room]} for room in counts
    )
    database.users.insert_many(
        {"_id": user, "room_ids": [room for room, other in pairs if other == user and (room + user) % 90]}
        for user in range(60)
    )
    assert [each.message for each in found(look(database)) if each.rule == "drifted-counter"] == []
