"""A covered index is chosen where fetching documents is what a frequent read costs, and the server then fetches none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.executors.run import run_read
from nestling.ir.primitives import Index
from nestling.ir.programs.compiled import bind
from nestling.ir.situation.situation import situation
from nestling.ir.situation.thresholds import Thresholds
from nestling.ir.statements.algebra import Query
from nestling.ir.statements.operators import Collation
from nestling.ir.types import TEXT
from nestling.patterns.covered_index import candidates
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from tests.patterns.scenario import Scenario, chosen, index_keys, scenario

DDL = """CREATE TABLE article (id INTEGER PRIMARY KEY, shelf INTEGER NOT NULL, price INTEGER NOT NULL, name TEXT NOT NULL,
    text TEXT NOT NULL);"""
WORKLOAD = """
-- name: prices, rate: 200/s
-- params: {"shelf": 3}
SELECT id, price FROM article WHERE shelf = :shelf;

-- name: reprice, rate: 1/s
-- params: {"id": 7, "price": 8}
UPDATE article SET price = :price WHERE id = :id;
"""
COVERED = "index of article on shelf, id, price"


def articles(folder: Path) -> Scenario:
    """A thousand articles on five shelves, with a long text each."""
    rows = [(n, n % 5, n, f"article {n}", "about " * 100) for n in range(1000)]
    return scenario(folder, DDL, {"article": rows}, WORKLOAD)


def test_a_covered_index_saves_the_documents(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Two hundred documents a look are saved at one entry changed a second; the server examines no document."""
    application = articles(tmp_path)
    proposal = application.designed()
    assert chosen(proposal, "covered-index") == [COVERED]
    application.proved(proposal, database)
    read = bind(application.compiled(proposal, "prices"), {"shelf": 3})
    assert len(list(run_read(database, read))) == 200
    told = database.command(
        "explain",
        {"find": read.collection, "filter": read.filter, "projection": read.projection},
        verbosity="executionStats",
    )
    assert told["executionStats"]["totalDocsExamined"] == 0


def test_prices_that_change_all_the_time_are_fetched(tmp_path: Path) -> None:
    """At a thousand changes for each look the wide index costs more than it saves: the shelf alone is indexed, or nothing."""
    proposal = articles(tmp_path).with_rates(prices=0.1, reprice=1000.0).designed()
    assert chosen(proposal, "covered-index") == []
    assert ["shelf", "_id", "price"] not in index_keys(proposal)


def test_an_index_of_a_collation_covers_nothing(tmp_path: Path) -> None:
    """It holds what sorts texts, not the texts: where shelves are texts whatever their case, no covered index is proposed."""
    reading = articles(tmp_path).reading
    (article,) = reading.model.entities
    for rule, proposed in ((Collation.BINARY, 1), (Collation.UNICODE_CI, 0)):
        attributes = (
            replace(each, type=TEXT, collation=rule) if each.name == "shelf" else each for each in article.attributes
        )
        model = replace(reading.model, entities=(replace(article, attributes=tuple(attributes)),))
        assert len([*candidates(situation(replace(reading, model=model), Thresholds()))]) == proposed


def test_what_asks_for_null_is_not_covered(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """For IS NULL the server reads the documents, whatever the index holds: no covered index is proposed, nor priced as one."""
    ddl = DDL.replace("shelf INTEGER NOT NULL", "shelf INTEGER")
    rows = [(n, n % 5 or None, n, f"article {n}", "about " * 100) for n in range(1000)]
    unshelved = WORKLOAD.replace("shelf = :shelf", "shelf IS NULL").replace('{"shelf": 3}', "{}")
    application = scenario(tmp_path, ddl, {"article": rows}, unshelved)
    proposal = application.designed()
    assert chosen(proposal, "covered-index") == []
    keys = (("shelf", 1), ("price", 1))
    held = replace(proposal, design=replace(proposal.design, indexes=(Index("article", (*keys, ("_id", 1))),)))
    application.proved(held, database)
    read = application.compiled(held, "prices")
    told = database.command(
        "explain",
        {"find": read.collection, "filter": read.filter, "projection": read.projection},
        verbosity="executionStats",
    )
    assert told["executionStats"]["totalDocsExamined"] == 200
    statement = next(each for each in application.reading.workload.statements if each.name == "prices")
    query = translate(statement.sql, held.design.model, "sqlite")
    assert isinstance(query, Query)
    plan = plan_read(query, held.design, statistics=held.statistics)
    assert estimate(plan, held.design, held.statistics).documents == pytest.approx(200)
