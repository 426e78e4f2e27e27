"""A row that moves because another comes takes along what it holds; only the row that comes has to be made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo import MongoClient

from tests.cases.counterexample import counterexamples
from tests.planner.upkeep.changed import settle


def test_an_element_pushed_into_a_page_keeps_its_copy(
    mongo_client: MongoClient[dict[str, Any]], tmp_path: Path
) -> None:
    """Item 1 comes first and item 3 goes to a page: the copy of item 1 alone is stale, and then none is wrong."""
    case = next(case for case in counterexamples() if case.name == "copy_in_a_page")
    before = {name: list(map(tuple, rows)) for name, rows in case.rows.items()}
    after = before | {"item": [(1, 1), *before["item"]]}
    settled = settle(case.proposal.design, before, after, "item", mongo_client, tmp_path)
    assert settled is not None
    assert [(name, row["at 1 0"]) for name, row in settled.stale] == [("boxes.items.box label", 1)]
    assert not settled.wrong
