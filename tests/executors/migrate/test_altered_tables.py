"""A source whose tables were altered beside a database that was loaded before and migrated since: both hold the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import Store, pipeline
from tests.three_sources import address_of

TABLES = """
CREATE TABLE customer (id INT PRIMARY KEY, n VARCHAR(20));
CREATE TABLE purchase (id INT PRIMARY KEY, customer_id INT NOT NULL REFERENCES customer (id), total NUMERIC(8,2), pieces INT,
  weight INT, size INT, code VARCHAR(5), due DATE);
INSERT INTO customer VALUES (1, 'a'), (2, 'b');
INSERT INTO purchase VALUES (1, 1, 1.10, 7, 8, 9, 'x', '2026-01-01'), (2, 1, NULL, NULL, NULL, NULL, NULL, NULL),
  (3, 2, -999999.99, -2147483648, 2147483647, 0, '', '2026-02-28')
"""
NEW_COLUMNS = (
    "state VARCHAR(9) NOT NULL DEFAULT 'open'",
    "rank_no INT DEFAULT 3",
    "vip BOOLEAN NOT NULL DEFAULT true",
    "day DATE DEFAULT '2026-01-31'",
    "at TIMESTAMP NULL DEFAULT '2026-01-31 10:00:00'",
    "rate DOUBLE PRECISION DEFAULT 0.5",
    "fee NUMERIC(8,2) NOT NULL DEFAULT 1.5",
    "note TEXT",
)
OF_POSTGRESQL = (
    'ADD more JSONB NOT NULL DEFAULT \'{"b": [1], "a": null}\'',
    "ADD opens TIME NOT NULL DEFAULT '08:30:00'",
    "ADD words TEXT[] NOT NULL DEFAULT '{}'",
    "ADD token CHAR(3) NOT NULL DEFAULT 'ab'",
    "ALTER total TYPE NUMERIC(12,4)",
    "ALTER pieces TYPE BIGINT",
    "ALTER weight TYPE NUMERIC(14,2)",
    "ALTER size TYPE DOUBLE PRECISION",
    "ALTER code TYPE TEXT",
    "ALTER due TYPE TIMESTAMP",
)
OF_MYSQL = (
    "ADD kind ENUM('a', 'b') NOT NULL DEFAULT 'b'",
    "ADD token CHAR(3) NOT NULL DEFAULT 'ab'",
    "MODIFY total NUMERIC(12,4)",
    "MODIFY pieces BIGINT",
    "MODIFY weight NUMERIC(14,2)",
    "MODIFY size DOUBLE",
    "MODIFY code TEXT",
    "MODIFY due DATETIME",
)


@pytest.mark.parametrize(
    "strategies", [("normalized", "normalized"), ("embedded", "normalized"), ("normalized", "embedded")]
)
@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "mysql"])
def test_both_hold_the_same(
    dialect: str, strategies: tuple[str, str], database: Database[Any], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Defaults of new columns, and numbers of wider types with their digits, as the source has them; INSERT writes the same."""
    address = address_of(dialect, TABLES, request, tmp_path)
    old = pipeline.design(pipeline.inspect(address), strategies[0])
    assert pipeline.load(old, address, database).report.entities["purchase"] == (3, 3)
    altered = {"sqlite": (), "postgresql": OF_POSTGRESQL, "mysql": OF_MYSQL}[dialect]
    engine = sa.create_engine(address)
    with engine.begin() as connection:
        for each in (*(f"ADD {column}" for column in NEW_COLUMNS), *altered):
            connection.exec_driver_sql(f"ALTER TABLE purchase {each}")
    new = pipeline.design(pipeline.inspect(address), strategies[1])
    plan = pipeline.plan_migration(old, new, database)
    assert not plan.refused
    assert pipeline.migrate(old, new, database, cutover=True, may_lose=["indexes"]).equal
    compared = pipeline.verify(new, address, database)
    assert compared.equal, compared.differences
    store = Store(new, database)
    insert = "INSERT INTO purchase (id, customer_id) VALUES (4, 2)"
    store.execute(insert)
    with engine.begin() as connection:
        connection.exec_driver_sql(insert)
    engine.dispose()
    compared = pipeline.verify(new, address, database)
    assert compared.equal, compared.differences
    assert pipeline.check(new, database).clean
