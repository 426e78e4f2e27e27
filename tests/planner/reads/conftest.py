"""The shop of the read tests, loaded by each strategy, and by one for whoever looks at one rewrite; and a blog."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.ir.primitives import Form
from nestling.ir.proposal import Proposal
from tests.planner.reads import blog as of_blog
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


@pytest.fixture(scope="module", params=[Form.SCALARS, Form.ARRAY])
def blog(
    request: pytest.FixtureRequest, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Beside]:
    """The blog, its words bare values or documents."""
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    found = loaded(
        Proposal("test", of_blog.design(request.param)), of_blog.ROWS, database, tmp_path_factory.mktemp(request.param)
    )
    yield Beside(found.design, found.database, found.connection, of_blog.STATISTICS)
    mongo_client.drop_database(database.name)
