"""Law 1 for writes: random models, data, designs and traces; whatever is not refused as a gap leaves what SQLite leaves."""

from __future__ import annotations

import os
import tempfile
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.model import Model, OnDelete, OnUpdate
from tests.generators.designs import designs
from tests.generators.plain_worlds import plain
from tests.generators.worlds import World, worlds
from tests.random_writes import Writer
from tests.write_traces import trace

SOAKING = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
EXAMPLES = int(os.environ.get("NESTLING_WRITE_TRACES", "2000" if SOAKING else "8"))
"""A trace takes a second or two; so many keep the default suite quick. Set NESTLING_WRITE_TRACES for any other number."""
STATEMENTS = 8


def acted(data: st.DataObject, model: Model) -> Model:
    """The model with drawn foreign key actions, and some foreign keys nobody enforces."""
    links = tuple(
        replace(
            link,
            on_delete=data.draw(st.sampled_from(OnDelete)),
            on_update=data.draw(st.sampled_from(OnUpdate)),
            enforced=data.draw(st.booleans()),
        )
        for link in model.relationships
    )
    return replace(model, relationships=links)


@pytest.mark.timeout(0 if SOAKING else 900)  # finding the smallest example of a failure takes minutes
@given(st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)
def test_a_trace_leaves_what_sqlite_leaves(mongo_client: MongoClient[dict[str, Any]], data: st.DataObject) -> None:
    """After each statement of a trace every home holds what SQLite's table holds."""
    world: World = plain(data.draw(worlds(entities=3, rows=4).filter(lambda drawn: not drawn.loose)))
    design: Design = data.draw(designs(world))
    try:
        design = Design(acted(data, design.model), design.collections, design.indexes)
    except DesignError:
        return
    note(f"{design.collections}")
    draw = data.draw(st.randoms(use_true_random=False))
    name = f"law_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as directory:
        try:
            run = trace(design, world.rows, mongo_client[name], Path(directory))
            writer = Writer(run.design.model, run.connection, draw)
            for _ in range(STATEMENTS):
                run.run(writer.statement())
                run.check()
            event(f"done: {len(run.done)}, gaps: {len(run.gaps)}")
        finally:
            mongo_client.drop_database(name)
