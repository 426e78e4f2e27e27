"""MySQL's ROUND of floats, which are doubles to it: halfway between two, near that, and elsewhere, beside a MariaDB."""

from __future__ import annotations

from random import Random

from tests.beside_mariadb import Both, both_of

_CHANCE = Random("rounded")
VALUES = (
    *(whole + half for whole in range(-6, 7) for half in (0.5, 0.25, 0.125, 0.0)),
    *(sign * (number + 0.5) / 10**digits for sign in (1, -1) for number in range(60) for digits in (1, 2, 3)),
    *(1.005, -1.005, 1.255, 2.675, 0.49999999999999994, -0.49999999999999994, 4503599627370495.5, 1e15, 1e300),
    *(_CHANCE.uniform(-1000, 1000) for _ in range(200)),
    *(round(_CHANCE.uniform(-1000, 1000), 3) for _ in range(300)),
)
ROWS = ", ".join(f"({number}, {value!r}, {value % 97!r})" for number, value in enumerate(VALUES))
SCRIPT = f"CREATE TABLE t (id int PRIMARY KEY, f double, s float);\nINSERT INTO t VALUES {ROWS}, (9999, NULL, NULL)"
both = both_of(SCRIPT, "normalized")


def test_they_are_mariadbs(both: Both) -> None:
    """To the last bit, of doubles and of single precision."""
    for text in (
        *(f"ROUND(f, {digits})" for digits in (0, 1, 2, 3, -1, -2)),
        "ROUND(f)",
        "ROUND(s, 2)",
        "ROUND(f * 3, 1)",
        "ROUND(ROUND(f, 3) * 7, 2)",
    ):
        here, there = both.answers(f"SELECT id, {text} FROM t WHERE ABS(f) < 1e14 OR f IS NULL ORDER BY id")
        assert here == there, text


def test_a_rounded_float_is_compared_and_grouped(both: Both) -> None:
    """As one."""
    for sql in (
        "SELECT id FROM t WHERE ROUND(f, 2) = 1.25 ORDER BY id",
        "SELECT ROUND(f, 0) AS v, COUNT(*) FROM t WHERE ABS(f) < 7 GROUP BY v ORDER BY v",
        "SELECT ROUND(AVG(f), 1) FROM t WHERE id < 52",
    ):
        here, there = both.answers(sql)
        assert here == there, sql
