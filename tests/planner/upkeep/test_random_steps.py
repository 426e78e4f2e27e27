"""After rows of any entity have changed in their homes, the upkeep makes every holder what the homes imply."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, note, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from nestling.common.errors import LoadError
from nestling.ir.design import Design
from nestling.ir.primitives import CollectionKind
from nestling.planner.reads import ReadGap
from nestling.planner.upkeep import upkeeps_of
from nestling.planner.writes.draft.gaps import WriteGap
from tests.generators.designs import designs
from tests.generators.enriched import enriched
from tests.generators.worlds import World, worlds
from tests.planner.upkeep.changed import settle
from tests.planner.upkeep.worlds_after import is_possible, rows_after
from tests.soaking import SOAKING, examples

EXAMPLES = examples(6, 1000, "NESTLING_UPKEEPS")


@pytest.mark.timeout(0 if SOAKING else 900)
@given(st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
def test_upkeep_settles(mongo_client: MongoClient[dict[str, Any]], data: st.DataObject) -> None:
    """For any model, data and design, and rows that come, go or change: no holder differs after the upkeep."""
    world: World = data.draw(worlds(rows=8))
    design: Design = data.draw(enriched(data.draw(designs(world))))
    upkeeps = upkeeps_of(design)
    entities = sorted(
        {trigger.entity for upkeep in upkeeps for trigger in upkeep.triggers if world.rows[trigger.entity]}
    )
    assume(entities and not any(u.place.store.options.kind is CollectionKind.TIME_SERIES for u in upkeeps))
    entity = data.draw(st.sampled_from(entities))
    before, after = data.draw(rows_after(world, entity))
    assume(before != after and is_possible(world.model, before) and is_possible(world.model, after))
    with tempfile.TemporaryDirectory() as directory:
        try:
            settled = settle(design, before, after, entity, mongo_client, Path(directory))
        except (
            ReadGap,
            WriteGap,
            LoadError,
        ) as error:  # no steps are known, or the design cannot hold the changed rows
            event(str(error).splitlines()[0].split("`")[-1])
            return
    if settled is not None:
        event(str(settled.change.kind))
        note(repr(settled))
        assert not settled.wrong
