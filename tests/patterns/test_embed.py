"""Outliers: the usual few are embedded, a bestseller's rest is paged, where reads pay for it and writes do not forbid it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.primitives import Embedding
from nestling.ir.proposal import Proposal
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE purchase (book_id INTEGER NOT NULL REFERENCES book (id), no INTEGER NOT NULL, customer TEXT NOT NULL,
    city TEXT NOT NULL, street TEXT NOT NULL, comment TEXT NOT NULL, PRIMARY KEY (book_id, no));
CREATE TABLE refund (id INTEGER PRIMARY KEY, book_id INTEGER NOT NULL, no INTEGER NOT NULL,
    FOREIGN KEY (book_id, no) REFERENCES purchase (book_id, no));"""
WORKLOAD = """
-- name: buyers, rate: 200/s
-- params: {"book": 3}
SELECT b.title, p.no, p.customer, p.city, p.street, p.comment FROM book b JOIN purchase p ON p.book_id = b.id
WHERE b.id = :book;

-- name: buyers_of_a_bestseller, rate: 1/s
-- params: {"book": 0}
SELECT b.title, p.no, p.customer, p.city, p.street, p.comment FROM book b JOIN purchase p ON p.book_id = b.id
WHERE b.id = :book;

-- name: bought, rate: 1/min
-- params: {"book": 3, "no": 100, "customer": "Ann", "city": "Rome", "street": "Via Appia 1", "comment": "again"}
INSERT INTO purchase (book_id, no, customer, city, street, comment) VALUES (:book, :no, :customer, :city, :street, :comment);
"""


def books(folder: Path) -> Scenario:
    """Four hundred books with eighty buyers each, and a bestseller with six thousand."""
    many = [(0, no) for no in range(6_000)] + [(book, no) for book in range(1, 400) for no in range(80)]
    rows = [(book, no, f"customer {no}", "Rome", "Via Appia Antica 44", "for my aunt") for book, no in many]
    return scenario(
        folder,
        DDL,
        {"book": [(n, f"book {n}") for n in range(400)], "purchase": rows, "refund": [(1, 3, 4), (2, 0, 5_000)]},
        WORKLOAD,
    )


def embedding(proposal: Proposal) -> Embedding | None:
    """The embedding of purchases, if there is one."""
    return next((e for c in proposal.design.collections for e in c.body.embeddings), None)


def test_a_bestseller_overflows(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Mean 95, at most 6,000: never plain embedding. The few read their pages too, and all rows are there."""
    application = books(tmp_path)
    proposal = application.designed()
    found = embedding(proposal)
    assert found is not None
    assert found.overflow is not None
    assert 80 <= found.overflow.bound <= 200
    assert f"`{found.overflow.collection}`" in application.compiled(proposal, "buyers").access_path
    application.proved(proposal, database)
    assert database["book"].count_documents({found.overflow.flag: True}) == 1


@pytest.mark.thorough
def test_what_is_bought_all_the_time_is_not_paged(tmp_path: Path) -> None:
    """A purchase puts its book's array in order anew: with as many purchases as reads they have their own collection."""
    assert embedding(books(tmp_path).with_rates(bought=200.0).designed()) is None
