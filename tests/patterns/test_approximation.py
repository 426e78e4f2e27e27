"""A count that may lack a little is written only when it has grown by a step, where the background sync keeps it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.executors.sync import SyncOptions, sync
from nestling.ir.freshness import Freshness
from nestling.ir.proposal import Proposal
from nestling.ir.workload import Requirements
from nestling.pipeline.syncing import sync_plan
from nestling.store import Store
from tests.patterns.scenario import Scenario, chosen, scenario
from tests.two_prices import two_prices

DDL = """CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE visit (id INTEGER PRIMARY KEY, page_id INTEGER NOT NULL REFERENCES page (id), reader TEXT NOT NULL);"""
WORKLOAD = """
-- name: page, rate: 3000/s
-- params: {"id": 3}
SELECT p.title, (SELECT count(*) FROM visit v WHERE v.page_id = p.id) FROM page p WHERE p.id = :id;

-- name: of_reader, rate: 20/s
-- params: {"reader": "reader 7"}
SELECT page_id FROM visit WHERE reader = :reader;

-- name: visited, rate: 100/s
-- params: {"id": 100001, "page": 3, "reader": "somebody"}
INSERT INTO visit (id, page_id, reader) VALUES (:id, :page, :reader);
"""
STEP = 10


def pages(folder: Path, *, tolerance: bool = True, behind: bool = True) -> Scenario:
    """Twenty pages, each visited some fifteen times; readers take counts that lack a few visits, and old ones, unless said."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "page": [(n, f"page {n}") for n in range(20)],
        "visit": [(n, n % 20, f"reader {n % 90}") for n in range(297)],
    }
    made = scenario(folder, DDL, rows, WORKLOAD)
    link = made.reading.model.relationships[0].name
    freshness = ((link, Freshness.parse("async(10s)")),) if behind else ()
    return made.with_requirements(Requirements(freshness=freshness, tolerance=((link, STEP),) if tolerance else ()))


def steps(proposal: Proposal) -> list[int]:
    """The steps of the counts that are kept."""
    return [each.step for made in proposal.design.collections for each in made.body.computed]


@pytest.mark.thorough
def test_a_page_is_not_written_for_each_visit(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Answers lack less than a step when loaded, and again once the sync has followed; it writes the page once in a step."""
    application = pages(tmp_path)
    proposal = application.designed()
    assert steps(proposal) == [STEP]
    assert chosen(proposal, "approximation") == [f"count of visit in page by page_visit, in steps of {STEP}"]
    read = application.compiled(proposal, "page")
    assert "look up" not in read.access_path
    loaded = pipeline.load(proposal, application.address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal
    with closing(sqlite3.connect(application.address.removeprefix("sqlite:///"))) as connection:
        exact = dict(connection.execute("SELECT page_id, count(*) FROM visit GROUP BY page_id"))
    store, plan, written = (
        Store(proposal, database, workload=application.reading.workload),
        sync_plan(proposal.design),
        0,
    )
    sync(database, plan, SyncOptions(once=True))
    for number in range(2 * STEP):
        left = store.run("visited", id=1000 + number, page=3, reader="somebody").left
        assert left == ("page.visit_count",)
        written += sync(database, plan, SyncOptions(once=True)).written
    assert written == 2
    exact[3] += 2 * STEP
    for page, number in exact.items():
        ((_, counted),) = run_read(database, read, {"id": page})
        assert counted == number - number % STEP
    assert pipeline.check(proposal, database).clean


def test_the_count_is_exact_where_nothing_may_lack(tmp_path: Path) -> None:
    """Without a tolerance there is no candidate; where readers want every visit at once, adding one to a number is the least."""
    application = pages(tmp_path, tolerance=False).with_rates(page=8000.0)
    assert steps(application.designed()) == [1]
    assert not [each for each in application.designed().weighed if each.pattern == "approximation"]
    assert steps(pages(tmp_path, behind=False).with_rates(page=8000.0).designed()) == [1]


@pytest.mark.thorough
def test_pages_seldom_read_are_counted_when_asked(tmp_path: Path) -> None:
    """The design turns where its explanation says: below some reads of a page for each visit, nothing is kept."""
    application = pages(tmp_path)
    weighed = next(each for each in application.explained().weighed if each.pattern == "approximation")
    flip = next(each for each in weighed.flips if each.quantity == "rate of page")
    assert flip.at == pytest.approx(570, rel=0.2)
    assert steps(application.with_rates(page=flip.at * 1.02).explained()) == [STEP]
    assert steps(application.with_rates(page=flip.at * 0.98).explained()) == []


@pytest.mark.thorough
def test_rough_counts_are_priced_as_they_are_compiled(tmp_path: Path) -> None:
    """Counted anew, and the page written once in so many visits: the statement's price is within that of its program."""
    application = pages(tmp_path)
    rough = application.designed()
    found = two_prices(application.reading, rough)
    assert found.keys() == {"page", "of_reader", "visited"}
    assert {name: each for name, each in found.items() if each.factor >= 2} == {}
