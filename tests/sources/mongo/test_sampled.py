"""Numbers of a collection of which only some documents are read say so, and tell of all of them."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling.executors.facts import Amount
from nestling.ir.statistics import AttributeStatistics, Origin, Quantity
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


def test_fan_outs_are_over_all_parents(database: Database[Any]) -> None:
    """Documents without an array, or with null for a sub-document, have no rows there; what is in between is inferred."""
    friends = [{"with": n, "since": 2000 + n} for n in range(3)]
    database.people.insert_many(
        [
            {
                "_id": n,
                "card": {"number": f"c{n}", "level": n} if n % 10 == 0 else None,
                **({"friends": friends} if n % 6 == 0 else {}),
                **({"pets": [{"name": f"p{k}", "age": k} for k in range(1 + n % 5)]} if n % 4 else {}),
            }
            for n in range(600)
        ]
    )
    reading = look(database).reading
    assert reading.model.hierarchies == ()
    by_child = {link.child: reading.statistics.relationship(link.name) for link in reading.model.relationships}
    card, few, pets = (by_child[each] for each in ("card", "friends", "pets"))
    assert value(card.mean) == 0.1
    assert (value(few.mean), value(few.p50), value(few.p95), value(few.maximum)) == (0.5, 0, 3, 3)
    assert few.p50 is not None
    assert few.p50.origin is Origin.MEASURED
    sizes = sorted((1 + n % 5) if n % 4 else 0 for n in range(600))
    assert value(pets.mean) == pytest.approx(sum(sizes) / 600)
    assert abs(value(pets.p50) - sizes[300]) <= 1
    assert abs(value(pets.p95) - sizes[570]) <= 1
    assert pets.p50 is not None
    assert pets.p50.origin is Origin.INFERRED


def value(quantity: Quantity | None) -> float:
    """The value of a quantity that is known."""
    assert quantity is not None
    return quantity.value
