"""Orders of arrays that no values tell, where a migration would lose them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.emitters.field_searches.reordered import reordered
from nestling.executors.found_fields import find_fields
from nestling.ir.design import Design
from nestling.ir.primitives import Order
from nestling.ir.proposal import Proposal
from tests.emitters.designs import DESIGNS, orders
from tests.emitters.test_loaded import rows_of
from tests.sqlite_rows import sqlite_source

Documents = Database[dict[str, Any]]
STEPS = ["peel", "cut", "boil"]


def ordered(design: Design, order: Order) -> Design:
    """The design with the steps in this order."""
    posts = next(each for each in design.collections if each.name == "posts")
    embeddings = tuple(
        replace(each, order=(order,)) if each.field == "steps" else each for each in posts.body.embeddings
    )
    others = tuple(each for each in design.collections if each is not posts)
    return replace(design, collections=(*others, replace(posts, body=replace(posts.body, embeddings=embeddings))))


def told(error: MigrationError) -> set[str]:
    """The paths a refusal names."""
    return {each.what.split("`")[1] for each in error.problems}


def designs(mongod: Server, database: Documents, strategy: str = "normalized") -> tuple[Proposal, Proposal]:
    """What is there, and another design of it."""
    found = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"))
    return found.in_place, pipeline.design(found.reading, strategy)


def test_an_order_no_value_tells_is_not_lost(mongod: Server, database: Documents) -> None:
    """Migrating is refused before anything is built, names the array, and goes on when told to."""
    database.posts.insert_many([{"_id": n, "steps": STEPS if n > 1 else sorted(STEPS)} for n in range(20)])
    moves = designs(mongod, database)
    with pytest.raises(MigrationError, match=r"(?s)`posts.steps` in 18 documents, such as _id 2, .*`--drop-order`"):
        pipeline.migrate(*moves, database)
    assert database.list_collection_names() == ["posts"]
    risks = pipeline.plan_migration(*moves, database).risks
    assert any("`posts.steps` in 18 documents, such as _id 2, is in an order" in each for each in risks)
    assert pipeline.migrate(*moves, database, cutover=True, may_lose=["order"]).equal


@pytest.mark.thorough
def test_an_array_in_the_order_of_its_key_passes(mongod: Server, database: Documents) -> None:
    """Also where it is empty or has one element."""
    arrays = [sorted(STEPS), [], ["peel"]]
    database.posts.insert_many([{"_id": n, "steps": arrays[n % 3]} for n in range(20)])
    assert pipeline.migrate(*designs(mongod, database), database, cutover=True).equal


@pytest.mark.thorough
def test_a_field_tells_the_order(mongod: Server, database: Documents) -> None:
    """What the old design's array is ordered by comes before the key; its direction counts."""
    steps = [{"name": name, "place": place} for place, name in enumerate(STEPS)]
    database.posts.insert_many([{"_id": n, "steps": steps} for n in range(20)])
    old, new = designs(mongod, database)
    moves = Proposal("", ordered(old.design, Order("place"))), new
    backwards = Proposal("", ordered(old.design, Order("place", descending=True))), new
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*backwards, database)
    assert told(refused.value) == {"posts.steps"}
    assert pipeline.migrate(*moves, database, cutover=True).equal


@pytest.mark.thorough
def test_arrays_in_arrays(mongod: Server, database: Documents) -> None:
    """Elements' own arrays are looked at, by the path they have."""
    steps = (["a", "b"], ["c", "b"])
    posts = [{"_id": n, "parts": [{"_id": 2 * n + i, "steps": steps[i]} for i in range(2)]} for n in range(20)]
    database.posts.insert_many(posts)
    moves = designs(mongod, database)
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, database)
    assert told(refused.value) == {"posts.parts[].steps"}


def test_what_stays_is_not_looked_at(mongod: Server, database: Documents) -> None:
    """A collection that is not rewritten keeps its arrays as they are."""
    database.posts.insert_many([{"_id": n, "steps": STEPS} for n in range(20)])
    old, _ = designs(mongod, database)
    assert pipeline.migrate(old, old, database).equal
    assert database.posts.find_one({"_id": 0}) == {"_id": 0, "steps": STEPS}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("made", DESIGNS)
def test_what_is_loaded_is_in_order(made: str, database: Documents, tmp_path: Path) -> None:
    """On every primitive, loading leaves no order that values do not tell."""
    design = DESIGNS[made]()
    sqlite_source(tmp_path / "rows.db", design.model, rows_of(design))
    pipeline.load(Proposal("", design), f"sqlite:///{tmp_path / 'rows.db'}", database, check=False)
    assert find_fields(database, reordered(design, design)) == ()


def test_pages_are_looked_at(database: Documents, tmp_path: Path) -> None:
    """What an array had no room for has an order, too."""
    design = orders()
    sqlite_source(tmp_path / "rows.db", design.model, rows_of(design))
    pipeline.load(Proposal("", design), f"sqlite:///{tmp_path / 'rows.db'}", database, check=False)
    turned = 0
    for store in ("orders", "order_lines"):
        for each in database[store].find({"lines.1": {"$exists": True}}):
            database[store].update_one({"_id": each["_id"]}, {"$set": {"lines": each["lines"][::-1]}})
            turned += 1
    assert turned > 0
    assert sum(each.documents for each in find_fields(database, reordered(design, design))) == turned
