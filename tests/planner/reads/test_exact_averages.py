"""Averages of large integers are PostgreSQL's to the last digit, though their sum passes 64 bits."""

from __future__ import annotations

import pytest

from nestling.common.errors import ReadError
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE moment (id integer PRIMARY KEY, ns bigint NOT NULL, maybe bigint);
INSERT INTO moment SELECT n, 1700000000123456789 + n * 1000003, CASE WHEN mod(n, 3) > 0 THEN 9000000000000000000 + n END
    FROM generate_series(1, 12) AS n;
"""


moments = beside_of(TABLES, scope="module")
"""A dozen of nanoseconds since 1970."""


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT avg(ns) FROM moment",
        "SELECT avg(ns) - min(ns) FROM moment",
        "SELECT avg(maybe) FROM moment",
        "SELECT avg(DISTINCT ns), avg(DISTINCT maybe) FROM moment",
        "SELECT avg(ns) FILTER (WHERE id > 2) FROM moment",
        "SELECT mod(id, 2) AS odd, avg(ns), avg(maybe) FROM moment GROUP BY mod(id, 2) ORDER BY 1",
        "SELECT id, avg(ns) OVER () FROM moment ORDER BY id",
        "SELECT id, avg(maybe) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM moment ORDER BY id",
        "SELECT avg(id) FROM moment WHERE id < 0",
    ],
)
def test_averages_are_postgresqls(moments: Beside, sql: str) -> None:
    """In groups, of different values, and over windows."""
    assert moments.ours(sql) == moments.theirs(sql)


@pytest.mark.parametrize("sql", ["SELECT sum(ns) FROM moment", "SELECT id, sum(ns) OVER () FROM moment"])
def test_a_sum_beyond_64_bits_is_refused_in_words(moments: Beside, sql: str) -> None:
    """PostgreSQL goes on with a number of any size."""
    with pytest.raises(ReadError, match="a whole number exceeds 64 bits"):
        moments.ours(sql)
