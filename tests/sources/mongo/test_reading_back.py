"""A design loaded and read back from its documents alone: nothing missed that they tell, nothing invented, no row lost."""

from __future__ import annotations

import os
import tempfile
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.errors import SourceError
from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.design import Design
from nestling.pipeline import design, home_queries, load, unload
from nestling.sources.mongo import LiveDatabase, live_database
from nestling.sources.sql.row_source import SqlDatabase
from tests.bundled_shop import shop_address, shop_reading
from tests.executors.load.loads import load_source
from tests.generators.designs import designs
from tests.generators.worlds import World, with_seen_types, worlds
from tests.likeness import likeness
from tests.rows_read_back import rows_read_back, without_validators
from tests.sqlite_rows import sqlite_source

EXAMPLES = int(os.environ.get("NESTLING_REVERSED", "6"))
"""An example takes a second: so many keep the default suite quick. Set NESTLING_REVERSED for any other number."""


def look(database: Database[Any]) -> LiveDatabase:
    """What a database is read as."""
    return live_database(gather(database.client, [database.name], Budget(60.0, Amount(), structure=True)), name="read")


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["embedded", "normalized", "tree", "optimal"])
def test_the_shop_is_read_back(
    database: Database[dict[str, Any]], shop_folder: Path, strategy: str, tmp_path: Path
) -> None:
    """Of the shop's entities and relationships 95 % are found, none invented; the design is the same, and all rows come back."""
    proposal = design(shop_reading(shop_folder), strategy)
    load(proposal, shop_address(shop_folder), database, check=False)
    without_validators(database)
    found = look(database)
    alike = likeness(proposal.design, found.in_place.design)
    assert (alike.invented, alike.undeclared) == ([], [])
    assert len(alike.missed) <= 0.05 * alike.asked, alike.missed
    assert alike.differences == []
    rows, equal, told = rows_read_back(database, proposal.design, found.in_place.design)
    assert (equal, told) == (rows, [])
    report = unload(found.in_place, f"sqlite:///{tmp_path / 'copy.db'}", database)
    assert sum(report.entities.values()) >= rows


@given(st.data())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_documents_are_read(mongo_client: MongoClient[dict[str, Any]], data: st.DataObject) -> None:
    """Whatever the names, values and structures: a model and a valid design are read, and every entity's rows come by it."""
    world: World = data.draw(worlds())
    made: Design = data.draw(designs(world))
    name = f"reverse_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as directory:
        source = sqlite_source(Path(directory) / "source.db", world.model, world.rows)
        made = Design(with_seen_types(made.model, source), made.collections)
        source = SqlDatabase(source.address, made.model)
        database = mongo_client[name]
        try:
            load_source(made, source, database)
            try:
                found = look(database)
            except SourceError:
                assert not any(world.rows.values()), "only of a database without a document there is nothing to read"
                reject()
            rows = {
                entity: len(list(database[query.collection].aggregate(list(query.stages))))
                for entity, query in home_queries(found.in_place.design).items()
            }
            for store in found.in_place.design.stores:
                assert any(rows[node.entity] for node in store.nodes()) or not database[store.name].find_one(), rows
        finally:
            mongo_client.drop_database(name)
