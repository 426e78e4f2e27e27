"""How estimates of statements that resemble each other stand to one another, whatever the numbers are."""

from __future__ import annotations

from math import log2

import pytest

from nestling.ir.design import Design
from tests.planner.work.town import (
    A_CITY,
    BIO_BYTES,
    PEOPLE,
    PETS,
    PETS_EACH,
    WITH_NICK,
    apart,
    grown,
    inside,
    of_people,
    people,
    work,
)

CITY, CITY_RANK = of_people("city"), of_people("city", "rank")
JOIN = "SELECT pet.kind, person.rank FROM person JOIN pet ON pet.owner = person.id"
STATEMENTS = (
    "SELECT bio FROM person WHERE id = 7",
    "SELECT bio FROM person WHERE city = 5",
    "SELECT bio FROM person WHERE city = 5 AND rank > 10 ORDER BY nick",
    "SELECT bio FROM person WHERE city IN (5, 6) OR rank = 3",
    "SELECT city, COUNT(*) AS n FROM person GROUP BY city ORDER BY n DESC LIMIT 3",
    "SELECT DISTINCT rank FROM person",
    f"{JOIN} WHERE person.city = 5",
    f"{JOIN} ORDER BY person.rank LIMIT 10",
    "SELECT x.id FROM (SELECT id, row_number() OVER (PARTITION BY city ORDER BY rank) AS n FROM person) x WHERE x.n = 1",
    "SELECT p.id, q.id AS other FROM pet p JOIN pet q ON q.owner = p.owner AND q.kind = p.kind",
    "SELECT p.id, q.id AS other FROM pet p LEFT JOIN pet q ON q.owner = p.owner AND q.kind > p.kind",
    "SELECT p.id, q.id AS other FROM person p JOIN person q ON q.nick = p.nick AND q.city = p.city",
    "SELECT rank, (SELECT MAX(kind) FROM pet WHERE pet.owner = person.id) AS most FROM person",
    "SELECT rank FROM person WHERE city = 5 UNION ALL SELECT kind FROM pet WHERE owner = 5",
    "SELECT rank FROM person WHERE EXISTS (SELECT 1 FROM pet WHERE pet.owner = person.id AND pet.kind = 2)",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("design", [apart(), apart(CITY_RANK), inside(), inside(CITY)])
@pytest.mark.parametrize("sql", STATEMENTS)
def test_more_rows_are_no_less_work(sql: str, design: Design) -> None:
    """Ten times the people with as many cities and ranks: no quantity becomes less, and none is below nothing."""
    before, after = work(sql, design), work(sql, design, statistics=grown(10))
    assert min(before) >= 0
    assert [name for name, one, other in zip(before._fields, before, after, strict=True) if one > other * 1.0001] == []


@pytest.mark.parametrize("sql", STATEMENTS)
def test_an_index_adds_no_rows(sql: str) -> None:
    """What a statement answers is the same by any index, and by none. In arrays too, but that these tell how pets fall together:
    of the pets of a kind some have the same owner.
    """
    plain = work(sql, apart())
    for design in (apart(CITY), apart(CITY_RANK, of_people("rank"))):
        assert work(sql, design).results == pytest.approx(plain.results)
    for design in (inside(), inside(CITY)):
        assert work(sql, design).results == pytest.approx(plain.results, rel=0.1 if "EXISTS" in sql else 0.001)


def test_a_further_condition_leaves_no_more() -> None:
    """A range beside an equality keeps its share of what that leaves, and costs a test of each document."""
    one, both = people("WHERE city = 5", CITY), people("WHERE city = 5 AND rank < :n", CITY, values={"n": 100})
    assert both.results == pytest.approx(one.results / 10, rel=0.02)
    assert both.documents == one.documents
    assert both.tests > one.tests == 0


def test_the_first_few_in_order_are_held_not_all() -> None:
    """All people are read for either; to hold eight of them each is compared with three, not with thirteen and more."""
    every, eight = people("ORDER BY rank"), people("ORDER BY rank LIMIT 8")
    assert every.scanned == eight.scanned == PEOPLE
    assert (every.sorted, eight.sorted) == pytest.approx((PEOPLE * log2(PEOPLE), PEOPLE * 3))
    assert (every.results, eight.results) == (PEOPLE, 8)


def test_what_is_skipped_is_read_all_the_same() -> None:
    """A page that begins after ninety rows reads these too, and sends none of them."""
    page = people("LIMIT 10 OFFSET 90")
    assert (page.scanned, page.results) == pytest.approx((100, 10))


def test_a_lookup_for_each_outer_row_that_is_left() -> None:
    """A city's people are a hundred queries, each of which finds three pets by their owner; inside nothing is looked up."""
    by_lookup, by_unwind = (work(f"{JOIN} WHERE person.city = 5", make(CITY)) for make in (apart, inside))
    pets = A_CITY * PETS_EACH
    assert (by_lookup.lookups, by_lookup.index_seeks) == pytest.approx((A_CITY, A_CITY + 1))
    assert by_lookup.documents == by_lookup.keys == pytest.approx(A_CITY + pets)
    assert (by_unwind.lookups, by_unwind.documents, by_unwind.elements) == pytest.approx((0, A_CITY, pets))
    assert by_lookup.results == by_unwind.results == pytest.approx(pets)
    assert work(JOIN, apart()).lookups == pytest.approx(PEOPLE)


def test_a_join_that_only_its_key_is_asked_of_is_none() -> None:
    """A pet always has its owner, and has its id: nobody looks it up."""
    found = work("SELECT pet.kind, person.id FROM pet JOIN person ON person.id = pet.owner", apart())
    assert (found.lookups, found.scanned) == (0, PETS)


def test_a_wide_row_is_more_to_read_and_send_not_to_find() -> None:
    """A person's text makes an answer longer by as much for each row; the documents read are the same."""
    narrow, wide = people("WHERE city = 5", CITY, what="rank"), people("WHERE city = 5", CITY, what="rank, bio")
    assert wide.sent_bytes - narrow.sent_bytes == pytest.approx(A_CITY * BIO_BYTES, rel=0.05)
    assert (wide.documents, wide.read_bytes) == (narrow.documents, narrow.read_bytes)
    assert (narrow.values, wide.values) == pytest.approx((A_CITY, 2 * A_CITY))


@pytest.mark.parametrize(
    ("condition", "share"),
    [
        ("nick IS NULL", 1 - WITH_NICK),
        ("nick IS NOT NULL", WITH_NICK),
        ("nick <> 'a'", WITH_NICK),
        ("NOT nick = 'a'", WITH_NICK),
        ("nick IS NOT 'a'", 1.0),
        ("NOT nick IS NOT 'a'", 0.0),
        ("NOT nick IS 'a'", 1.0),
        ("nick = 'a' OR nick IS NULL", 1 - WITH_NICK),
    ],
)
def test_what_is_null_equals_and_differs_from_nothing(condition: str, share: float) -> None:
    """Four in ten people have no nickname: a comparison is true of none of them; that a value is there is never unknown."""
    assert people(f"WHERE {condition}").results == pytest.approx(PEOPLE * share, abs=2)


def test_groups_are_no_more_than_rows_nor_than_values() -> None:
    """Ten thousand people in a hundred cities, in a hundred thousand pairs of city and rank: of these they have most once."""
    cities, pairs = (people(f"GROUP BY {keys}", what=f"{keys}, COUNT(*) AS n") for keys in ("city", "city, rank"))
    assert cities.results == pytest.approx(100)
    assert pairs.results == pytest.approx(100_000 * (1 - (1 - 1 / 100_000) ** PEOPLE), rel=0.001)
    assert cities.grouped == pairs.grouped == PEOPLE
