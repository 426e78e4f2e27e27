"""Law 2 between designs: moving D1 to D2 while random statements run on D1 equals what SQLite holds after the same ones.

The data is small and random, the designs use every primitive; statements run whenever the migration says how far it is.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.errors import GapError, LoadError
from nestling.ir.design import Design
from tests.executors.migrate.moves import Moving
from tests.generators.designs import designs
from tests.generators.enriched import enriched
from tests.generators.plain_worlds import plain
from tests.generators.worlds import World, worlds
from tests.laws.tally import Counts
from tests.soaking import SOAKING, examples

MOVES = examples(4, 500, "NESTLING_MOVES")
"""A move takes a second or two; so many keep the default suite quick. Set NESTLING_MOVES for any other number."""


@contextmanager
def fresh(client: MongoClient[dict[str, Any]]) -> Iterator[tuple[Database[Any], Path]]:
    """A database and a folder of our own."""
    name = f"law_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield client[name], Path(folder)
        finally:
            client.drop_database(name)


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
        try:
            report = moving.between()
        except (GapError, LoadError) as error:
            if isinstance(error, LoadError) and "slot" not in str(error):
                raise
            tally["moves", f"refused: {str(error).splitlines()[0]}"] += 1  # a row the new design has no place for
            return
        assert report.equal
        moving.check()
    tally["moves", "done"] += 1
    tally["moves", "statements meanwhile"] += len(moving.run.done)
