"""Home views: run on documents written by hand, they yield exactly the rows those documents stand for."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import DesignError
from nestling.emitters.commands import index_commands
from nestling.emitters.mql import aggregation
from nestling.executors.create import create_indexes
from nestling.executors.read import read_raw, read_rows
from nestling.ir.design import Design
from nestling.ir.paths.access_path import describe_step
from nestling.ir.value_forms.canonical import canonical_encoder
from nestling.ir.values import Policy
from nestling.planner.homes.views import home_view, home_views
from tests.planner.homes.home_cases import CASES, LISTED, OVERFLOW, Case


def write(database: Database[Any], case: Case) -> None:
    """Write a case's documents."""
    for collection in case.collections:
        if collection.options.time is not None:
            timeseries = {"timeField": collection.options.time, "metaField": collection.options.meta}
            database.create_collection(collection.name, timeseries=timeseries)
    for name, documents in case.documents.items():
        database[name].insert_many([dict(document) for document in documents])


def bag(case: Case, entity: str, rows: Any) -> Counter[bytes]:
    """Rows that can be compared: canonical bytes, each as often as it is there."""
    described = case.model.entity(entity)
    encode = canonical_encoder(described.attribute_names, described, Policy())
    return Counter(encode(row) for row in rows)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_home_views_yield_the_rows_the_documents_stand_for(database: Database[Any], case: Case) -> None:
    """For every primitive: the rows of every entity, no more and no fewer."""
    write(database, case)
    design = Design(case.model, case.collections)
    for entity, view in home_views(design).items():
        rows = list(read_rows(database, aggregation(view), case.model.entity(entity)))
        assert bag(case, entity, rows) == bag(case, entity, case.rows[entity]), describe_step(view.step)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_raw_rows_are_what_a_row_encoder_writes(database: Database[Any], case: Case) -> None:
    """A raw row has the same bytes as the row encoded here: what makes comparing fingerprints work."""
    write(database, case)
    design = Design(case.model, case.collections)
    for entity, view in home_views(design).items():
        raw = Counter(bytes(row) for row in read_raw(database, aggregation(view)))
        assert raw == bag(case, entity, case.rows[entity])


def test_every_case_has_rows_for_every_entity() -> None:
    """A case without rows would prove nothing."""
    for case in CASES:
        assert set(case.rows) == {entity.name for entity in case.model.entities}
        assert all(case.rows.values())


def test_an_access_path_says_itself_in_words() -> None:
    """The words name collections, fields and attributes, in the order things are done."""
    design = Design(OVERFLOW.model, OVERFLOW.collections)
    assert describe_step(home_view(design, "line").step) == (
        "  read the documents of `orders`\n"
        "  for each element of `lines`\n"
        "  take 0 = `_id`, 1 = `lines.no`, 2 = `lines.quantity`\n"
        "and then\n"
        "  read the documents of `more_lines`\n"
        "  for each element of `lines`\n"
        "  take 0 = `order_id`, 1 = `lines.no`, 2 = `lines.quantity`\n"
        "and then\n"
        "  read the documents of `stray_lines`\n"
        "  take 0 = `_id.order_id`, 1 = `_id.no`, 2 = `quantity`"
    )


def test_a_lookup_says_what_it_looks_for() -> None:
    """A listed foreign key names the parent's collection and the array of ids."""
    design = Design(LISTED.model, LISTED.collections)
    text = describe_step(home_view(design, "badge").step)
    assert "look up where `badges.id` is or holds {a: `a`, b: `b`}:\n  read the documents of `players`" in text


def test_an_entity_without_a_home_is_an_error() -> None:
    """It names the entity."""
    design = Design(OVERFLOW.model, OVERFLOW.collections)
    with pytest.raises(DesignError, match="no entity `nothing`"):
        home_view(design, "nothing")


@pytest.mark.parametrize(("entity", "index"), [("player", "player_ids_1"), ("badge", "badges.id_1")])
def test_listed_foreign_keys_are_found_by_index(database: Database[Any], entity: str, index: str) -> None:
    """A lookup into the arrays of ids scans no collection: reading home takes time in proportion to the rows."""
    write(database, LISTED)
    design = Design(LISTED.model, LISTED.collections)
    create_indexes(database, index_commands(design))
    query = aggregation(home_view(design, entity))
    command = {"aggregate": query.collection, "pipeline": list(query.stages), "cursor": {}}
    plan = database.command("explain", command, verbosity="executionStats")
    lookups = [stage for stage in plan["stages"] if "$lookup" in stage]
    assert index in {name for stage in lookups for name in stage["indexesUsed"]}
    assert not any(stage["collectionScans"] for stage in lookups)
