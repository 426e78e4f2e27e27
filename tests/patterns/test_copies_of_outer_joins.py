"""Extended reference (C5) and outer joins: copies inside embedded rows answer LEFT JOINs, also where a parent has no such row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.patterns.scenario import Scenario, chosen, scenario
from tests.two_prices import two_prices

DDL = """
CREATE TABLE purchase (id INTEGER PRIMARY KEY, placed TEXT NOT NULL);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE line (
  purchase_id INTEGER NOT NULL REFERENCES purchase, no INTEGER NOT NULL, product_id INTEGER REFERENCES product,
  PRIMARY KEY (purchase_id, no));
"""
WORKLOAD = """
-- name: page, rate: 100/s
-- params: {"id": 8}
SELECT p.placed, l.no, r.name FROM purchase p LEFT JOIN line l ON l.purchase_id = p.id LEFT JOIN product r ON r.id = l.product_id
WHERE p.id = :id;
-- name: all, rate: 1/h
SELECT p.id, l.no, r.name FROM purchase p LEFT JOIN line l ON l.purchase_id = p.id LEFT JOIN product r ON r.id = l.product_id;
"""


def test_the_copy_answers(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A purchase without lines, and a line without a product, have no name; nothing is looked up."""
    purchases = [(n, f"2024-01-{n % 28 + 1:02}") for n in range(300)]
    products = [(n, f"product {n}", "x" * 300) for n in range(40)]
    lines = [(n, no, None if (n + no) % 7 == 0 else n * no % 40) for n in range(300) if n % 5 for no in range(3)]
    application = scenario(tmp_path, DDL, {"purchase": purchases, "product": products, "line": lines}, WORKLOAD)
    proposal = application.designed()
    assert "product.name in line" in chosen(proposal, "extended-reference")
    application.proved(proposal, database)
    assert "$lookup" not in repr(application.compiled(proposal, "page").pipeline)
    assert two_prices(application.reading, proposal)["page"].factor < 2


OF_TENANTS = """
CREATE TABLE purchase (tenant INTEGER NOT NULL, id INTEGER NOT NULL, placed TEXT NOT NULL, PRIMARY KEY (tenant, id));
CREATE TABLE product (
  tenant INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (tenant, id));
CREATE TABLE line (
  tenant INTEGER NOT NULL, purchase_id INTEGER NOT NULL, no INTEGER NOT NULL, product_id INTEGER NOT NULL,
  PRIMARY KEY (tenant, purchase_id, no),
  FOREIGN KEY (tenant, purchase_id) REFERENCES purchase, FOREIGN KEY (tenant, product_id) REFERENCES product);
"""
PAGE_OF_TENANT = """
-- name: page, rate: 100/s
-- params: {"tenant": 2, "id": 8}
SELECT p.placed, l.no, r.name FROM purchase p
LEFT JOIN line l ON l.tenant = p.tenant AND l.purchase_id = p.id
LEFT JOIN product r ON r.tenant = l.tenant AND r.id = l.product_id WHERE p.tenant = :tenant AND p.id = :id;
-- name: keys, rate: 1/h
SELECT p.id, l.no, r.name, r.tenant FROM purchase p
LEFT JOIN line l ON l.tenant = p.tenant AND l.purchase_id = p.id
LEFT JOIN product r ON r.tenant = l.tenant AND r.id = l.product_id;
"""


@pytest.mark.thorough
def test_a_key_the_document_around_it_says(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A product's tenant is its line's, and that its purchase's: of a purchase without lines it is NULL."""
    purchases = [(n % 3, n, f"2024-01-{n % 28 + 1:02}") for n in range(300)]
    products = [(tenant, n, f"product {n}", "x" * 300) for tenant in range(3) for n in range(40)]
    lines = [(n % 3, n, no, n * no % 40) for n in range(300) if n % 5 for no in range(3)]
    application = scenario(
        tmp_path, OF_TENANTS, {"purchase": purchases, "product": products, "line": lines}, PAGE_OF_TENANT
    )
    proposal = application.designed()
    assert "product.name in line" in chosen(proposal, "extended-reference")
    application.proved(proposal, database)


OF_NULLABLE = """
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE message (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, author_id INTEGER REFERENCES author, body TEXT NOT NULL);
CREATE INDEX by_thread ON message (thread);
"""
SELECT_RELATED = """
-- name: thread, rate: 100/s
-- params: {"thread": 1}
SELECT m.id, m.body, a.id, a.name FROM message m LEFT OUTER JOIN author a ON m.author_id = a.id WHERE m.thread = :thread;
-- name: only_authors, rate: 1/h
-- params: {"thread": 1}
SELECT m.id, a.id, a.name FROM message m JOIN author a ON m.author_id = a.id WHERE m.thread = :thread;
"""


def test_the_key_of_a_parent_that_need_not_be(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A foreign key that may be NULL is the parent's key where the database enforces it: nothing is looked up for it."""
    authors = [(n, f"author {n}", "x" * 300) for n in range(40)]
    messages = [(n, n % 9, None if n % 4 == 0 else n % 40, f"message {n}") for n in range(600)]
    application = scenario(tmp_path, OF_NULLABLE, {"author": authors, "message": messages}, SELECT_RELATED)
    links = tuple(replace(each, enforced=True) for each in application.reading.model.relationships)
    model = replace(application.reading.model, relationships=links)
    application = Scenario(application.address, replace(application.reading, model=model))
    proposal = application.designed()
    assert "author.name in message" in chosen(proposal, "extended-reference")
    application.proved(proposal, database)
    assert "$lookup" not in repr(application.compiled(proposal, "thread").pipeline)
    assert two_prices(application.reading, proposal)["thread"].factor < 2


@pytest.mark.thorough
def test_a_reference_to_nobody_is_no_key(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Where rows without their parent were counted, the foreign key says nothing of the parent's, whatever is declared."""
    authors = [(n, f"author {n}", "x" * 300) for n in range(40)]
    messages = [(n, n % 9, 999 if n % 10 == 0 else None if n % 4 == 0 else n % 40, f"message {n}") for n in range(600)]
    application = scenario(tmp_path, OF_NULLABLE, {"author": authors, "message": messages}, SELECT_RELATED)
    links = tuple(replace(each, enforced=True) for each in application.reading.model.relationships)
    model = replace(application.reading.model, relationships=links)
    application = Scenario(application.address, replace(application.reading, model=model))
    application.proved(application.designed(), database)
