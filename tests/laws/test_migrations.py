"""Law 2 between designs: moving D1 to D2 while random statements run on D1 equals what SQLite holds after the same ones.

Some documents have fields that no design knows: these are not lost without a word (law 3).
The data is small and random, the designs use every primitive; statements run whenever the migration says how far it is.
"""

from __future__ import annotations

import random
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.errors import GapError, LoadError, MigrationError
from nestling.emitters.documents import documents
from nestling.emitters.field_searches.unknown_fields import unknown_fields
from nestling.executors.exact import exact
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.losses import MOST_LOSSES, is_of_id
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps
from nestling.ir.migration import Loss
from nestling.ir.primitives import CollectionKind
from nestling.ir.values import Policy
from nestling.pipeline.migration_job import job_of
from tests.executors.migrate.moves import Moving
from tests.foreign_documents import strewn, without_empty
from tests.generators.crossed_worlds import crossed_worlds
from tests.generators.designs import designs
from tests.generators.enriched import enriched
from tests.generators.plain_worlds import plain
from tests.generators.worlds import World, worlds
from tests.laws.tally import Counts
from tests.soaking import SOAKING, examples

MOVES = examples(4, 500, "NESTLING_MOVES")
"""A move takes a second or two; so many keep the default suite quick. Set NESTLING_MOVES for any other number."""
STREWN = frozenset({Loss.UNKNOWN, Loss.COPIES})
"""What is lost where fields were put anywhere: one put into a copy makes it differ."""


@contextmanager
def fresh(client: MongoClient[dict[str, Any]]) -> Iterator[tuple[Database[Any], Path]]:
    """A database and a folder of our own."""
    name = f"law_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield client[name], Path(folder)
        finally:
            client.drop_database(name)


REFUSED = (
    "the bounds (",
    "cannot be renamed",
    "slot",
    "it has no key and equals another row",
    "has its fields in a different order than the new design",
)
"""What the new design has no place for: bounds and rows of today, and rows and `_id`s that writes in between have made."""


@contextmanager
def refusals(tally: Counts) -> Iterator[list[str]]:
    """Gaps, and what the new design has no place for: counted, and told in the list."""
    found: list[str] = []
    try:
        yield found
    except (GapError, LoadError, MigrationError) as error:
        if not isinstance(error, GapError) and not any(each in str(error) for each in REFUSED):
            raise
        found.append(str(error).splitlines()[0])
        tally["moves", f"refused: {found[0]}"] += 1


@pytest.mark.timeout(0 if SOAKING else 900)  # finding the smallest example of a failure takes minutes
@given(st.data())
@settings(max_examples=MOVES, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_move_under_writes_loses_nothing(
    mongo_client: MongoClient[dict[str, Any]], tally: Counts, data: st.DataObject
) -> None:
    """Any world, two designs of it, and statements in between: after the cutover the new design holds all of it."""
    world: World = plain(data.draw(worlds(entities=3, rows=4).filter(lambda drawn: not drawn.loose)))
    old: Design = data.draw(enriched(data.draw(designs(world)), most=2))
    new: Design = data.draw(enriched(data.draw(designs(world)), most=2))
    new = Design(old.model, new.collections, new.indexes)
    seed = data.draw(st.integers(0, 1 << 30))
    with fresh(mongo_client) as (database, folder):
        try:
            moving = Moving(world, old, new, database, folder, seed)
        except LoadError:
            return  # what loading itself refuses is another law's affair
        is_strewn = data.draw(st.booleans()) and _refuses_unknown(moving, random.Random(seed))
        is_bare = data.draw(st.booleans()) and _left_out(moving, random.Random(seed)) > 0
        may_lose = STREWN if is_strewn else frozenset[Loss]()
        is_reordered = _refuses_id_orders(moving, may_lose)
        tally["moves", "where empty arrays are missing"] += is_bare
        tally["moves", "refused: orders of `_id`s"] += is_reordered
        tally["moves", "refused: fields that would be lost"] += is_strewn
        if is_reordered:
            may_lose |= {Loss.ID_ORDER}
        with refusals(tally) as refused:
            assert moving.between(may_lose=may_lose, each=0 if is_bare else 2).equal
        if refused:
            return
        moving.check()
    tally["moves", "done"] += 1
    tally["moves", "statements meanwhile"] += len(moving.run.done)


@pytest.mark.timeout(0 if SOAKING else 900)
@given(st.data())
@settings(max_examples=MOVES, deadline=None, suppress_health_check=list(HealthCheck))
def test_composite_keys_that_share_parts_under_writes(
    mongo_client: MongoClient[dict[str, Any]], tally: Counts, data: st.DataObject
) -> None:
    """Rows change whose keys have parts in common with those of other rows, which have children too."""
    world = data.draw(crossed_worlds())
    old, new = data.draw(designs(world)), data.draw(designs(world))
    with fresh(mongo_client) as (database, folder):
        with refusals(tally) as refused:
            moving = Moving(world, old, new, database, folder, data.draw(st.integers(0, 1 << 30)))
            assert moving.between(each=6).equal
        if refused:
            return
        moving.check()
    tally["moves", "done, composite keys"] += 1


def _refuses_unknown(moving: Moving, chance: random.Random) -> bool:
    """Put fields anywhere; a migration then names those it would lose, and writes nothing. Whether there were some."""
    put = _strew(moving, chance)
    kept = job_of(moving.old, moving.new, moving.database, Policy()).kept
    lost = {(name, steps): ids for (name, steps), ids in put.items() if name not in kept}
    if not lost:
        return False
    there = set(moving.database.list_collection_names())
    found = find_fields(moving.database, unknown_fields(moving.old))
    assert {(each.collection, each.steps): each.documents for each in found} == dict(put)
    with pytest.raises(MigrationError, match="would be lost") as refused:
        moving.between(each=0)
    assert sum("is not in the designs" in str(each) for each in refused.value.problems) == min(len(lost), MOST_LOSSES)
    assert set(moving.database.list_collection_names()) == there
    return True


def _refuses_id_orders(moving: Moving, may_lose: frozenset[Loss]) -> bool:
    """Where an `_id` would get another order, a migration says so and writes nothing. Whether there was one."""
    job = job_of(moving.old, moving.new, moving.database, Policy())
    if not any(is_of_id(each) for each in find_fields(moving.database, job.searches.field_orders)):
        return False
    there = set(moving.database.list_collection_names())
    with pytest.raises(MigrationError, match="has its fields in a different order than the new design"):
        moving.between(may_lose=may_lose, each=0)
    assert set(moving.database.list_collection_names()) == there
    return True


def _left_out(moving: Moving, chance: random.Random) -> int:
    """Take empty arrays of rows out of some documents, as other applications leave them out; how many documents changed."""
    kept = job_of(moving.old, moving.new, moving.database, Policy()).kept
    changed = 0
    for store in moving.old.stores:
        if store.options.kind in (CollectionKind.TIME_SERIES, CollectionKind.CAPPED) or store.name in kept:
            continue
        collection = exact(moving.database)[store.name]
        collection.database.command("collMod", store.name, validator={})
        for document in list(collection.find()):
            if sum([without_empty(document, kind, chance) for kind in documents(moving.old, store)]):
                collection.update_one({"_id": document["_id"]}, [{"$replaceWith": {"$literal": document}}])
                changed += 1
    return changed


def _strew(moving: Moving, chance: random.Random) -> Counter[tuple[str, FieldSteps]]:
    """Put fields into some documents; how many have each, by collection and path."""
    put = Counter[tuple[str, FieldSteps]]()
    for store in moving.old.stores:
        if store.options.kind in (CollectionKind.TIME_SERIES, CollectionKind.CAPPED):
            continue
        collection = exact(moving.database)[store.name]
        for document in list(collection.find()):
            if found := strewn(document, documents(moving.old, store), chance, everywhere=False):
                whole = [{"$replaceWith": {"$literal": document}}]  # a replacement may have no `$z`
                collection.update_one({"_id": document["_id"]}, whole)
                put.update((store.name, steps) for steps in found)
    return put
