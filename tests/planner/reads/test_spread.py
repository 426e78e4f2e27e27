"""Standard deviations, variances and percentiles, beside PostgreSQL."""

from __future__ import annotations

import math

import pytest

from nestling.common.errors import NestlingError
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE reading (id int PRIMARY KEY, kind text, n int, price numeric(10, 2), free numeric, f float8, big bigint, day date);
INSERT INTO reading
    SELECT i,
        CASE WHEN mod(i, 7) = 0 THEN 'rare' WHEN i = 1 THEN 'one' ELSE 'often' END,
        mod(i * 37, 101) - 50, (i * 1.17)::numeric(10, 2),
        i * 0.001 + 1000000, sqrt(i), i * 10::bigint ^ 16, date '2024-01-01' + i FROM generate_series(1, 60) i;
INSERT INTO reading VALUES (100, 'often', NULL, NULL, NULL, NULL, NULL, NULL),
    (101, 'nothing', NULL, NULL, NULL, NULL, NULL, NULL),
    (102, 'same', 5, 1.10, 2.5, 0.5, 1, '2024-01-01'), (103, 'same', 5, 1.10, 2.5, 0.5, 1, '2024-01-01'),
    (104, 'two', 0, 0.01, 0, -1, 1, '2024-01-01'), (105, 'two', 1, 99999999.99, 1, 1, 1, '2024-01-02');
"""
FUNCTIONS = ("stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp")
SHARES = ("0", "0.25", "0.5", "0.9", "1", "0.333")


served = beside_of(TABLES, scope="module")
"""Numbers of each kind."""


def _alike(ours: list[tuple[object, ...]], theirs: list[tuple[object, ...]]) -> bool:
    """The same rows, floats but for their last digits, which hang on the order of the rows."""
    return len(ours) == len(theirs) and all(
        one == other
        or (
            isinstance(one, float)
            and isinstance(other, float)
            and math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
        )
        for rows in zip(ours, theirs, strict=True)
        for one, other in zip(*rows, strict=True)
    )


@pytest.mark.in_turn("column")
@pytest.mark.parametrize("column", ["n", "price", "free", "f", "n * 2", "price + 1"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_spreads_are_postgresqls(served: Beside, function: str, column: str) -> None:
    """In groups, over all, with FILTER, over nothing: exact numbers to the last digit."""
    call = f"{function}({column})"
    for sql in (
        f"SELECT kind, {call}, count(*) FROM reading GROUP BY kind ORDER BY kind",
        f"SELECT {call}, round({call}::numeric, 2), avg({column}) FROM reading",
        f"SELECT {call} FILTER (WHERE n > 3) FROM reading",
        f"SELECT {call} FROM reading WHERE id < 0",
        f"SELECT kind FROM reading GROUP BY kind HAVING {call} > 3 ORDER BY kind",
        f"SELECT kind, (SELECT {call} FROM reading b WHERE b.kind = a.kind) FROM reading a WHERE id IN (1, 7, 102) ORDER BY id",
    ):
        assert _alike(served.ours(sql), served.theirs(sql)), (sql, served.ours(sql), served.theirs(sql))


@pytest.mark.in_turn("column")
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("call", ["percentile_cont", "percentile_disc"])
@pytest.mark.parametrize("column", ["n", "price", "f", "f DESC", "n + 1 DESC", "free"])
def test_percentiles_are_postgresqls(served: Beside, share: str, call: str, column: str) -> None:
    """In groups, over all, with FILTER, over nothing."""
    call = f"{call}({share}) WITHIN GROUP (ORDER BY {column})"
    for sql in (
        f"SELECT kind, {call}, count(*) FROM reading GROUP BY kind ORDER BY kind",
        f"SELECT {call}, max(n) FROM reading",
        f"SELECT {call} FILTER (WHERE n > 3) FROM reading",
        f"SELECT {call} FROM reading WHERE id < 0",
    ):
        assert served.ours(sql) == served.theirs(sql), sql


@pytest.mark.parametrize("column", ["kind", "day"])
def test_a_discrete_percentile_is_of_any_values(served: Beside, column: str) -> None:
    """Texts and days."""
    sql = f"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY {column}) FROM reading"
    assert served.ours(sql) == served.theirs(sql)


@pytest.mark.parametrize("column", ["big", "n / 7.0"])
def test_more_digits_than_the_server_has_fail(served: Beside, column: str) -> None:
    """They are not rounded."""
    with pytest.raises(NestlingError, match="more digits"):
        served.ours(f"SELECT stddev({column}) FROM reading")


@pytest.mark.parametrize(
    "value",
    [
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY day)",
        "percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY f)",
        "mode() WITHIN GROUP (ORDER BY n)",
        "stddev(DISTINCT n)",
    ],
)
def test_what_is_a_gap(served: Beside, value: str) -> None:
    """In words."""
    assert served.gap(f"SELECT {value} FROM reading")
    assert served.gap("SELECT stddev(n) OVER (ORDER BY id) FROM reading")
