"""`unload` declares times of day with as many digits of a second as the source has."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from pymongo.database import Database

from nestling import pipeline
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.connection import connect
from tests.planner.reads.beside_postgresql import created

TABLES = """
CREATE TABLE t (id int PRIMARY KEY, opens time(0), at time, fine time(3), full_day time(6));
INSERT INTO t VALUES (1, '08:30:00', '08:30:00.123456', '08:30:00.5', NULL), (2, NULL, NULL, NULL, '23:59:59.1');
"""
TYPES = """SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = 't'::regclass AND attnum > 1 ORDER BY attnum"""


def test_times_keep_their_digits(postgresql: str, database: Database[Any]) -> None:
    """Where a column keeps all of them, none are named."""
    address, target = created(postgresql, TABLES)[1], created(postgresql, "")[1]
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(proposal, address, database)
    pipeline.unload(proposal, target, database)
    with closing(connect(parse_address(target))) as connection:
        found = dict(connection.execute(TYPES).fetchall())
    assert found == {
        "opens": "time(0) without time zone",
        "at": "time without time zone",
        "fine": "time(3) without time zone",
        "full_day": "time without time zone",
    }
    assert pipeline.verify(proposal, target, database).equal
