"""What single commands of a write are counted as: what they find, what they change, and in how many requests they are sent."""

from __future__ import annotations

import pytest

from nestling.ir.design import Design
from nestling.ir.paths.work import Work
from nestling.ir.paths.write_path import (
    Cell,
    Constant,
    DeleteDocuments,
    Each,
    FieldMatch,
    Give,
    IfThere,
    InsertOne,
    Items,
    Push,
    Set,
    SubDocument,
    UpdateDocuments,
    WritePlan,
    WriteStep,
)
from nestling.ir.paths.write_path import Test as Asked
from nestling.ir.primitives import Index
from nestling.ir.statements.expression import Literal
from nestling.ir.types import INTEGER
from nestling.planner.work import documents_of, estimate_write
from tests.planner.work.town import A_CITY, PEOPLE, PETS_EACH, RANKS, STATISTICS, apart, inside, of_people

CITY = of_people("city")
PERSON = SubDocument((("_id", Cell("id")), ("city", Cell("city"))))
BY_ID = (FieldMatch("_id", Constant(5)),)
BY_CITY = (FieldMatch("city", Constant(5)),)
MOVE = Set("city", Constant(6))


def work(*steps: WriteStep, design: Design | None = None) -> Work:
    """The estimate for these steps, where people have an index on their city."""
    return estimate_write(WritePlan(steps, ()), design or apart(CITY), STATISTICS)


def given(*cities: int) -> Give:
    """A row for a person of each of these cities."""
    ids = enumerate(cities)
    return Give("new", tuple((("id", Literal(n, INTEGER)), ("city", Literal(city, INTEGER))) for n, city in ids))


def size(design: Design) -> float:
    """Bytes of a person's document."""
    return documents_of(design.store("person"), design, STATISTICS).bytes


@pytest.mark.parametrize("if_there", IfThere)
def test_an_upsert_seeks_what_may_be_there(if_there: IfThere) -> None:
    """One document by its `_id`, before it is put there; a plain insert is refused by the index and reads nothing."""
    found, one = work(InsertOne("person", PERSON, if_there)), float(if_there is not IfThere.REFUSE)
    assert (found.index_seeks, found.keys, found.documents, found.read_bytes) == (
        one,
        one,
        one,
        one * size(apart(CITY)),
    )
    assert (found.inserts, found.index_writes, found.round_trips) == (1, 1, 1)
    assert found.written_bytes == size(apart(CITY))


@pytest.mark.parametrize(("many", "gone"), [(True, A_CITY), (False, 1.0)])
def test_how_many_a_delete_removes(many: bool, gone: float) -> None:
    """All of a city, or one of them; each with its entries in two indexes."""
    found = work(DeleteDocuments("person", BY_CITY, many), design=apart(CITY, of_people("rank")))
    assert (found.changes, found.deletes, found.index_writes) == pytest.approx((1, gone, 2 * gone))


def test_a_delete_of_what_is_seldom_there() -> None:
    """Of two things asked for a document is expected to have both in one of ten cities: no more than that goes."""
    both = (*BY_CITY, FieldMatch("rank", Constant(3)))
    found = work(DeleteDocuments("person", both), design=apart(of_people("city", "rank")))
    assert found.deletes == found.documents == pytest.approx(A_CITY / RANKS)


@pytest.mark.parametrize(("many", "changed"), [(True, A_CITY), (False, 1.0)])
def test_how_many_an_update_changes(many: bool, changed: float) -> None:
    """Each document found is written whole; the entry of the changed field goes, and another comes."""
    found = work(UpdateDocuments("person", BY_CITY, (MOVE,), many=many))
    assert (found.updates, found.index_writes) == pytest.approx((changed, 2 * changed))
    assert found.rewritten_bytes == pytest.approx(changed * size(apart(CITY)))
    assert (found.moves, found.inserts, found.round_trips) == (0, 0, 1)


def test_only_what_grows_is_moved() -> None:
    """A field that is set keeps a document about as large; an element more makes it larger. No entry of another field moves."""
    of_pets = Index("person", (("pets.kind", 1),))
    push = UpdateDocuments("person", BY_ID, (Push("pets", SubDocument((("kind", Constant(1)),))),))
    found = work(push, design=inside(CITY, of_pets))
    assert (found.updates, found.moves) == (1, 1)
    moved = work(UpdateDocuments("person", BY_ID, (MOVE,)), design=inside(CITY, of_pets))
    assert (moved.updates, moved.moves, moved.index_writes) == (1, 0, 2)


def test_a_list_is_sought_value_by_value() -> None:
    """Three cities are three seeks, and the people of three."""
    listed = Items((Constant(1), Constant(2), Constant(3)))
    found = work(DeleteDocuments("person", (FieldMatch("city", listed, Asked.IN),), many=True))
    assert (found.index_seeks, found.documents, found.deletes) == pytest.approx((3, 3 * A_CITY, 3 * A_CITY))


def test_without_an_index_all_are_read() -> None:
    """A document is changed all the same as often as it is found."""
    found = work(UpdateDocuments("person", BY_CITY, (Set("rank", Constant(1)),), many=True), design=apart())
    assert (found.scanned, found.updates) == pytest.approx((PEOPLE, A_CITY))


def test_commands_of_all_rows_are_one_request() -> None:
    """As many documents as rows, sent at once; where there are no rows nothing is sent."""
    found = work(given(*range(50)), Each("new", (InsertOne("person", PERSON),)))
    assert (found.round_trips, found.inserts, found.index_writes) == (1, 50, 50)
    none = work(given(), Each("new", (InsertOne("person", PERSON),)))
    assert (none.round_trips, none.inserts) == (0, 0)


def test_two_commands_for_each_row_are_two_requests_each() -> None:
    """What is not all there is for a row waits for its turn."""
    found = work(
        given(*range(50)), Each("new", (InsertOne("person", PERSON), UpdateDocuments("person", BY_ID, (MOVE,))))
    )
    assert (found.round_trips, found.inserts, found.updates) == (100, 50, 50)


def test_bulks_inside_of_a_loop_are_a_request_for_each_round() -> None:
    """Four times three rows are four requests of three deletes each, beside the four updates."""
    inner = Each("some", (DeleteDocuments("person", BY_ID),))
    rows = Give("some", tuple((("id", Literal(n, INTEGER)),) for n in range(3)))
    found = work(given(1, 2, 3, 4), Each("new", (rows, inner, UpdateDocuments("person", BY_ID, (MOVE,)))))
    assert (found.round_trips, found.deletes, found.updates) == (8, 12, 4)


@pytest.mark.parametrize(("by", "times"), [((), 6), (("id",), 6), (("city",), 2), (("city", "id"), 6)])
def test_once_for_rows_that_are_alike(by: tuple[str, ...], times: float) -> None:
    """Six people of two cities: what is done for each city is done twice."""
    rows = given(1, 1, 1, 2, 2, 2)
    bulk = work(rows, Each("new", (UpdateDocuments("person", BY_ID, (MOVE,)),), by))
    assert (bulk.round_trips, bulk.updates) == (1, times)
    fallback = UpdateDocuments("person", BY_ID, (MOVE,), otherwise=(InsertOne("person", PERSON),))
    apiece = work(rows, Each("new", (fallback,), by))
    assert (apiece.round_trips, apiece.updates, apiece.inserts) == (times, times, 0)


def test_what_is_not_found_is_put_there() -> None:
    """A city and rank in ten are met: else the other command is sent, or the update makes the document itself."""
    asked = (*BY_CITY, FieldMatch("rank", Constant(3)))
    missed = 1 - A_CITY / RANKS
    design = apart(of_people("city", "rank"))
    other = work(
        UpdateDocuments("person", asked, (Set("bio", Constant("")),), otherwise=(InsertOne("person", PERSON),)),
        design=design,
    )
    assert (other.updates, other.inserts, other.round_trips) == pytest.approx((1 - missed, missed, 1 + missed))
    itself = work(UpdateDocuments("person", asked, (Set("bio", Constant("")),), on_insert=()), design=design)
    assert (itself.updates, itself.inserts, itself.round_trips) == pytest.approx((1 - missed, missed, 1))


def test_what_is_changed_back_is_written_twice() -> None:
    """A parent that is held is changed and changed back: twice the bytes, and no entry moves."""
    held = work(UpdateDocuments("person", BY_ID, (Set("held", Constant(1)),), back=(Set("held", Constant(0)),)))
    assert (held.updates, held.index_writes, held.round_trips) == (2, 0, 1)
    assert held.rewritten_bytes == pytest.approx(2 * size(apart(CITY)))


def test_a_document_with_its_children_is_longer_by_these() -> None:
    """What is written whole costs what lies in it."""
    alone, together = (work(UpdateDocuments("person", BY_ID, (MOVE,)), design=make(CITY)) for make in (apart, inside))
    assert together.rewritten_bytes > alone.rewritten_bytes + PETS_EACH * 2 * 8
    assert together.updates == alone.updates == 1
