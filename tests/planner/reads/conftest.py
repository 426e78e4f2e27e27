"""The shop of the read tests, loaded by each strategy, and by one for whoever looks at one rewrite."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from tests.planner.reads.beside_sqlite import Beside, loaded
from tests.planner.reads.shop import READING, ROWS


@pytest.fixture(scope="package")
def normalized_shop(
    mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Beside]:
    """The shop in a collection for each table."""
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    yield loaded(pipeline.design(READING, "normalized"), ROWS, database, tmp_path_factory.mktemp("normalized"))
    mongo_client.drop_database(database.name)


@pytest.fixture(scope="package", params=["normalized", "embedded", "tree"])
def shop(
    request: pytest.FixtureRequest, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Beside]:
    """The shop loaded by one strategy's design."""
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    proposal = pipeline.design(READING, request.param)
    yield loaded(proposal, ROWS, database, tmp_path_factory.mktemp(request.param))
    mongo_client.drop_database(database.name)
