"""The current version of a document lies in it where that costs less than finding it among all versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.optimizer.solve import solve
from nestling.pipeline.designing import posed_problem, priced_problem
from nestling.store import Store
from tests.optimizer.exhaustive import exhaustive
from tests.patterns.scenario import Scenario, chosen, scenario
from tests.two_prices import two_prices

DDL = """CREATE TABLE policy (id TEXT PRIMARY KEY, holder TEXT NOT NULL);
CREATE TABLE revision (policy_id TEXT NOT NULL REFERENCES policy (id), number INTEGER NOT NULL, text TEXT NOT NULL,
    author TEXT NOT NULL, PRIMARY KEY (policy_id, number));"""
WORKLOAD = """
-- name: of_holder, rate: 100/s
-- params: {"holder": "holder 3"}
SELECT p.id, r.number, r.text FROM policy p JOIN revision r ON r.policy_id = p.id
WHERE p.holder = :holder AND r.number = (SELECT max(x.number) FROM revision x WHERE x.policy_id = p.id);

-- name: of_holder_too, rate: 20/s
-- params: {"holder": "holder 5"}
SELECT p.id, p.holder, r.text FROM policy p JOIN revision r ON r.policy_id = p.id
AND r.number = (SELECT max(x.number) FROM revision x WHERE x.policy_id = r.policy_id) WHERE p.holder = :holder;

-- name: history, rate: 1/s
-- params: {"id": "p3"}
SELECT number, author FROM revision WHERE policy_id = :id ORDER BY number;

-- name: as_of, rate: 1/s
-- params: {"id": "p3", "number": 5}
SELECT text FROM revision WHERE policy_id = :id AND number = :number;

-- name: revise, rate: 1/s
-- params: {"id": "p3", "number": 1000}
INSERT INTO revision VALUES (:id, :number, 'another clause', 'Bo');
"""


def policies(folder: Path, workload: str = WORKLOAD) -> Scenario:
    """Two hundred policies of ten holders, of twenty versions each; one has none."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "policy": [(f"p{n}", f"holder {n % 10}") for n in range(200)],
        "revision": [
            (f"p{n}", number, f"clause {(n + number) % 60} " * 20, f"author {number % 3}")
            for n in range(200)
            for number in range(20 if n != 13 else 0)
        ],
    }
    return scenario(folder, DDL, rows, workload)


@pytest.mark.thorough
def test_the_current_version_lies_in_its_document(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """In an array of one, proved; no version is looked up for it, and writes keep it right, also where the current one goes."""
    application = policies(tmp_path)
    proposal = application.designed()
    assert chosen(proposal, "document-versioning") == ["first 1 revision by -number in policy"]
    assert proposal.costs is not None
    assert proposal.costs.gap < 1e-6
    application.proved(proposal, database)
    stored = database["policy"].find_one({"_id": "p3"})
    assert stored is not None
    assert [(each["number"], set(each)) for each in stored["recent_revision"]] == [(19, {"number", "text"})]
    for name in ("of_holder", "of_holder_too"):
        assert "look up" not in application.compiled(proposal, name).access_path
    store = Store(proposal, database, workload=application.reading.workload)
    store.run("revise", id="p3", number=1000)
    store.run("revise", id="p13", number=1)
    store.execute("UPDATE revision SET text = 'mended' WHERE policy_id = :id AND number = 1000", id="p3")
    store.execute("DELETE FROM revision WHERE policy_id = :id AND number = 19", id="p4")
    assert [row["text"] for row in store.run("as_of", id="p3", number=1000)] == ["mended"]
    found = {row["id"]: row["number"] for row in store.run("of_holder", holder="holder 3")}
    assert (found["p3"], found["p13"], found["p23"]) == (1000, 1, 19)
    assert {row["id"] for row in store.run("of_holder", holder="holder 4")} >= {"p4"}
    assert pipeline.check(proposal, database).clean


@pytest.mark.thorough
def test_many_new_versions_are_worth_no_copy(tmp_path: Path) -> None:
    """Each new version would change its policy; the flip point says from how many on."""
    application = policies(tmp_path)
    kept = next(
        each for each in application.explained().weighed if each.chosen and each.pattern == "document-versioning"
    )
    (flip,) = (flip for flip in kept.flips if flip.quantity == "rate of revise")
    assert flip.at > flip.now
    assert chosen(application.with_rates(revise=flip.at * 0.9).explained(), "document-versioning")
    assert chosen(application.with_rates(revise=flip.at * 1.1).explained(), "document-versioning") == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("revisions", [1.0, 2000.0])
def test_prices_are_those_of_what_is_compiled(tmp_path: Path, revisions: float) -> None:
    """Within one and a half times, with the copy and without."""
    application = policies(tmp_path).with_rates(revise=revisions)
    found = two_prices(application.reading, application.designed())
    assert len(found) == len(application.reading.workload.statements)
    assert {name: each for name, each in found.items() if each.factor > 1.5} == {}


@pytest.mark.thorough
@pytest.mark.parametrize("revisions", [1.0, 2000.0])
def test_the_search_finds_what_trying_everything_finds(tmp_path: Path, revisions: float) -> None:
    """The copy against indexes and embedding."""
    found = posed_problem(policies(tmp_path).with_rates(revise=revisions).reading, None, None)
    few = tuple(each for each in found.candidates if each.pattern not in ("covered-index", "extended-reference"))
    assert any(each.pattern == "document-versioning" for each in few)
    problem = priced_problem(found.situation, found.profile, few)
    assert solve(problem).cost == pytest.approx(exhaustive(problem).cost, rel=1e-9)


def test_rows_that_are_no_versions_are_left_alone(tmp_path: Path) -> None:
    """Where several children may share the greatest value, no one of them is the current version."""
    ddl = DDL.replace("PRIMARY KEY (policy_id, number)", "code TEXT PRIMARY KEY").replace(
        "author TEXT NOT NULL,", "author TEXT NOT NULL,"
    )
    rows: dict[str, list[tuple[object, ...]]] = {
        "policy": [(f"p{n}", f"holder {n % 10}") for n in range(20)],
        "revision": [(f"p{n}", number, "clause", "Bo", f"c{n}-{number}") for n in range(20) for number in range(5)],
    }
    reads = WORKLOAD.split("-- name: revise")[0]
    application = scenario(tmp_path, ddl, rows, reads)
    assert [each for each in application.designed().weighed if each.pattern == "document-versioning"] == []
