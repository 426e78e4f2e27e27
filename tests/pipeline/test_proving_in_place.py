"""A design in place, loaded to be measured: it has the indexes of the database it was read from, and nothing expires."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.emitters import emit
from nestling.emitters.commands import index_commands
from nestling.executors.scratch import scratch_databases
from nestling.ir.proposal import Proposal
from nestling.ir.text import write_proposal
from nestling.pipeline.designing import read_proposal
from nestling.pipeline.generating import generate
from nestling.pipeline.proving.loading import load_rows
from nestling.pipeline.rivals import rivals
from nestling.sources.front import open_rows
from nestling.sources.mongo import LiveDatabase

Indexes = dict[str, dict[tuple[str, ...], dict[str, Any]]]
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
KEPT = 10**9
"""Seconds after which the sessions of the live database go: not while the test runs."""


@pytest.fixture
def found(mongod: Server, database: Database[Any]) -> LiveDatabase:
    """Posts with comments that no index finds by their post, and sessions that expire."""
    database["posts"].insert_many({"_id": n, "title": f"Post {n}"} for n in range(20))
    database["comments"].insert_many({"_id": n, "post_id": n % 20, "by": f"b{n % 5}"} for n in range(100))
    database["comments"].create_index("by")
    database["comments"].create_index([("by", 1), ("_id", -1)])
    database["sessions"].insert_many({"_id": n, "user": f"u{n % 9}", "expires_at": LONG_AGO} for n in range(50))
    database["sessions"].create_index("expires_at", expireAfterSeconds=KEPT)
    return pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"))


def measured(found: LiveDatabase, proposal: Proposal, beside: Database[Any], folder: Path) -> Indexes:
    """The indexes of the database a design is measured in: by collection and fields, what the server tells."""
    rows = generate(found.reading, folder / "rows.db", seed=1)
    with scratch_databases(beside, ["0"]) as (scratch,):
        load_rows(proposal, open_rows(rows, proposal.design.model), scratch, "today")
        return {
            name: {tuple(path for path, _ in each["key"]): each for each in scratch[name].index_information().values()}
            for name in scratch.list_collection_names()
        }


def test_nothing_expires_while_it_is_measured(found: LiveDatabase, database: Database[Any], tmp_path: Path) -> None:
    """The index is there to find by, and removes nothing: made-up rows may be of long ago."""
    index = measured(found, found.in_place, database, tmp_path)["sessions"]["expires_at",]
    assert "expireAfterSeconds" not in index
    assert any(each.expire_after_seconds == KEPT for each in found.in_place.design.indexes), (
        "the design itself keeps it"
    )


@pytest.mark.thorough
def test_only_what_is_there_is_measured(found: LiveDatabase, database: Database[Any], tmp_path: Path) -> None:
    """By its file, too: not the index other designs have for a reference, and one that another begins with is there."""
    (tmp_path / "today.yaml").write_text(write_proposal(found.in_place), encoding="utf-8")
    there = measured(found, read_proposal(tmp_path / "today.yaml"), database, tmp_path)
    for name in ("posts", "comments", "sessions"):
        live = database[name].index_information().values()
        assert set(there[name]) == {tuple(path for path, _ in each["key"]) for each in live}
    assert {("by",), ("by", "_id")} < set(there["comments"])


def test_a_new_design_of_the_same_collections_has_what_it_needs(
    found: LiveDatabase, database: Database[Any], tmp_path: Path
) -> None:
    """Though nothing else tells them apart, it is another rival; what is loaded for use has the index in any case."""
    new = replace(found.in_place, strategy="normalized")
    assert ("post_id",) in measured(found, new, database, tmp_path)["comments"]
    (tmp_path / "today.yaml").write_text(write_proposal(found.in_place), encoding="utf-8")
    assert "today" in rivals(found.reading, new, files=[tmp_path / "today.yaml"])
    assert any(each.keys == (("post_id", 1),) for each in index_commands(found.in_place.design))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("as_name", ["mongosh", "python", "markdown"])
def test_only_what_is_there_is_emitted(as_name: str, found: LiveDatabase) -> None:
    """A design that is to be built has an index that finds comments by their post, today's has not."""
    (today,) = emit(found.in_place, as_name).values()
    (new,) = emit(replace(found.in_place, strategy="normalized"), as_name).values()
    assert ("finds `comments` by `posts`" in today, "finds `comments` by `posts`" in new) == (False, True)
