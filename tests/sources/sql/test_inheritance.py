"""Tables of PostgreSQL that inherit: each holds its own rows here, and statements over the parent have to say so."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import GapError
from nestling.ir.text import read_proposal, write_proposal
from nestling.sources.ddl import read_ddl
from nestling.sources.sql import open_database
from tests.planner.reads.beside_postgresql import created

TABLES = """
CREATE TABLE method (id int PRIMARY KEY);
CREATE TABLE payment (id int PRIMARY KEY, ref text UNIQUE, amount numeric(10,2), method int REFERENCES method);
CREATE TABLE card (last4 text, PRIMARY KEY (id)) INHERITS (payment);
CREATE TABLE part (id int, at int) PARTITION BY LIST (at);
CREATE TABLE part_1 PARTITION OF part DEFAULT;
CREATE TABLE refund (id int PRIMARY KEY, payment int REFERENCES payment);
"""
ROWS = """
INSERT INTO method VALUES (1); INSERT INTO payment VALUES (1, 'A', 1, 1), (3, NULL, 3, NULL);
INSERT INTO card VALUES (1, 'A', 2, 1, '1234'), (2, 'B', 3, 99, '9999'); INSERT INTO part VALUES (1, 1), (2, 1);
INSERT INTO refund VALUES (1, 1), (2, 3);
"""
WRITES = (
    "INSERT INTO card (id, amount, last4) VALUES (3, 7, '9')",
    "INSERT INTO payment (id, amount) VALUES (2, 8)",
    "UPDATE ONLY payment SET amount = 100 WHERE id <= 2",
    "DELETE FROM ONLY payment WHERE id = 2",
    "UPDATE card SET amount = amount + 1 WHERE id = 2",
)
READS = (
    "SELECT id, amount FROM ONLY payment ORDER BY id",
    "SELECT p.id, r.id AS r FROM refund r JOIN ONLY payment p ON p.id = r.payment ORDER BY r.id",
    "SELECT id, amount FROM ONLY payment UNION ALL SELECT id, amount FROM card ORDER BY id, amount",
    "SELECT count(*) AS n FROM part",
)


@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_each_table_has_its_own_rows(postgresql: str, strategy: str, database: Database[Any]) -> None:
    """Equal keys of parent and child are no duplicates, nor does the parent's foreign key hold of the child's rows."""
    address = created(postgresql, TABLES + ROWS)[1]
    proposal = read_proposal(write_proposal(pipeline.design(pipeline.inspect(address), strategy)), "design.yaml")
    inherited = {entity.name: entity.inherited_by for entity in proposal.design.model.entities if entity.inherited_by}
    assert inherited == {"payment": ("card",)}
    made = pipeline.load(proposal, address, database)
    assert made.report.entities["payment"] == (2, 2)
    assert made.report.entities["card"] == (2, 2)
    assert made.report.entities["part"] == (2, 2)
    store = Store(proposal, database)
    with sa.create_engine(address, poolclass=sa.NullPool).begin() as connection:
        for each in WRITES:
            assert store.execute(each).affected == connection.exec_driver_sql(each).rowcount
        for each in READS:
            assert [tuple(row.values()) for row in store.execute(each)] == list(
                map(tuple, connection.exec_driver_sql(each))
            )
    compared = pipeline.verify(proposal, address, database)
    assert compared.equal, compared.differences
    told = pipeline.unload(proposal, created(postgresql, "")[1], database).notes
    assert "`card` does not inherit from `payment` here" in told


@pytest.mark.parametrize(
    ("sql", "move"),
    [
        (
            "SELECT * FROM payment",
            "write `FROM ONLY payment` if its own rows are meant, and add those of `card` with UNION ALL",
        ),
        ("SELECT id FROM refund WHERE payment IN (SELECT id FROM payment)", "write `FROM ONLY payment`"),
        ("UPDATE payment SET amount = 0", "write `UPDATE ONLY payment`, and another statement for `card`"),
        ("DELETE FROM payment", "write `DELETE FROM ONLY payment`, and another statement for `card`"),
    ],
)
def test_statements_over_both_are_gaps(sql: str, move: str, database: Database[Any]) -> None:
    """PostgreSQL would read or change the child's rows, too: which is meant has to be said."""
    reading = read_ddl(TABLES, "shop", dialect="postgresql")
    store = Store(pipeline.design(reading, "normalized"), database)
    with pytest.raises(GapError, match="`payment` with the rows of `card`, which inherits from it") as refused:
        store.execute(sql)
    assert move in str(refused.value)


def test_names_alone_say_which_rows_are_meant(postgresql: str) -> None:
    """Rows are read by names that are quickly read; a partitioned table has the rows of its partitions."""
    database = open_database(created(postgresql, TABLES)[1])
    assert database.names == database.catalog.names
    assert [each.entity for each in database.names.tables if each.only] == ["payment"]
