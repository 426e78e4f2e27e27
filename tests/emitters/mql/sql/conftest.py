"""The torture table, in SQLite and in MongoDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.collection import Collection

from tests.emitters.mql.sql import torture
from tests.emitters.mql.sql.beside import open_table
from tests.planner.sql.sqlite_oracle import Oracle

Table = tuple[Oracle, Collection[dict[str, Any]]]


@pytest.fixture(scope="module")
def table(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Table]:
    """The same rows on both sides."""
    collection = mongo_client["torture"]["t"]
    collection.drop()
    yield open_table(torture.database(), collection), collection
    mongo_client.drop_database("torture")
