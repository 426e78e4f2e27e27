"""NULL of a json attribute among computed values is a field that is not there, as it is where the row stands in the statement."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo import MongoClient

from nestling import Store
from tests.planner.reads.beside_postgresql import beside

TABLE = """
CREATE TABLE t (id bigserial PRIMARY KEY, n int NOT NULL, custom jsonb, note text);
INSERT INTO t (n, custom, note) VALUES (1, '{"a": 1}', NULL), (2, NULL, 'x'), (3, '[4]', 'y');
"""
WRITES = (
    "INSERT INTO t (n) VALUES ((SELECT max(n) + 1 FROM t))",
    "INSERT INTO t (n, custom) VALUES ((SELECT max(n) + 1 FROM t), NULL)",
    "INSERT INTO t (n, custom) VALUES (7, NULL), ((SELECT max(n) + 1 FROM t), '{\"b\": 1}')",
    "INSERT INTO t (n, custom) VALUES ((SELECT max(n) + 1 FROM t), (SELECT custom FROM t WHERE id = 2))",
    "INSERT INTO t (id, n, custom) SELECT 100, max(n) + 10, NULL FROM t",
    "INSERT INTO t (id, n, custom) SELECT id + 10, n + 10, CASE WHEN n < 2 THEN custom END FROM t",
    "INSERT INTO t (id, n, custom) SELECT id + 10, n + 10, NULL FROM t UNION ALL SELECT id + 20, n + 20, custom FROM t",
    "INSERT INTO t (id, n, custom) SELECT id + 10, n + 10, custom FROM t GROUP BY id, n, custom",
    "INSERT INTO t (id, n, custom) SELECT DISTINCT id + 10, n + 10, custom FROM t",
    "UPDATE t SET custom = NULL, n = (SELECT max(n) + 1 FROM t)",
    "UPDATE t SET custom = (SELECT custom FROM t AS x WHERE x.id = t.id + 1)",
    "UPDATE t SET custom = CASE WHEN n = 1 THEN NULL WHEN n = 2 THEN custom ELSE custom END",
    (
        "INSERT INTO t (id, n, custom) VALUES (1, 5, NULL) ON CONFLICT (id) DO UPDATE"
        " SET custom = CASE WHEN t.n = 1 THEN excluded.custom ELSE t.custom END"
    ),
)


STATED = "SELECT n, custom IS NULL, custom, note FROM t"


@pytest.mark.one_in(8)
@pytest.mark.parametrize("write", WRITES)
def test_null_beside_computed_values_is_no_field(
    write: str, postgresql: str, mongo_client: MongoClient[dict[str, Any]]
):
    """PostgreSQL's table and the documents hold the same afterwards: no null stands where the table has NULL."""
    with beside(postgresql, mongo_client, TABLE) as both:
        both.theirs(write)
        Store(both.proposal, both.database).execute(write)
        rows = both.theirs(STATED)
        held = [
            (each["n"], "custom" not in each, each.get("custom"), each.get("note"))
            for each in both.database["t"].find()
        ]
        assert sorted(held, key=repr) == sorted(rows, key=repr)
