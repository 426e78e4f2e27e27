"""A live database with an array that grows past the document bound: it does not stay as it is, or a warning says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.cli.parts.design_tables import show_changes
from nestling.common.server import Server
from nestling.ir.capture.coverage import Watched
from nestling.ir.design_problem import CHANGE
from nestling.ir.proposal import Choice
from nestling.pipeline import Redesign
from nestling.sources.mongo import LiveDatabase

WORKLOAD = """-- window: 86400 s
-- name: posts_like, rate: 50/s
SELECT _id FROM posts WHERE body LIKE :pattern LIMIT 3;
-- name: add_review, rate: {added}/s
INSERT INTO reviews (product_id, "user", stars) VALUES (:product, :user, :stars);
-- name: product_page, rate: 50/s
SELECT p.name, r.stars FROM products p LEFT JOIN reviews r ON r.product_id = p._id WHERE p._id = :id;
"""

CHEAP_TODAY = """-- window: 86400 s
-- name: add_review, rate: 50/s
INSERT INTO reviews (product_id, "user", stars) VALUES (:product, :user, :stars);
-- name: product_page, rate: 500/s
SELECT p.name, r.stars FROM products p LEFT JOIN reviews r ON r.product_id = p._id WHERE p._id = :id;
"""


@pytest.fixture
def products(database: Database[Any]) -> Database[Any]:
    """Products with their reviews inside, a few of which have many, and posts that cost most."""
    database.products.insert_many(
        {"_id": n, "name": f"P{n}", "reviews": [{"user": k, "stars": k % 5} for k in range(900 if n == 7 else n % 9)]}
        for n in range(100)
    )
    database.posts.insert_many({"_id": n, "body": "lorem ipsum " * 200} for n in range(1000))
    return database


def _found(mongod: Server, database: Database[Any], folder: Path, added: float) -> LiveDatabase:
    file = folder / "w.sql"
    file.write_text(WORKLOAD.format(added=added))
    return pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"), workload=file)


def _choice(made: Redesign) -> Choice:
    decision = made.proposal.decision("products_reviews")
    assert decision is not None
    return decision.choice


@pytest.mark.thorough
def test_what_will_not_fit_does_not_stay(mongod: Server, products: Database[Any], tmp_path: Path) -> None:
    """Though it saves less than what a change has to save, the array goes, and a note says why."""
    made = pipeline.redesign(_found(mongod, products, tmp_path, 50), "optimal")
    assert _choice(made) is Choice.PARENT_REFERENCE
    assert [each for each in made.proposal.notes if "a document of `products` reaches" in each]
    assert made.warning == ""
    small = pipeline.redesign(_found(mongod, products, tmp_path, 1e-6), "optimal")
    assert _choice(small) is Choice.EMBED
    assert not [each for each in small.proposal.notes if "reaches" in each]


def test_what_costs_more_says_why_first(
    mongod: Server, products: Database[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A design that costs more than today's begins with the document that will not fit; nothing saves less than nothing."""
    file = tmp_path / "w.sql"
    file.write_text(CHEAP_TODAY)
    made = pipeline.redesign(
        pipeline.in_place(mongod.uri.replace("/?", f"/{products.name}?"), workload=file), "optimal"
    )
    assert made.today is not None
    assert made.better is not None
    assert made.better > made.today
    show_changes(made)
    said = capsys.readouterr().out.split()
    text = " ".join(said)
    assert text.startswith("today's design will not last: a document of `products` reaches")
    assert " costs " in text
    assert "today's is cheaper only as long as its documents fit" in text
    assert "Changes that cost are there because today's documents will not fit" in text
    assert not [each for each in said if each.startswith("-") and each[1:2].isdigit()]
    assert made.proposal.notes[0] == made.outgrown[0]


def test_what_has_to_stay_is_warned_of(mongod: Server, products: Database[Any], tmp_path: Path) -> None:
    """Where nobody knows what is read, nothing of today's goes: the warning has the size and the bound."""
    found = _found(mongod, products, tmp_path, 50)
    made = pipeline.redesign(replace(found, watched=Watched(5, 0, 456.0, slow_only=True)), "optimal")
    assert made.changes == ()
    assert "a document of `products` reaches" in made.warning
    assert "the bound is 16.8 MB" in made.warning


@pytest.mark.thorough
def test_the_threshold_is_named(mongod: Server, products: Database[Any], tmp_path: Path) -> None:
    """What a change has to save is told apart from what anything costs."""
    made = pipeline.redesign(_found(mongod, products, tmp_path, 1e-6), "optimal")
    decision = made.proposal.decision("products_reviews")
    assert decision is not None
    said = " ".join(reason.text for reason in decision.reasons)
    assert CHANGE in said
    assert "stays" in next(reason.text for reason in decision.reasons if reason.rule == "cost")
    assert made.proposal.costs is not None
    assert made.proposal.costs.threshold == 0.0


@pytest.mark.thorough
def test_the_library_decides_as_the_command(mongod: Server, products: Database[Any], tmp_path: Path) -> None:
    """`design` of a reading of a live database weighs today's design, as `nestling design` does."""
    found = _found(mongod, products, tmp_path, 50)
    for strategy in ("optimal", "tree"):
        made = pipeline.redesign(found, strategy)
        assert pipeline.design(found.reading, strategy).design == made.proposal.design
    reading = pipeline.inspect(mongod.uri.replace("/?", f"/{products.name}?"), workload=tmp_path / "w.sql")
    assert pipeline.design(reading).design == pipeline.redesign(found, "optimal").proposal.design
