"""Rarely read attributes go to a second document where reading them along costs more than looking for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.proposal import Proposal
from tests.patterns.scenario import Scenario, chosen, scenario
from tests.two_prices import two_prices

DDL = """CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, shelf INTEGER NOT NULL, price INTEGER, width INTEGER,
    height INTEGER, depth INTEGER, weight INTEGER, stock INTEGER, rating INTEGER, manual TEXT);"""
ROWS = [(n, f"product {n}", n % 10, n, 1, 2, 3, 4, n % 7, 5, "turn it on " * 1800) for n in range(200)]
WORKLOAD = """
-- name: on_shelf, rate: 200/s
-- params: {"shelf": 3}
SELECT name, price, width, height, depth, weight, stock, rating FROM product WHERE shelf = :shelf;

-- name: manual, rate: 1/s
-- params: {"id": 7}
SELECT name, manual FROM product WHERE id = :id;
"""


def products(folder: Path) -> Scenario:
    """Two hundred products on ten shelves, each with a manual of 20 kB."""
    return scenario(folder, DDL, {"product": ROWS}, WORKLOAD)


def parts(proposal: Proposal) -> list[tuple[str, ...]]:
    """The attributes kept apart."""
    return [split.attributes for each in proposal.design.collections for split in each.splits]


@pytest.mark.thorough
def test_manuals_that_are_hardly_read_are_kept_apart(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """The shelf's page reads small documents alone; the manual's page looks the second one up."""
    application = products(tmp_path)
    proposal = application.designed()
    assert parts(proposal) == [("manual",)]
    assert chosen(proposal, "split") == ["manual of product apart"]
    assert "look up" not in application.compiled(proposal, "on_shelf").access_path
    assert "look up" in application.compiled(proposal, "manual").access_path
    application.proved(proposal, database)


def test_manuals_that_are_read_with_the_rest_stay(tmp_path: Path) -> None:
    """Read as often as the shelf, they are not rare."""
    assert parts(products(tmp_path).with_rates(manual=200.0).designed()) == []


def test_manuals_stay_where_every_change_would_look_for_them(tmp_path: Path) -> None:
    """Products are inserted a thousand times for one look at a shelf: two documents each would cost more than they save."""
    insert = (
        "-- name: new, rate: 1000/s\nINSERT INTO product (id, name, shelf, price, manual) VALUES (:a, :b, :c, :d, :e);"
    )
    application = scenario(tmp_path, DDL, {"product": ROWS}, WORKLOAD + insert).with_rates(on_shelf=1.0, manual=0.01)
    assert parts(application.designed()) == []


COUNTED = """
-- name: sold, rate: 200/s
-- params: {"id": 7}
UPDATE product SET stock = stock - 1 WHERE id = :id;
"""


def test_what_changes_often_stays_beside_what_is_read(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """The server writes a changed document whole: the stock, which nobody reads, is no part of the document with the manual."""
    unread = WORKLOAD.replace(", stock", "")
    application = scenario(tmp_path, DDL, {"product": ROWS}, unread + COUNTED)
    proposal = application.designed()
    assert parts(proposal) == [("manual",)]
    prices = two_prices(application.reading, proposal)
    assert prices["sold"].factor < 1.3
    assert prices["sold"].compiled < 0.001
    application.proved(proposal, database)


@pytest.mark.thorough
def test_conditions_come_before_second_documents(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Only the rows that are left look for theirs, whatever the server makes of the order; what is asked of them comes after."""
    asked = "SELECT id, manual FROM product WHERE shelf = 3 AND id < 50 AND manual IS NOT NULL;"
    proposal = products(tmp_path).designed()
    application = scenario(tmp_path, DDL, {"product": ROWS}, f"{WORKLOAD}\n-- name: some, rate: 1/h\n{asked}")
    assert parts(proposal) == [("manual",)]
    stages = [next(iter(stage)) for stage in application.compiled(proposal, "some").pipeline or ()]
    assert stages[:4] == ["$match", "$lookup", "$unwind", "$match"]
    prices = two_prices(application.reading, proposal)
    assert prices["manual"].factor < 1.3
    application.proved(proposal, database)


@pytest.mark.thorough
def test_a_cold_cache_makes_small_documents_worth_more(tmp_path: Path) -> None:
    """With products that do not fit the cache, what a split saves is page reads: it pays at lower rates."""
    application = products(tmp_path)
    warm, cold = application.explained(), application.with_counts(product=10_000_000).explained()
    gains = [next(each.gain for each in made.weighed if each.pattern == "split") for made in (warm, cold)]
    assert gains[0] is not None
    assert gains[1] is not None
    assert gains[1] > gains[0]
