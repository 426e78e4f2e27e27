"""Attribute pattern: a list of pairs and one index where many sparse attributes are asked for, not where reads outweigh it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.executors.run import run_read
from nestling.ir.programs.compiled import bind
from nestling.ir.proposal import Proposal
from nestling.optimizer.solve import solve
from nestling.pipeline.designing import posed_problem, priced_problem
from tests.optimizer.exhaustive import exhaustive
from tests.patterns.scenario import Scenario, chosen, index_keys, scenario
from tests.two_prices import two_prices

NAMES = ("color", "fabric", "voltage", "author", "flavour", "calibre", "lens", "scent")
COLUMNS = ", ".join(f"{name} TEXT" for name in NAMES)
DDL = f"CREATE TABLE product (id INT NOT NULL PRIMARY KEY, title TEXT NOT NULL, {COLUMNS});"
LOOKS = "".join(
    f"""
-- name: by_{name}, rate: 2/s
-- params: {{"{name}": "{name} 7"}}
SELECT id, title FROM product WHERE {name} = :{name};
"""
    for name in NAMES
)
WRITES = """
-- name: add, rate: 200/s
-- params: {"id": 90000, "color": "red"}
INSERT INTO product (id, title, color) VALUES (:id, 'new', :color);

-- name: one, rate: 20/s
-- params: {"id": 7}
SELECT id, title FROM product WHERE id = :id;

-- name: retitle, rate: 1/s
-- params: {"id": 7}
UPDATE product SET title = 'other' WHERE id = :id;

-- name: recolor, rate: 1/h
-- params: {"id": 7, "color": "red"}
UPDATE product SET color = :color WHERE id = :id;

-- name: remove, rate: 1/s
-- params: {"id": 90000}
DELETE FROM product WHERE id = :id;
"""
MORE = """
-- name: whole, rate: 1/h
-- params: {"id": 7}
SELECT * FROM product WHERE id = :id;

-- name: several, rate: 1/h
-- params: {"a": "color 7", "b": "color 8"}
SELECT id, title FROM product WHERE color IN (:a, :b);

-- name: shaded, rate: 1/h
-- params: {"color": "color 8", "title": "product 64"}
SELECT id, color FROM product WHERE color = :color AND title = :title;
"""
OTHERWISE = """
-- name: colorless, rate: 1/h
SELECT count(*) FROM product WHERE color IS NULL;

-- name: colorless_or_red, rate: 1/h
-- params: {"color": "color 8"}
SELECT id FROM product WHERE COALESCE(color, :color) = :color;

-- name: any_case, rate: 1/h
-- params: {"color": "COLOR 8"}
SELECT id FROM product WHERE color = :color COLLATE NOCASE;

-- name: lowered, rate: 1/h
-- params: {"color": "COLOR 8"}
SELECT id, fabric FROM product WHERE color = lower(:color);

-- name: either, rate: 1/h
-- params: {"color": "color 8", "lens": "lens 8"}
SELECT id, color FROM product WHERE color = :color OR lens = :lens;

-- name: twice, rate: 1/h
-- params: {"color": "color 8"}
SELECT count(*) FROM product p JOIN product q ON q.color = p.color WHERE p.color = :color AND p.id < 1000;

-- name: nested, rate: 1/h
-- params: {"color": "color 8"}
SELECT c.color, c.id FROM (SELECT id, color, color AS again FROM product) c WHERE c.again = :color;
"""


def products(folder: Path, workload: str = LOOKS + WRITES) -> Scenario:
    """Four thousand products, each with one attribute of eight, of fifty values."""
    rows = [
        (n, f"product {n}", *(f"{name} {n // 8 % 50}" if n % 8 == place else None for place, name in enumerate(NAMES)))
        for n in range(4000)
    ]
    return scenario(folder, DDL, {"product": rows}, workload)


@pytest.mark.thorough
def test_sparse_attributes_become_a_list(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Chosen and proved; all statements answer as SQLite does, those about NULL and of two conditions too."""
    application = products(tmp_path, LOOKS + WRITES + MORE + OTHERWISE)
    proposal = application.designed()
    assert chosen(proposal, "attribute") == ["color and 7 more of product as a list of names and values"]
    assert proposal.costs is not None
    assert proposal.costs.gap < 1e-6
    assert index_keys(proposal) == [["attributes.k", "attributes.v"]]
    application.proved(proposal, database)
    assert_found_by_the_index(application, proposal, database)


def assert_found_by_the_index(application: Scenario, proposal: Proposal, database: Database[dict[str, Any]]) -> None:
    """A `find` by the one index reads the documents that fit and no more."""
    read = bind(application.compiled(proposal, "by_color"), {"color": "color 7"})
    assert len(list(run_read(database, read))) == 10
    asked = {"find": read.collection, "filter": read.filter, "projection": read.projection}
    told = database.command("explain", asked, verbosity="executionStats")["executionStats"]
    assert (told["totalKeysExamined"], told["totalDocsExamined"]) == (10, 10)


@pytest.mark.thorough
def test_few_new_rows_are_worth_no_list(tmp_path: Path) -> None:
    """Each index pays for itself where little is written; the flip point says from how many new rows on."""
    application = products(tmp_path)
    assert chosen(application.with_rates(add=1.0).explained(), "attribute") == []
    kept = next(each for each in application.explained().weighed if each.chosen and each.pattern == "attribute")
    (flip,) = (flip for flip in kept.flips if flip.quantity == "rate of add" and flip.at < flip.now)
    assert chosen(application.with_rates(add=flip.at * 0.9).explained(), "attribute") == []
    assert chosen(application.with_rates(add=flip.at * 1.1).explained(), "attribute")


@pytest.mark.thorough
@pytest.mark.parametrize("adds", [1.0, 200.0])
def test_prices_are_those_of_what_is_compiled(tmp_path: Path, adds: float) -> None:
    """Within one and a half times, with the list and without."""
    application = products(tmp_path, LOOKS + WRITES + MORE).with_rates(add=adds)
    found = two_prices(application.reading, application.designed())
    assert {"by_color", "one", "add", "recolor", "remove", "whole", "several", "shaded"} <= found.keys()
    assert {name: each for name, each in found.items() if each.factor > 1.5} == {}


def test_rows_that_have_every_value_are_left_alone(tmp_path: Path) -> None:
    """A list saves no entry where nothing is missing: it is not even proposed, and neither is one of two attributes."""
    full = [(n, f"product {n}", *(f"{name} {n % 50}" for name in NAMES)) for n in range(500)]
    assert _patterns(scenario(tmp_path, DDL, {"product": full}, LOOKS + WRITES)) == set()
    two = "".join(f"-- name:{part}" for part in LOOKS.split("-- name:")[1:3])
    assert _patterns(products(tmp_path, two + WRITES)) == set()


def _patterns(application: Scenario) -> set[str]:
    """The lists that were weighed."""
    return {each.structure for each in application.designed().weighed if each.pattern == "attribute"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("adds", [1.0, 100.0, 200.0, 2000.0])
def test_the_search_finds_what_trying_everything_finds(tmp_path: Path, adds: float) -> None:
    """The list against an index for each of three attributes, and any number of these."""
    three = "".join(f"-- name:{part}" for part in LOOKS.split("-- name:")[1:4])
    reading = products(tmp_path, three + WRITES).with_rates(add=adds).reading
    found = posed_problem(reading, None, None)
    few = [each for each in found.candidates if each.pattern != "covered-index"]
    assert any(each.pattern == "attribute" for each in few)
    problem = priced_problem(found.situation, found.profile, tuple(few))
    assert solve(problem).cost == pytest.approx(exhaustive(problem).cost, rel=1e-9)
