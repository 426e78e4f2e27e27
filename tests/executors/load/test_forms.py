"""Every primitive, alone and combined: the documents loaded are those of docs/document-forms.md, field by field."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.primitives import Field, Split
from tests.executors.load.loads import documents_in, load_rows
from tests.planner.homes.home_cases import CASES, Case

UNORDERED = {"words", "marks"}
"""Arrays of rows without a key whose hand-written order is another than the loader's: any order gives the same rows back."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_documents_are_those_written_by_hand(database: Database[Any], tmp_path: Path, case: Case) -> None:
    """For every hand-written case the loader makes the same documents from the rows, and no others."""
    report = load_rows(Design(case.model, case.collections), case.rows, database, tmp_path)
    for name, expected in case.documents.items():
        found = [plain(document) for document in documents_in(database, name)]
        for document in map(plain, expected):
            assert document in found, name
            found.remove(document)
        assert found == []
    names = [name for name in database.list_collection_names() if not name.startswith("system.")]
    assert {name for name in names if database[name].find_one()} == {
        name for name in case.documents if case.documents[name]
    }
    assert report.entities == {name: (len(rows), len(rows)) for name, rows in case.rows.items()}


def test_a_file_s_pointer_leaves_what_lies_beside_it(database: Database[Any], tmp_path: Path) -> None:
    """A subtype's field is in the sub-document that holds the pointer."""
    case = next(case for case in CASES if case.name == "shared paths")
    (vehicles,) = case.collections
    body = replace(vehicles.body, fields=(Field("name", "has.name"),))
    filed = replace(vehicles, body=body, splits=(Split("names", ("name",), gridfs=True),))
    load_rows(
        Design(case.model, (filed,)), {**case.rows, "vehicle": [(1, "none"), (2, "bus"), (3, None)]}, database, tmp_path
    )
    found = database["vehicles"].find_one({"_id": 2})
    assert found is not None
    assert (found["has"]["doors"], found["has"]["wheels"], found["has"]["name"]["bytes"]) == (4, 2, 3)


def plain(value: Any) -> Any:
    """A document without what a hand-written one leaves open: derived ids, the order of some arrays."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: plain(item) for name, item in value.items() if not (name == "_id" and isinstance(item, ObjectId))}
    return {name: sorted(item, key=repr) if name in UNORDERED else item for name, item in kept.items()}
