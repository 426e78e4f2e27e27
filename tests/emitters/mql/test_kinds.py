"""Expressions that may fail on documents of another kind ask for the kind first."""

from __future__ import annotations

import pytest

from nestling.emitters.mql.kinds import of_kind
from nestling.ir.paths.access_path import CollectionScan, FilterDocuments, Holds, Unwind
from nestling.ir.programs.compiled import Mql

FAILING: Mql = {"$eq": [{"$strLenCP": "$name"}, 3]}
SCAN = CollectionScan("c")


@pytest.mark.parametrize(
    ("several", "asked"),
    [
        (False, {"$eq": ["$kind", "a"]}),
        (True, {"$in": ["a", {"$cond": [{"$isArray": "$kind"}, "$kind", ["$kind"]]}]}),
    ],
)
def test_the_kind_comes_first(several: bool, asked: dict[str, object]) -> None:
    """Also through what is taken apart, and among other expressions."""
    step = Unwind(FilterDocuments(SCAN, Holds("kind", "a", several)), "items")
    assert of_kind({"x": 1, "$expr": FAILING}, step) == {"x": 1, "$expr": {"$and": [asked, FAILING]}}
    assert of_kind({"$expr": {"$and": [FAILING, True]}}, step) == {"$expr": {"$and": [asked, FAILING, True]}}
    inside = of_kind({"$and": [{"x": 1}, {"$expr": FAILING}]}, step)
    assert inside == {"$and": [{"x": 1}, {"$expr": {"$and": [asked, FAILING]}}]}


def test_what_cannot_fail_stays_as_it_is() -> None:
    """A comparison is true or false of any document, and a collection of one kind needs no more."""
    match: Mql = {"$expr": {"$gt": ["$a", {"$ifNull": ["$b", {"$literal": {"$toDate": 1}}]}]}}
    assert of_kind(match, FilterDocuments(SCAN, Holds("kind", "a"))) == match
    assert of_kind({"$expr": FAILING}, SCAN) == {"$expr": FAILING}
