"""Old rows get a collection of their own where reading through the others alone saves more than looking in two places costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.programs.compiled import bind
from nestling.optimizer.solve import solve
from nestling.pipeline.designing import posed_problem, priced_problem
from nestling.store import Store
from tests.optimizer.exhaustive import exhaustive
from tests.patterns.scenario import Scenario, chosen, scenario
from tests.two_prices import two_prices

DDL = """CREATE TABLE store (id TEXT PRIMARY KEY, city TEXT NOT NULL);
CREATE TABLE sale (code TEXT PRIMARY KEY, store_id TEXT NOT NULL REFERENCES store (id), region TEXT NOT NULL, kind TEXT NOT NULL,
    channel TEXT NOT NULL, clerk TEXT NOT NULL, quantity INTEGER NOT NULL, total INTEGER NOT NULL,
    discount INTEGER NOT NULL, points INTEGER NOT NULL, sold TIMESTAMP NOT NULL);"""
WORKLOAD = """
-- name: by_region, rate: 20/s
-- params: {"since": "2026-01-01 00:00:00"}
SELECT region, kind, sum(total), sum(quantity), max(discount), min(points) FROM sale WHERE sold >= :since GROUP BY region, kind;

-- name: by_kind, rate: 20/s
-- params: {"since": "2026-02-01 00:00:00"}
SELECT kind, channel, sum(total), max(quantity), min(discount), sum(points) FROM sale WHERE sold >= :since GROUP BY kind, channel;

-- name: by_clerk, rate: 20/s
SELECT clerk, region, channel, sum(points), max(total), sum(discount) FROM sale WHERE sold >= '2026-01-01 00:00:00'
GROUP BY clerk, region, channel;

-- name: one, rate: 1/s
-- params: {"code": "c7"}
SELECT total, sold FROM sale WHERE code = :code;

-- name: of_store, rate: 1/min
-- params: {"id": "s3"}
SELECT t.city, s.code, s.total FROM store t JOIN sale s ON s.store_id = t.id WHERE t.id = :id;

-- name: sell, rate: 6/min
-- params: {"code": "new", "at": "2026-03-01 00:00:00"}
INSERT INTO sale VALUES (:code, 's3', 'north', 'kind 1', 'shop', 'clerk 7', 1, 10, 0, 3, :at);

-- name: correct, rate: 1/min
-- params: {"code": "c9"}
UPDATE sale SET total = 5 WHERE code = :code;

-- name: undo, rate: 1/min
-- params: {"code": "c11"}
DELETE FROM sale WHERE code = :code;
"""


def sales(folder: Path, workload: str = WORKLOAD) -> Scenario:
    """Nine of ten sales are of earlier years."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "store": [(f"s{n}", f"city {n}") for n in range(30)],
        "sale": [
            (
                f"c{n}",
                f"s{n % 30}",
                f"region {n % 6}",
                f"kind {n % 5}",
                f"channel {n % 3}",
                f"clerk {n % 90}",
                n % 4,
                n % 1000,
                n % 50,
                n % 70,
                f"{2026 if n % 10 == 0 else 2018 + n % 8}-{1 + n % 7:02d}-{1 + n % 28:02d} 04:05:06",
            )
            for n in range(6000)
        ],
    }
    return scenario(folder, DDL, rows, workload)


@pytest.mark.thorough
def test_old_rows_lie_apart_where_others_are_read_through(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Chosen and proved, with SQLite's answers; what asks for later rows leaves old ones alone, and no write loses any."""
    application = sales(tmp_path)
    proposal = application.designed()
    assert chosen(proposal, "archive") == ["sale rows with sold before 2026-01-01 00:00:00 apart"]
    assert proposal.costs is not None
    assert proposal.costs.gap < 1e-6
    assert any("do not move by themselves" in note for note in proposal.notes)
    application.proved(proposal, database)
    assert database["sale"].estimated_document_count() == 600
    read = application.compiled(proposal, "by_region")
    assert "sale_archive" not in repr(bind(read, {"since": "2026-01-01 00:00:00"}).pipeline)
    assert "sale_archive" in repr(bind(read, {"since": "2025-12-31 23:59:59"}).pipeline)
    store = Store(proposal, database, workload=application.reading.workload)
    store.run("sell", code="late", at="2025-12-31 00:00:00")
    assert database["sale_archive"].count_documents({"_id": "late"}) == 1
    store.run("correct", code="late")
    store.run("undo", code="c10")
    assert pipeline.check(proposal, database).clean


@pytest.mark.thorough
def test_many_new_rows_are_worth_no_archive(tmp_path: Path) -> None:
    """A row that is written asks for both collections; the flip point says from how many on."""
    application = sales(tmp_path)
    kept = next(each for each in application.explained().weighed if each.chosen and each.pattern == "archive")
    (flip,) = (flip for flip in kept.flips if flip.quantity == "rate of sell")
    assert flip.at > flip.now
    assert chosen(application.with_rates(sell=flip.at * 0.9).explained(), "archive")
    assert chosen(application.with_rates(sell=flip.at * 1.1).explained(), "archive") == []


@pytest.mark.thorough
@pytest.mark.parametrize("sales_a_second", [1.0, 50.0])
def test_prices_are_those_of_what_is_compiled(tmp_path: Path, sales_a_second: float) -> None:
    """Within one and a half times, with the archive and without."""
    application = sales(tmp_path).with_rates(sell=sales_a_second)
    found = two_prices(application.reading, application.designed())
    assert len(found) == len(application.reading.workload.statements)
    assert {name: each for name, each in found.items() if each.factor > 1.5} == {}


@pytest.mark.thorough
@pytest.mark.parametrize("sales_a_second", [1.0, 50.0])
def test_the_search_finds_what_trying_everything_finds(tmp_path: Path, sales_a_second: float) -> None:
    """The archives against each other and against indexes."""
    reading = sales(tmp_path).with_rates(sell=sales_a_second).reading
    found = posed_problem(reading, None, None)
    few = tuple(each for each in found.candidates if each.pattern not in ("covered-index", "extended-reference"))
    assert sum(each.pattern == "archive" for each in few) == 2
    problem = priced_problem(found.situation, found.profile, few)
    assert solve(problem).cost == pytest.approx(exhaustive(problem).cost, rel=1e-9)


def test_few_old_rows_are_left_where_they_are(tmp_path: Path) -> None:
    """Where statements ask for most rows there are, or for other rows than late ones, no archive is proposed."""
    early = WORKLOAD.replace("2026-0", "2019-0")
    other = WORKLOAD.replace(">=", "<")
    for workload in (early, other):
        weighed = sales(tmp_path, workload).designed().weighed
        assert [each for each in weighed if each.pattern == "archive" and (workload == early or each.chosen)] == []
