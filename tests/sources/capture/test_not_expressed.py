"""Commands that SQL does not say: the most frequent first."""

from __future__ import annotations

from typing import Any

import pytest

from nestling import pipeline
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, ShapeTotals, shape
from tests.sources.capture.shops import Shop


def test_the_most_frequent_gap_comes_first(shops: dict[str, Shop]) -> None:
    """Gaps stand in the order of their rates, each with a name of its own."""
    shop = shops["normalized"]
    with shop.recorded("gaps.json") as (recorder, database):
        for field, times in (("rare", 1), ("often", 9), ("sometimes", 4)):
            for _ in range(times):
                database.product.find_one({field: 1})
    said = shop.said(recorder)
    assert [each.gap.what for each in said.not_expressed] == [
        f"`{name}` is not an attribute of the model" for name in ("often", "sometimes", "rare")
    ]
    assert len({each.name for each in said.not_expressed}) == 3
    assert list(said.gaps) == [each.gap for each in said.not_expressed]


@pytest.mark.parametrize(
    "test",
    [
        {"hidden": {"$ne": True}},
        {"hidden": None},
        {"hidden": {"$exists": False}},
        {"hidden": {"$nin": ["a", "b"]}},
        {"hidden": {"$not": {"$gt": 3}}},
        {"$or": [{"hidden": True}, {"stock": 3}]},
    ],
)
def test_what_no_document_has_is_missing(test: dict[str, Any], shops: dict[str, Shop]) -> None:
    """A mark of what is hidden or deleted, that no document has yet, leaves out nothing; a note says so."""
    asked = shape("shop", "product", CommandOperation.FIND, {"filter": {"stock": 3} | test})
    captured = Capture(CaptureKind.RECORDER, 10.0, (ShapeTotals(asked, 40, times=40),))
    (statement,) = pipeline.captured_workload(captured, shops["normalized"].proposal.design).statements
    assert "stock = :stock" in statement.sql
    assert "hidden" not in statement.sql
    assert [note for note in statement.notes if "`hidden` is not an attribute of the model" in note]


@pytest.mark.parametrize(
    "test", [{"hidden": True}, {"hidden": {"$exists": True}}, {"$or": [{"hidden": 1}, {"old": 1}]}]
)
def test_what_needs_a_field_of_no_document_is_a_gap(test: dict[str, Any], shops: dict[str, Shop]) -> None:
    """The model may just not know it."""
    asked = shape("shop", "product", CommandOperation.FIND, {"filter": test})
    captured = Capture(CaptureKind.RECORDER, 10.0, (ShapeTotals(asked, 40, times=40),))
    said = pipeline.captured_workload(captured, shops["normalized"].proposal.design)
    assert [each.gap.what for each in said.not_expressed] == ["`hidden` is not an attribute of the model"]
