"""What the stages after the first are counted as: lookups, groups, orders, and elements of arrays."""

from __future__ import annotations

from math import log2

import pytest

from nestling.ir.paths import work_of
from nestling.ir.primitives import Index
from nestling.planner.work import documents_of
from tests.planner.work.town import (
    A_CITY,
    CITIES,
    PEOPLE,
    PETS,
    PETS_EACH,
    STATISTICS,
    apart,
    grown,
    inside,
    of_people,
    people,
    work,
)

CITY, CITY_RANK = of_people("city"), of_people("city", "rank")
OF_KIND = "JOIN pet ON pet.owner = person.id AND pet.kind = 3 WHERE person.city = 5"
KINDS = 10
BY_KIND = "SELECT kind, COUNT(*) AS n FROM pet GROUP BY kind"


def test_a_lookup_is_a_stage_and_light_ones_are_a_part_of_one() -> None:
    """To look pets up is one, to unwind and to show them are light; the foreign pipeline is set up again for each of a city."""
    plain = work("SELECT pet.kind FROM person JOIN pet ON pet.owner = person.id WHERE person.city = 5", apart(CITY))
    assert (plain.stages, plain.lookup_stages) == pytest.approx((1 + work_of.light(2), 0))
    asked = work(f"SELECT pet.kind, person.rank FROM person {OF_KIND}", apart(CITY))
    assert (asked.stages, asked.lookup_stages) == pytest.approx((1 + work_of.light(2), A_CITY))


def test_who_finds_nothing_stays_in_a_left_join() -> None:
    """Of a city's three hundred pets a tenth is of the kind: a join leaves these, a left join at least every person."""
    inner = work(f"SELECT person.id, pet.kind FROM person {OF_KIND}", apart(CITY))
    left = work(f"SELECT person.id, pet.kind FROM person LEFT {OF_KIND}", apart(CITY))
    pets = A_CITY * PETS_EACH
    assert inner.results == pytest.approx(pets / KINDS)
    assert left.results == pytest.approx(A_CITY)
    assert inner.lookups == left.lookups == pytest.approx(A_CITY)
    assert inner.documents == left.documents == pytest.approx(A_CITY + pets)
    assert left.sent_bytes > inner.sent_bytes


def test_a_limit_reads_a_whole_document() -> None:
    """One pet of those in a person's document: however many are wanted, no less is read than the document."""
    all_of_one, one = (work(f"SELECT kind FROM pet WHERE owner = 7{limit}", inside()) for limit in ("", " LIMIT 1"))
    assert one.documents == all_of_one.documents == pytest.approx(1)
    assert one.read_bytes == pytest.approx(all_of_one.read_bytes)
    assert one.results < all_of_one.results


def test_a_lookup_without_an_index_reads_all_for_each_row() -> None:
    """Pets by their kind, for a hundred people: a hundred times all pets."""
    found = work(
        "SELECT person.id, pet.id FROM person JOIN pet ON pet.kind = person.rank WHERE person.city = 5", apart(CITY)
    )
    assert (found.scanned, found.tests) == pytest.approx((A_CITY * PETS, A_CITY * PETS))
    assert found.results == pytest.approx(A_CITY * PETS / 1_000)  # ranks are a thousand, and kinds ten of them
    by_index = work(
        "SELECT person.id, pet.id FROM person JOIN pet ON pet.kind = person.rank WHERE person.city = 5",
        apart(CITY, Index("pet", (("kind", 1),))),
    )
    assert (by_index.scanned, by_index.results) == pytest.approx((0, found.results))


def test_what_is_the_same_for_each_row_is_made_once() -> None:
    """All pets are read and put into groups once; then each of the city's people is held against ten groups."""
    groups = work(BY_KIND, apart())
    compared = (
        f"SELECT id, (SELECT COUNT(*) FROM ({BY_KIND}) g WHERE g.n > person.rank) AS more FROM person WHERE city = 5"
    )
    found = work(compared, apart(CITY))
    assert found.scanned == groups.scanned == PETS
    assert found.tests == pytest.approx(A_CITY * KINDS * 3)  # two columns are compared
    assert found.grouped == pytest.approx(PETS + A_CITY * KINDS / 3)
    assert found.lookups == found.results == pytest.approx(A_CITY)


def test_groups_that_a_condition_leaves() -> None:
    """A range of what was counted leaves a third of the groups; each group is asked once."""
    every, some = (
        people(f"GROUP BY city {having}", what="city, COUNT(*) AS n") for having in ("", "HAVING COUNT(*) > 3")
    )
    assert (every.results, some.results) == pytest.approx((CITIES, CITIES / 3))
    assert some.grouped == every.grouped == PEOPLE
    assert some.tests - every.tests == pytest.approx(CITIES * 2)


def test_the_first_of_each_is_sought() -> None:
    """An index that begins with the city and goes on with the rank has the first of a city at hand; else all are sorted."""
    first = "SELECT x.id FROM (SELECT id, row_number() OVER (PARTITION BY city ORDER BY rank) AS n FROM person) x WHERE x.n = 1"
    by_index, by_sort = work(first, apart(CITY_RANK)), work(first, apart(CITY))
    assert (by_index.index_seeks, by_index.documents, by_index.sorted) == (CITIES, CITIES, 0)
    assert (by_sort.scanned, by_sort.grouped) == (PEOPLE, PEOPLE)
    assert by_sort.sorted == pytest.approx(PEOPLE * log2(PEOPLE))
    assert by_index.results == by_sort.results == CITIES
    assert 0 < by_index.passed < by_sort.passed / 10
    asked = work(first.replace("FROM person)", "FROM person WHERE nick <> 'a')"), apart(CITY_RANK))
    assert asked.documents > PEOPLE / 2  # the server seeks so only where nothing else is asked


def test_a_window_orders_all_and_keeps_all() -> None:
    """Sums by city are put beside every person."""
    found = work("SELECT id, SUM(rank) OVER (PARTITION BY city) AS s FROM person", apart())
    assert (found.results, found.scanned) == (PEOPLE, PEOPLE)
    assert found.sorted == pytest.approx(PEOPLE * log2(PEOPLE))


def test_two_answers_one_after_the_other() -> None:
    """A city's people, and the pets of one: the second is a query of its own."""
    both = work("SELECT rank FROM person WHERE city = 5 UNION ALL SELECT kind FROM pet WHERE owner = 5", apart(CITY))
    assert (both.results, both.documents, both.index_seeks) == pytest.approx(
        (A_CITY + PETS_EACH, A_CITY + PETS_EACH, 2)
    )
    assert both.lookups == 1


def test_texts_are_held_against_a_pattern() -> None:
    """Of every person the nickname, by its eight bytes; a pattern in the middle is taken to fit a tenth."""
    found = people("WHERE nick LIKE '%ab%'")
    assert (found.patterns, found.results) == pytest.approx((PEOPLE * 8, PEOPLE / 10))
    after = people("WHERE city = 5 AND nick LIKE '%ab%'")
    assert after.patterns == pytest.approx(PEOPLE / CITIES * 8)  # asked last, of those the city has left


def test_a_pattern_of_columns_is_made_for_each_row_anew() -> None:
    """One that stands in the statement is read once, and so is one that is given; of a column's value many operators make it."""
    said, given = people("WHERE nick LIKE '%ab%'"), people("WHERE nick LIKE :pattern")
    joined, made = people("WHERE nick LIKE '%' || :pattern || '%'"), people("WHERE nick LIKE '%' || city || '%'")
    assert given.patterns == joined.patterns == said.patterns
    assert given.tests == said.tests
    assert joined.tests < 5 * said.tests
    assert made.tests > 20 * said.tests
    assert made.nodes > said.nodes


def test_an_index_of_elements_has_an_entry_each() -> None:
    """A tenth of the pets are of the kind, three entries a thousand documents: some people have two of these."""
    found = work("SELECT kind FROM pet WHERE kind = 3", inside(Index("person", (("pets.kind", 1),))))
    owners = PEOPLE * (1 - (1 - 1 / KINDS) ** PETS_EACH)
    assert (found.keys, found.documents) == pytest.approx((PETS / KINDS, owners))
    assert found.elements == pytest.approx(owners * PETS_EACH)
    assert found.results == pytest.approx(PETS / KINDS)


def test_rows_too_large_to_be_sorted_in_memory_go_to_disk() -> None:
    """A hundred thousand people with three pets each, a row a pet: as long as a person with one pet, not with three."""
    sql = "SELECT person.bio, person.nick, pet.kind FROM person JOIN pet ON pet.owner = person.id ORDER BY pet.kind"
    assert work(sql, inside()).spilled_bytes == 0
    spilled = work(sql, inside(), statistics=grown(10)).spilled_bytes
    person, whole = (documents_of(make().store("person"), make(), STATISTICS).bytes for make in (apart, inside))
    assert person < spilled / (10 * PETS) < whole
    assert work(f"{sql} LIMIT 10", inside(), statistics=grown(10)).spilled_bytes == 0


def test_one_child_is_found_in_its_parent() -> None:
    """By the index on its key; its parent's document is read and unwound."""
    found = work("SELECT kind FROM pet WHERE id = 7", inside())
    told = found.index_seeks, found.documents, found.elements, found.results
    assert told == pytest.approx((1, 1, PETS_EACH, 1), rel=0.001)


def test_one_person_s_pets_are_counted() -> None:
    """By the owner, whose document they lie in; apart by the index on the foreign key, without their documents."""
    sql = "SELECT COUNT(*) AS n FROM pet WHERE owner = 3"
    within, beside = work(sql, inside()), work(sql, apart())
    assert (within.documents, within.elements, within.results) == pytest.approx((1, PETS_EACH, 1))
    assert (beside.keys, beside.documents, beside.results) == pytest.approx((PETS_EACH, 0, 1))
    assert within.grouped == beside.grouped == pytest.approx(PETS_EACH)


def test_arrays_that_nobody_asks_for_are_stored_but_not_evaluated() -> None:
    """A person's own fields cost as much to read with pets in the document as without, but for the field itself."""
    without, beside, asked = (
        work("SELECT bio FROM person", apart()),
        work("SELECT bio FROM person", inside()),
        work("SELECT person.bio, pet.kind FROM person JOIN pet ON pet.owner = person.id", inside()),
    )
    assert without.read_bytes < beside.read_bytes < 1.05 * without.read_bytes
    assert asked.read_bytes > 1.1 * beside.read_bytes
