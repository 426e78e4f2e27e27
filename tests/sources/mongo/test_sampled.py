"""Numbers of a collection of which only some documents are read say so, and tell of all of them."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling.executors.facts import Amount
from nestling.ir.statistics import AttributeStatistics, Origin
from tests.sources.mongo.test_uuids import look


@pytest.fixture
def posts(database: Database[Any]) -> Database[Any]:
    """Two thousand posts."""
    database.posts.insert_many([{"_id": n, "title": f"post {n}", "kind": n % 5} for n in range(2000)])
    return database


def known(database: Database[Any], name: str, amount: Amount) -> AttributeStatistics:
    """What is known of an attribute of the posts."""
    return look(database, amount).reading.statistics.entity("posts").attribute(name)


def test_a_sample_tells_how_many_values_there_are(posts: Database[Any]) -> None:
    """All differ where nearly all do among those read; a key always has as many as there are rows."""
    key, title, kind = (known(posts, name, Amount(documents=200)).distinct for name in ("_id", "title", "kind"))
    assert key is not None
    assert title is not None
    assert kind is not None
    assert (key.value, key.origin) == (2000, Origin.INFERRED)
    assert title.value > 1800
    assert title.rows is not None
    assert 100 < title.rows < 400
    assert kind.value == 5


def test_all_of_it_needs_no_such_word(posts: Database[Any]) -> None:
    """Where every document is read."""
    title = known(posts, "title", Amount()).distinct
    assert title is not None
    assert title.rows is None
    assert title.value == pytest.approx(2000, rel=0.05)
