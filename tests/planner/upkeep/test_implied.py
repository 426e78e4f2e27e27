"""What the homes imply is what loading stored, for every copy, computed value and array of ids of any design."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from nestling.emitters.commands import collection_commands, unseen_commands
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.ir.design import Design
from nestling.planner.reads import ReadGap
from nestling.planner.upkeep import upkeeps_of
from nestling.sources.sql.row_source import SqlDatabase
from tests.generators.designs import designs
from tests.generators.enriched import enriched
from tests.generators.worlds import World, with_seen_types, worlds
from tests.planner.upkeep.settled import differences
from tests.soaking import SOAKING, examples
from tests.sqlite_rows import sqlite_source

EXAMPLES = examples(10, 1000, "NESTLING_UPKEEPS")


@pytest.mark.timeout(0 if SOAKING else 900)
@given(st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_what_is_implied_is_stored(mongo_client: MongoClient[dict[str, Any]], data: st.DataObject) -> None:
    """For any model, data and design: no holder differs right after loading."""
    world: World = data.draw(worlds())
    design: Design = data.draw(enriched(data.draw(designs(world))))
    for upkeep in upkeeps_of(design):
        event(type(upkeep.what).__name__)
    name = f"upkeep_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as directory:
        source = sqlite_source(Path(directory) / "source.db", world.model, world.rows)
        design = Design(with_seen_types(design.model, source), design.collections)
        source = SqlDatabase(source.address, design.model)
        try:
            create(collection_commands(design), mongo_client[name], written_collections(design))
            load(design, source, mongo_client[name], unseen=unseen_commands(design))
            found = differences(design, mongo_client[name])
            note(repr(found))
            assert not found
        except ReadGap as gap:
            event(str(gap))
        finally:
            mongo_client.drop_database(name)
