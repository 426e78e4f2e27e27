"""What a write waits until it is on disk is measured."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database
from pymongo.write_concern import WriteConcern

from nestling.executors.drive import disk_wait


def test_a_write_waits_for_the_disk(database: Database[dict[str, Any]]) -> None:
    """Longer than one that waits for nothing; the scratch collection is gone."""
    at_once = database.with_options(write_concern=WriteConcern(w=1, j=False))
    journaled = database.with_options(write_concern=WriteConcern(w="majority", j=True))
    assert disk_wait(journaled) > disk_wait(at_once)
    assert database.list_collection_names() == []
