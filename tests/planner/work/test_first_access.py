"""How the server reads what a plan begins with: by which index, how much of it, and whether what comes is in order."""

from __future__ import annotations

from math import log2

import pytest

from nestling.ir.primitives import Index
from tests.planner.work.town import A_CITY, CITIES, PEOPLE, RANKS, of_people, people

CITY, CITY_RANK, RANK, NICK = of_people("city"), of_people("city", "rank"), of_people("rank"), of_people("nick")
CITY_ID = of_people("city", "_id")


def test_an_or_that_claims_an_order_reads_what_has_it() -> None:
    """By (city, _id) both sides come in order, and a whole city is read for each; by (city, rank) the first side would find a
    tenth of its city, but in another order. So what is not sorted has read two cities.
    """
    asked = "WHERE (city = 1 AND rank > 900) OR city = 2"
    in_order = people(f"{asked} ORDER BY id", CITY_ID, CITY_RANK)
    assert in_order.sorted == 0
    assert in_order.documents == pytest.approx(2 * A_CITY)
    anyhow = people(asked, CITY_ID, CITY_RANK)
    assert anyhow.documents == pytest.approx(1.1 * A_CITY, rel=0.01)


def test_an_or_one_side_of_which_has_no_order_is_sorted() -> None:
    """Rows of an OR can be merged only where each side comes in order."""
    asked = "WHERE city = 1 OR nick = 'a' ORDER BY rank LIMIT 10"
    merged = people(asked, CITY_RANK, of_people("nick", "rank"))
    assert (merged.sorted, merged.documents) == pytest.approx((0, 10))
    sorted_ = people(asked, CITY_RANK, NICK)
    assert sorted_.documents == pytest.approx(A_CITY + 1)
    assert sorted_.sorted == pytest.approx((A_CITY + 1) * log2(10))


def test_an_or_needs_an_index_for_each_side() -> None:
    """One side that no index serves has every document read; where both have one, a seek each finds what they keep."""
    asked = "WHERE city = 1 OR nick = 'a'"
    assert people(asked, CITY).scanned == PEOPLE
    found = people(asked, CITY, NICK)
    assert (found.scanned, found.index_seeks, found.documents) == pytest.approx((0, 2, A_CITY + 1))
    also = people("WHERE (city = 1 OR city = 2) AND nick = 'a'", CITY)
    assert also.documents == pytest.approx(2 * A_CITY)


def test_of_two_indexes_the_one_that_finds_fewer() -> None:
    """A rank has a tenth as many people as a city."""
    found = people("WHERE city = 5 AND rank = 7", CITY, RANK)
    assert found.documents == found.keys == pytest.approx(PEOPLE / RANKS)
    assert found.tests > 0


def test_an_index_serves_equality_before_a_range() -> None:
    """What comes after a range in an index does not narrow it: each entry of the range leads to a document that is then asked."""
    asked, values = "WHERE city = 5 AND rank < :n", {"n": 250}
    narrow, wide = (people(asked, of_people(*keys), values=values) for keys in (("city", "rank"), ("rank", "city")))
    assert narrow.documents == pytest.approx(A_CITY / 4, rel=0.01)
    assert wide.documents == pytest.approx(PEOPLE / 4, rel=0.01)
    assert narrow.results == pytest.approx(wide.results)
    assert (narrow.tests, wide.tests > 0) == (0, True)


@pytest.mark.parametrize("least", [0, 250, 500, 900, 1_000])
def test_a_range_reads_the_part_of_an_index_that_lies_in_it(least: int) -> None:
    """Ranks lie evenly from 0 to 1,000, so a range has as large a share of the people as of the ranks."""
    found = people("WHERE rank >= :least", RANK, values={"least": least})
    assert found.keys == found.documents == pytest.approx(PEOPLE * (1 - least / RANKS), abs=0.01 * PEOPLE)


def test_a_list_is_a_seek_each() -> None:
    """Three cities are three seeks and their people; a list of every city there is reads no more than all people."""
    three = people("WHERE city IN (1, 2, 3)", CITY)
    assert (three.index_seeks, three.keys, three.documents) == pytest.approx((3, 3 * A_CITY, 3 * A_CITY))
    every = people("WHERE city IN (:some)", CITY, values={"some": [*range(2 * CITIES)]})
    assert every.documents <= PEOPLE


def test_an_index_that_holds_all_is_cheaper() -> None:
    """The same entries are walked over, and no document is fetched; one field more has all of them fetched."""
    covered, fetched = (people("WHERE city = 5", CITY_RANK, what=what) for what in ("rank", "rank, bio"))
    assert covered.keys == fetched.keys == pytest.approx(A_CITY)
    assert (covered.documents, covered.read_bytes) == (0, 0)
    assert fetched.documents == pytest.approx(A_CITY)


@pytest.mark.parametrize(
    ("order", "is_sorted"),
    [
        ("rank", False),
        ("rank DESC", False),
        ("city, rank", False),
        ("city DESC, rank DESC", False),
        ("nick", True),
        ("rank, nick", True),
    ],
)
def test_an_index_has_one_order_read_from_either_end(order: str, is_sorted: bool) -> None:
    """Under one city its people come by rank; the city itself is the same for all of them."""
    found = people(f"WHERE city = 5 ORDER BY {order}", CITY_RANK)
    assert found.documents == pytest.approx(A_CITY)
    assert found.sorted == pytest.approx(A_CITY * log2(A_CITY) if is_sorted else 0)


def test_an_index_of_another_direction_gives_no_order() -> None:
    """Cities upwards and ranks downwards are an order of an index made so, and of no other."""
    order = "ORDER BY city, rank DESC LIMIT 10"
    assert people(order, CITY_RANK).scanned == PEOPLE
    mixed = people(order, Index("person", (("city", 1), ("rank", -1))))
    assert (mixed.scanned, mixed.sorted, mixed.documents) == pytest.approx((0, 0, 10))


def test_few_rows_are_sorted_rather_than_all_read_in_order() -> None:
    """A city's hundred people are soon sorted; to sort a third of all costs more than to read all of them in order."""
    few = people("WHERE city = 5 ORDER BY rank", CITY, RANK)
    assert (few.documents, few.sorted) == pytest.approx((A_CITY, A_CITY * log2(A_CITY)))
    many = people("WHERE city < :city ORDER BY rank", CITY, RANK)
    assert (many.documents, many.sorted) == (PEOPLE, 0)


def test_different_values_are_sought_one_by_one() -> None:
    """An index that begins with the city skips from one to the next; without one every person is read and put into a group."""
    by_index, by_scan = (people("", *indexes, what="DISTINCT city") for indexes in ((CITY_RANK,), ()))
    assert (by_index.keys, by_index.index_seeks, by_index.documents) == (CITIES, CITIES, 0)
    assert (by_scan.scanned, by_scan.grouped) == (PEOPLE, PEOPLE)
    assert by_index.results == by_scan.results == CITIES
