"""A whole number among decimals is stored as one where the column says nothing of its digits, as PostgreSQL's NUMERIC does."""

from __future__ import annotations

from typing import Any

import pytest
from bson import Decimal128
from pymongo import MongoClient

from nestling import pipeline
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite
from tests.planner.reads.beside_postgresql import beside

TABLE = "CREATE TABLE t (id INT PRIMARY KEY, n INT, v NUMERIC); INSERT INTO t VALUES (1, 3, 0.5), (2, 4, NULL)"
WRITES = (
    "INSERT INTO t VALUES (10, 1, 1.75), (11, 2, 0)",
    "INSERT INTO t SELECT id + 20, n, CASE WHEN id = 1 THEN 1.5 ELSE n END FROM t WHERE id < 3",
    "UPDATE t SET v = COALESCE(v, 0)",
    "UPDATE t SET v = GREATEST(v, n) WHERE id = 2",
    "INSERT INTO t SELECT 30, 1, v FROM (SELECT 2.5 AS v UNION ALL SELECT 7) u WHERE v > 3",
)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("sql", WRITES)
def test_it_is_a_decimal(sql: str, postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """In VALUES of several rows, CASE, COALESCE, GREATEST and a UNION."""
    with beside(postgresql, mongo_client, TABLE) as both:
        write = pipeline.convert(both.proposal, sql, dialect="postgresql")
        assert isinstance(write, CompiledWrite), write
        run_write(both.database, write)
        both.theirs(sql)
        assert pipeline.verify(both.proposal, both.url, both.database).equal
        assert {type(each["v"]) for each in both.database["t"].find() if "v" in each} == {Decimal128}
