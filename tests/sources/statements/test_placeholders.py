"""Parameters, and what is none: PostgreSQL's `?` on JSON before one, and per cent signs."""

from __future__ import annotations

import pytest

from nestling.sources.statements import normalise


@pytest.mark.parametrize(
    ("sql", "written", "names"),
    [
        ("SELECT 1 FROM t WHERE a ? %(a_1)s", "SELECT 1 FROM t WHERE a ? :a_1", ("a_1",)),
        ("SELECT 1 FROM t WHERE a ? :k AND b = :v", "SELECT 1 FROM t WHERE a ? :k AND b = :v", ("k", "v")),
        ("SELECT 1 FROM t WHERE a ? $1", "SELECT 1 FROM t WHERE a ? :p1", ("p1",)),
        ("SELECT 1 FROM t WHERE a ? %s", "SELECT 1 FROM t WHERE a ? :p1", ("p1",)),
        ("SELECT 1 FROM t WHERE a = ? AND b IN (?, ?)", "SELECT 1 FROM t WHERE a = :p1 AND b IN (:p2, :p3)", ("p1", "p2", "p3")),
        ("SELECT ? % 5", "SELECT :p1 % 5", ("p1",)),
    ],
)  # fmt: skip
def test_a_question_mark_before_a_parameter_is_an_operator(sql: str, written: str, names: tuple[str, ...]) -> None:
    """Two parameters never stand side by side."""
    found = normalise(sql, "postgresql")
    assert (found.sql, found.parameters) == (written, names)


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("SELECT ?1, ?", "SELECT :p1, :p2"),
        ("SELECT ?2, ?", "SELECT :p2, :p3"),
        ("SELECT :p1, ?, ?", "SELECT :p1, :p2, :p3"),
        ("SELECT ?, :p1, :id", "SELECT :p2, :p1, :id"),
        ("SELECT ?, ?1", "SELECT :p1, :p1"),
        ("SELECT @a.b, ?", "SELECT :a_b, :p1"),
    ],
)
def test_one_without_a_name_is_nobody_elses(sql: str, written: str) -> None:
    """As SQLite counts: the next number, and no name that is written."""
    assert normalise(sql, "sqlite").sql == written


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("SELECT 1 WHERE a = %s AND b = '100%%'", "SELECT 1 WHERE a = :p1 AND b = '100%'"),
        ("SELECT 1 WHERE a %% 2 = %(n)s", "SELECT 1 WHERE a % 2 = :n"),
        ("SELECT 1 WHERE a LIKE '%%s' AND b = %s", "SELECT 1 WHERE a LIKE '%s' AND b = :p1"),
        ("SELECT 7 %%s AND b = %s", "SELECT 7 %s AND b = :p1"),
        ("SELECT '100%%' WHERE a = ?", "SELECT '100%%' WHERE a = :p1"),
    ],
)
def test_two_per_cent_signs_are_one_where_drivers_send_one(sql: str, written: str) -> None:
    """Beside parameters of that style alone; places are found again behind them."""
    found = normalise(sql, "postgresql")
    assert found.sql == written
    assert found.original(len(found.sql)) == len(sql)
