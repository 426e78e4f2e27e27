"""MySQL's FLOAT beside MariaDB: what is stored has single precision, and is a double where it is read."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from tests.beside_mariadb import Both, both_of
from tests.written_module import written_function

_SCRIPT = """
CREATE TABLE f (id int PRIMARY KEY, x float, y float NOT NULL DEFAULT 0.3, d double);
INSERT INTO f VALUES (1, 0.1, 0.2, 0.1), (2, 3, 0.5, 3), (3, NULL, 1e-3, NULL), (4, 16777217, -7.7, 16777217)
"""
_WRITES = (
    "INSERT INTO f (id, x) VALUES (5, 0.1)",
    "INSERT INTO f (id, x, y) VALUES (6, '0.7', 1e-50)",
    "INSERT INTO f (id, x, y) VALUES (7, true, 123456.789)",
    "INSERT INTO f (id, x, y) VALUES (8, 0.7, 1), (9, 2, 1.25), (10, NULL, 1e-3)",
    "UPDATE f SET x = 0.1 WHERE id = 2",
    "UPDATE f SET x = 16777219, d = x WHERE id = 1",
    "UPDATE f SET x = y, d = 0.2 WHERE id = 4",
    "INSERT INTO f (id, x, y, d) SELECT id + 10, y, y, x FROM f WHERE y <> 0.5",
    "INSERT INTO f (id, x) VALUES (5, 9.9) ON DUPLICATE KEY UPDATE x = VALUES(x), d = x * 2",
    "REPLACE INTO f (id, x) VALUES (5, 0.15)",
    "DELETE FROM f WHERE x = 0.1",
)
_QUERIES = (
    "SELECT id, x * 3, x + d, y / 3 FROM f",
    "SELECT id FROM f WHERE x = 0.1",
    "SELECT id FROM f WHERE x < 0.1 OR x = 0.5 OR y > 0.2",
    "SELECT id FROM f WHERE x = d OR x = y",
    "SELECT count(DISTINCT x), sum(x), avg(y) FROM f",
    "SELECT id, coalesce(x, 0.1) * 1, CASE WHEN id = 1 THEN x ELSE d END * 1 FROM f",
    "SELECT x * 1, count(*) FROM f GROUP BY x",
)
_GIVEN = (0.1, Decimal("0.1"), "0.1", 7, True, None, 16777217, 1e38)

both = both_of(_SCRIPT, "normalized")


@pytest.mark.thorough
def test_writes_have_single_precision(both: Both) -> None:
    """Constants, defaults and columns; what reads them has MariaDB's doubles."""
    store = Store(both.proposal, both.database)
    for sql in _WRITES:
        store.execute(sql)
        both.cursor.execute(sql)
        both.assert_equal()
        for query in _QUERIES:
            here, there = both.answers(query)
            assert sorted(map(_rounded, here)) == sorted(map(_rounded, there)), (sql, query)


def _rounded(row: tuple[Any, ...]) -> str:
    """The row with doubles by the digits that the order of a sum does not change."""
    return repr([float(f"{float(each):.14g}") if isinstance(each, float | Decimal) else each for each in row])


@pytest.mark.thorough
def test_parameters_have_single_precision(both: Both) -> None:
    """Of a store and of a written module."""
    sql = "UPDATE f SET x = :p WHERE id = 2"
    function = written_function(both.proposal, sql, "mysql")
    for value in _GIVEN:
        both.cursor.execute(sql.replace(":p", "%(p)s"), {"p": value})
        Store(both.proposal, both.database).execute(sql, p=value)
        both.assert_equal()
        function(both.database, p=value)
        both.assert_equal()
    with pytest.raises(WorkloadError, match="out of range for FLOAT"):
        Store(both.proposal, both.database).execute(sql, p=1e39)


@pytest.mark.parametrize("value", ["x + 1", "d", "x / 3", "coalesce(x, :p)"])
def test_what_is_computed_is_a_gap(both: Both, value: str) -> None:
    """MongoDB has no single precision."""
    assert "storing a computed value as float as single" in both.gap(f"UPDATE f SET x = {value}")
    assert "storing a computed value as float as single" in both.gap(
        f"INSERT INTO f (id, x) SELECT id + 90, {value} FROM f"
    )


def test_the_model_says_which_they_are(both: Both) -> None:
    """Those that have double precision are others."""
    found = pipeline.inspect(both.address).model.entity("f")
    assert [str(found.attribute(name).type) for name in "xyd"] == ["float as single", "float as single", "float"]
