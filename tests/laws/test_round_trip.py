"""Law 2, for random models, data and designs: what is loaded is verified equal, and comes back as it was.

The data lives in a SQLite file, the documents in a real MongoDB with the design's own validators and indexes.
"""

from __future__ import annotations

import tempfile
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.database import Database

from nestling.emitters.commands import collection_commands, index_commands, unseen_commands
from nestling.emitters.mql import aggregation
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.executors.unload import unload
from nestling.executors.verify import verify
from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.primitives import Form
from nestling.ir.rows import RowColumn, RowQuery, RowSource
from nestling.ir.storage.layout import Role
from nestling.ir.value_forms.canonical import canonical_encoder
from nestling.ir.values import Policy
from nestling.planner.homes.views import home_views
from nestling.sources.sql.row_source import SqlDatabase
from tests.generators.allowing import allowing, checking
from tests.generators.designs import designs
from tests.generators.worlds import World, with_seen_types, worlds
from tests.soaking import SOAKING, examples
from tests.sqlite_rows import sqlite_sink, sqlite_source

EXAMPLES = examples(24, 5000, "NESTLING_ROUND_TRIPS")
"""An example takes half a second: so many keep the default suite quick. Set NESTLING_ROUND_TRIPS for any other number."""


def rows_of(source: RowSource, entity: Entity) -> Counter[bytes]:
    """An entity's rows as a bag of canonical bytes."""
    encode = canonical_encoder(entity.attribute_names, entity, Policy())
    query = RowQuery(entity.name, tuple(map(RowColumn, entity.attribute_names)))
    return Counter(encode(row) for row in source.rows(query))


def round_trip(design: Design, source: SqlDatabase, database: Database[Any], copy: Path) -> None:
    """Load, verify, unload, compare."""
    design = Design(with_seen_types(design.model, source), design.collections)
    source = SqlDatabase(source.address, design.model)
    create(collection_commands(design), database, written_collections(design))
    load(design, source, database, indexes=index_commands(design), unseen=unseen_commands(design))
    homes = {entity: aggregation(view) for entity, view in home_views(design).items()}
    report = verify(design.model, homes, source, database)
    assert report.equal, report.differences
    sink = sqlite_sink(copy)
    unload(design.model, homes, database, sink)
    unloaded = SqlDatabase(sink.address, design.model)
    for entity in design.model.entities:
        assert rows_of(unloaded, entity) == rows_of(source, entity)


@pytest.mark.timeout(0 if SOAKING else 900)  # finding the smallest example of a failure takes minutes
@given(st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_what_is_loaded_comes_back(mongo_client: MongoClient[dict[str, Any]], data: st.DataObject) -> None:
    """`unload(load(S, D)) == S`, and verification agrees, for any model, data S and valid design D."""
    world: World = data.draw(worlds().flatmap(allowing).flatmap(checking))
    design: Design = data.draw(designs(world))
    observe(design)
    name = f"law_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as directory:
        source = sqlite_source(Path(directory) / "source.db", world.model, world.rows)
        note(f"loose: {sorted(world.loose)}")
        try:
            round_trip(design, source, mongo_client[name], Path(directory) / "copy.db")
        finally:
            mongo_client.drop_database(name)


def observe(design: Design) -> None:
    """Let `--hypothesis-show-statistics` tell how often each primitive was tried."""
    for store in design.stores:
        if store.role is not Role.HOME:
            event(f"store: {store.role}")
        event(f"kind: {store.options.kind}")
        event(f"bucket: {store.collection.bucket is not None}")
        event(f"members: {bool(store.collection.variant and store.collection.variant.members)}")
    for places in design.places.values():
        for place in places:
            event(f"form: {place.node.form if len(place.nodes) > 1 else 'root'}")
            event(f"depth: {len(place.nodes)}")
            event(f"home copy: {place.copy is not None}")
            event(f"listed: {bool(place.node.listed)}")
            event(f"pairs: {bool(place.node.body.pairs)}")
            event(f"inline: {place.node.form is Form.INLINE}")
