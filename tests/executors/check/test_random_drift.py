"""Drift of every kind, put into designs of every shape: all of it is found, nothing else, and repairing brings it back."""

from __future__ import annotations

import re
from typing import Any

import bson
import pytest
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.database import Database

from nestling.executors.check import CheckReport
from nestling.ir.codec import CODEC
from nestling.ir.drift import DriftKind
from tests.executors.check.injected import Injected, inject
from tests.executors.check.loaded import checked, loaded
from tests.generators.designs import designs
from tests.generators.enriched import enriched
from tests.generators.worlds import World, worlds
from tests.planner.upkeep.settled import same
from tests.soaking import SOAKING, examples

EXAMPLES = examples(4, 1000, "NESTLING_CHECKS")


@pytest.mark.thorough
@pytest.mark.timeout(0 if SOAKING else 900)
@given(st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_nothing_differs_after_loading(mongo_client: MongoClient[dict[str, Any]], data: st.DataObject) -> None:
    """For any model, data and design: a check right after loading finds no more than the source's own dangling keys."""
    world: World = data.draw(worlds())
    design = data.draw(enriched(data.draw(designs(world))))
    with loaded(mongo_client, world, design) as (proposal, database):
        report = checked(proposal, database)
        for each in report.checks:
            event(each.kind)
        for gap in report.gaps:
            event(str(gap)[:60])
        note(repr(report.findings))
        assert {each.kind for each in report.findings} <= {DriftKind.DANGLING}
        assert bool(report.findings) <= bool(world.loose)


@pytest.mark.timeout(0 if SOAKING else 900)
@given(st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
def test_all_drift_is_found_and_repaired(mongo_client: MongoClient[dict[str, Any]], data: st.DataObject) -> None:
    """For any model, data and design: what people spoil by hand is found, nothing else is, and repaired it is as loaded."""
    world: World = data.draw(worlds())
    design = data.draw(enriched(data.draw(designs(world)), sums=True))
    with loaded(mongo_client, world, design) as (proposal, database):
        before = everything(database)
        dangling = found_by(checked(proposal, database))
        made = inject(data.draw, proposal.design, database, most=6)
        note(repr(made))
        for each in made:
            event(str(each.kind))
        spoiled = everything(database)
        report = checked(proposal, database)
        note(repr(report.findings))
        found = found_by(report)
        rows_vanish = any(each.kind is DriftKind.DISCRIMINATOR for each in made)
        if rows_vanish:  # and what follows from them differs, too
            assert made <= found
        else:
            assert found == made | _still(dangling, made)
        assert alike(everything(database), spoiled), "a check writes nothing"
        repaired = checked(proposal, database, repair=True, remove=True)
        note(repr(repaired.findings))
        assert repaired.repaired == len(made)
        assert found_by(checked(proposal, database)) == dangling
        assert alike(everything(database), before)


def _still(dangling: set[Injected], made: set[Injected]) -> set[Injected]:
    """The ids that refer to nothing but for those in a list that was overwritten."""
    overwritten = {(each.collection, each.id, each.path) for each in made}
    return {each for each in dangling if (each.collection, each.id, each.path) not in overwritten}


def found_by(report: CheckReport) -> set[Injected]:
    """What a report says differs, without the elements of arrays."""
    return {
        Injected(each.kind, each.collection, repr(each.id), re.sub(r"\[.*?\](?=\.|$)", "", each.path, flags=re.DOTALL))
        for each in report.findings
    }


def everything(database: Database[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """All documents by collection and `_id`."""
    names = sorted(each for each in database.list_collection_names() if not each.startswith("system."))
    exact = database.with_options(codec_options=CODEC)
    return {name: {repr(each["_id"]): each for each in exact[name].find()} for name in names}


def alike(one: Any, other: Any) -> bool:
    """Whether documents hold the same, in whatever order their fields are, and whenever they were computed."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            alike(one[name], other[name]) for name in one if not str(name).startswith("computed at")
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bson.encode({"": one}, codec_options=CODEC) == bson.encode({"": other}, codec_options=CODEC) or same(
        one, other
    )
