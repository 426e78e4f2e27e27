"""Parameters, and what is none: PostgreSQL's `?` on JSON before one."""

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
