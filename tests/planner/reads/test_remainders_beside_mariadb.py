"""Remainders of numbers of several types, beside MariaDB's."""

from __future__ import annotations

import pytest

from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE, n INT, x DECIMAL(5, 2));
INSERT INTO t VALUES (1, 100, 100, 0.1), (2, -7.5, 7, 0.3), (3, 50, -7, -0.3), (4, NULL, 1, 0), (5, 1e20, 3, 7)
"""
both = both_of(SCRIPT, "normalized", scope="module")


@pytest.mark.parametrize("value", ["d % x", "x % d", "1e2 % 0.1", "d % 0.1", "n % 1e-1", "n % x", "x % n", "d % n"])
def test_a_remainder_beside_a_float_is_one_of_floats(both: Both, value: str) -> None:
    """And exact where both sides are."""
    here, there = both.answers(f"SELECT id, {value} FROM t ORDER BY id")
    assert here == there
