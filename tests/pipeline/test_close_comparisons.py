"""HAVING that compares a sum: whether the last digits alone may tell two answers apart."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from nestling.executors.drive import StatementAnswer
from nestling.pipeline.answer_shape import shape_of
from nestling.pipeline.close_comparisons import decided_by_last_digits
from nestling.sources.ddl import read_ddl

TABLE = """
CREATE TABLE fine (
  fine_id INTEGER NOT NULL PRIMARY KEY, reader INTEGER NOT NULL, amount REAL NOT NULL, days INTEGER NOT NULL
);
"""
ROWS = "INSERT INTO fine (reader, amount, days) VALUES (1, 0.1, 1), (1, 0.2, 1), (1, 0.3, 4), (2, 0.6, 6), (3, 0.9, 9);"
MODEL = read_ddl(TABLE, "fines", dialect="sqlite").model
OF_READERS = "SELECT reader FROM fine GROUP BY reader HAVING "


def decided(sql: str, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether answers of these readers differ by last digits, as SQLite's rows tell."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLE + ROWS)
        answers = (StatementAnswer(tuple((reader,) for reader in readers)) for readers in (one, other))
        return decided_by_last_digits(
            sql,
            MODEL,
            "sqlite",
            lambda other: list(connection.execute(other, {"least": 0.6})),
            (next(answers), next(answers)),
            shape_of(sql, MODEL, "sqlite"),
        )


@pytest.mark.parametrize(
    ("condition", "one", "other"),
    [
        ("SUM(amount) > 0.6", (1, 3), (3,)),
        ("SUM(amount) > :least", (1, 3), (3,)),
        ("SUM(amount) <= 0.6 AND COUNT(*) > 0", (2,), (1, 2)),
        ("SUM(amount) = 0.6", (2,), (1,)),
        ("SUM(amount) <> 0.6", (1, 3), (3,)),
        ("TOTAL(amount) BETWEEN 0.6 AND 0.7 ORDER BY reader DESC", (2, 1), (2,)),
        ("AVG(amount) >= 0.2", (1, 2, 3), (2, 3)),
    ],
)
def test_the_last_digits_decide(condition: str, one: tuple[int, ...], other: tuple[int, ...]) -> None:
    """A reader whose sum is what it is compared with, but for its last digits, may be there or not."""
    assert decided(OF_READERS + condition, one, other)
    assert decided(OF_READERS + condition, other, one)


@pytest.mark.parametrize(
    ("condition", "one", "other"),
    [
        ("SUM(amount) > 0.6", (1, 3), ()),
        ("SUM(amount) > 0.6", (1, 3), (1, 2, 3, 4)),
        ("SUM(amount) > 0.6", (1, 3), (1, 3, 3)),
        ("SUM(days) > 6", (3,), (1, 3)),
        ("SUM(amount) > 0.6 LIMIT 2", (1, 3), (3,)),
        ("SUM(amount) > 0.6 OR reader = 5", (1, 3), (3,)),
        ("MAX(amount) > 0.6", (3,), (2, 3)),
        ("TOTAL(amount) BETWEEN 0.6 AND 1 ORDER BY reader DESC", (3, 2, 1), (2, 3)),
    ],
)
def test_something_else_decides(condition: str, one: tuple[int, ...], other: tuple[int, ...]) -> None:
    """Rows whose sums are apart, too few or too many rows, whole numbers, another order: one of the answers is wrong."""
    assert not decided(OF_READERS + condition, one, other)
