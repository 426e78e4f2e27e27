"""A document that is deleted goes with all rows inside it, however deep.

Where the model was read from the documents, its rows go with those around them; a declared model may say that each has to be
deleted by itself: then the innermost come first, as they refer to what is around.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.server import Server
from nestling.ir.model import OnDelete
from nestling.ir.proposal import Proposal
from nestling.recorder import Recorder

Db = Database[dict[str, Any]]
JOBS = 40


def documents(*, keyed: bool) -> list[dict[str, Any]]:
    """Jobs with stops with events; `keyed`: stops have ids of their own, which say nothing of their jobs."""

    def stop(n: int, k: int) -> dict[str, Any]:
        own = {"_id": ObjectId(f"{n:012x}{k:012x}")} if keyed else {"no": k}
        return own | {"events": [{"no": e, "text": f"t{n} {k} {e}"} for e in range(2)]}

    return [{"_id": n, "state": n % 4, "stops": [stop(n, k) for k in range(1 + n % 3)]} for n in range(JOBS)]


DELETES: dict[str, Callable[[Db], Any]] = {
    "by key": lambda db: db.jobs.delete_one({"_id": 7}),
    "several": lambda db: db.jobs.delete_many({"state": 2}),
    "all": lambda db: db.jobs.delete_many({}),
}


def refusing(proposal: Proposal) -> Proposal:
    """The same design of a model in which a row that others refer to cannot be deleted."""
    model = proposal.design.model
    links = tuple(replace(link, on_delete=OnDelete.RESTRICT) for link in model.relationships)
    return replace(proposal, design=replace(proposal.design, model=replace(model, relationships=links)))


@pytest.mark.parametrize("name", DELETES)
@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("declared", [False, True])
def test_no_row_is_left_behind(
    mongod: Server, database: Db, tmp_path: Path, name: str, *, keyed: bool, declared: bool
) -> None:
    """The SQL leaves what the command does, on the design in which rows refer to those around them."""
    database.jobs.insert_many(documents(keyed=keyed))
    proposal = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    proposal = refusing(proposal) if declared else proposal
    with (
        Recorder(tmp_path / "asked.json", samples=True) as recorder,
        MongoClient[dict[str, Any]](mongod.uri, event_listeners=[recorder]) as client,
    ):
        DELETES[name](client[database.name])
        said = pipeline.captured_workload(recorder.capture(), proposal.design, proposal.statistics)
        assert not said.gaps, said.gaps
    left = [*database.jobs.find()]
    database.jobs.delete_many({})
    database.jobs.insert_many(documents(keyed=keyed))
    store = Store(proposal, database)
    deleted = [each.sql.split()[2] for each in said.statements]
    assert deleted == (["events", "stops", "jobs"] if declared else ["jobs"])
    for each in said.statements:
        store.execute(each.sql, **dict(each.samples))
    assert [*database.jobs.find()] == left
