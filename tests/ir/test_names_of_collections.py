"""An entity of any name has a collection that MongoDB takes."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.storage.names import collection_name


@pytest.mark.parametrize("entity", ["", ".", "a.", ".a", "a..b", "system.b", "a$b", "a\0b", "a.b", "e f"])
def test_a_collection_for_any_entity(entity: str, database: Database[Any]) -> None:
    """What cannot stand in a name has a look-alike, and the rest of it stays."""
    name = collection_name(entity)
    database[name].insert_one({"_id": 1})
    assert database.list_collection_names() == [name]
    assert (name == entity) == (entity in ("a.b", "e f"))
