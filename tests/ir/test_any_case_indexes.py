"""An index that finds texts whatever their case: what it may be, and how a design's file says it."""

from __future__ import annotations

import pytest

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Index
from nestling.ir.proposal import Proposal
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.operators import Collation
from nestling.ir.text import read_proposal, write_proposal
from tests.planner.homes.home_cases import entity

MODEL = Model("m", (entity("note", "id:integer! city:text at:timestamp", "id"),))
CITY = (("city", 1), ("at", 1))


def of(*indexes: Index) -> Design:
    """Notes in a collection of their own."""
    return Design(MODEL, (Collection("notes", Document("note"), ("id",)),), indexes)


def test_it_is_another_than_one_to_the_letter() -> None:
    """Both are built, the one with a collation, and a design's file tells them apart."""
    design = of(Index("notes", CITY), Index("notes", CITY, any_case=True))
    rules = {each.name: each.collation for each in planned_indexes(design)}
    assert rules == {"city_1_at_1": Collation.BINARY, "city_1_at_1_ci": Collation.UNICODE_CI}
    assert [each.name for each in design.indexes] == [*rules]
    text = write_proposal(Proposal("", design))
    assert text.count("any_case: true") == 1
    assert read_proposal(text, "design.yaml").design.indexes == design.indexes


def test_one_is_the_beginning_of_another() -> None:
    """The longer is built alone, where both find texts so."""
    both = of(Index("notes", CITY[:1], any_case=True), Index("notes", CITY, any_case=True))
    assert [each.name for each in planned_indexes(both)] == ["city_1_at_1_ci"]
    apart = of(Index("notes", CITY[:1]), Index("notes", CITY, any_case=True))
    assert [each.name for each in planned_indexes(apart)] == ["city_1", "city_1_at_1_ci"]


PRESENT = (Clause("city", ClauseOperator.PRESENT),)


@pytest.mark.parametrize(
    ("index", "told"),
    [
        (Index("notes", CITY, unique=True, any_case=True), "also unique, partial or expiring"),
        (Index("notes", CITY, partial=PRESENT, any_case=True), "also unique, partial or expiring"),
        (Index("notes", CITY[:1], expire_after_seconds=9, any_case=True), "also unique, partial or expiring"),
        (Index("notes", CITY[::-1], any_case=True), "starts with `at`"),
        (Index("notes", (("_id", 1),), any_case=True), "allows no other index on `_id` alone"),
        (Index("notes", (), any_case=True), "has no fields"),
        (Index("notes", ()), "has no fields"),
    ],
)
def test_what_it_may_not_be(index: Index, told: str) -> None:
    """Unique, of some documents, one that removes documents, on what is no text, on `_id` alone, or on nothing."""
    with pytest.raises(DesignError, match=told):
        of(index)
