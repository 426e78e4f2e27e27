"""What a gap says is true of the statement."""

from __future__ import annotations

import pytest

from nestling.common.errors import WorkloadError
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.reading import GapKind
from nestling.ir.types import Type
from nestling.planner.sql import StatementGap, translate
from nestling.sources.statements.footprint import syntax_tree
from nestling.sources.statements.walk import Mistake

MODEL = Model(
    "shop",
    (
        Entity(
            "book",
            (
                Attribute("id", Type.parse("integer"), nullable=False),
                Attribute("title", Type.parse("text")),
                Attribute("price", Type.parse("decimal(8,2)")),
                Attribute("published", Type.parse("date")),
            ),
            ("id",),
        ),
    ),
)


@pytest.mark.parametrize(
    ("dialect", "sql", "said"),
    [
        ("mysql", "left(title, -1)", "LEFT with a length below 0"),
        ("mysql", "right(title, -2)", "RIGHT with a length below 0"),
        ("postgresql", "to_char(published, 'DDth')", "TO_CHAR with the format `DDth`"),
        ("postgresql", "to_char(published, 'TMMonth')", "TO_CHAR with the format `TMMonth`"),
        ("postgresql", "to_char(price, 'FM999.00')", "TO_CHAR of a number"),
        ("mysql", "date_format(published, '%f-%v')", "DATE_FORMAT with the format `%f-%v`"),
        ("sqlite", "1 = title LIKE 'S%'", "whose operators sqlite evaluates differently; add parentheses"),
        ("sqlite", "1 = id IN (100)", "whose operators sqlite evaluates differently; add parentheses"),
        (
            "mysql",
            "id BETWEEN 1 AND title LIKE 'S%'",
            "whose operators mysql evaluates differently; add parentheses",
        ),
        ("mysql", "char(65)", "CHAR() without USING, which gives bytes"),
        ("postgresql", "current_time", "the current time of day"),
        ("mysql", "now(id)", "number of digits that is not a constant"),
        ("sqlite", "replace(price, '', 'x')", "REPLACE in a value that may not be text"),
        ("sqlite", "log(-2, id)", "LOG to any base"),
        ("sqlite", "strftime(1, published)", "a time format that is not a constant text"),
    ],
)
def test_a_gap_says_what_is_written(dialect: str, sql: str, said: str) -> None:
    """In the words of the statement, not of the parser."""
    with pytest.raises(StatementGap) as found:
        translate(f"SELECT {sql} FROM book", MODEL, dialect)
    assert said in found.value.gap.what


@pytest.mark.parametrize(
    ("dialect", "sql", "said"),
    [
        ("sqlite", "UPDATE OR IGNORE book SET id = 2", "1:1: UPDATE OR IGNORE"),
        ("sqlite", "WITH a AS (SELECT 'x') update or replace book SET id = 2", "1:24: UPDATE OR REPLACE"),
        ("mysql", "UPDATE IGNORE book SET id = 2", "1:1: UPDATE IGNORE"),
        ("mysql", "DELETE IGNORE FROM book", "1:1: DELETE IGNORE"),
        (
            "sqlite",
            "INSERT INTO book (id) VALUES (1)\nON CONFLICT (id) DO NOTHING ON CONFLICT DO UPDATE SET title = 'x'",
            "2:1: two ON CONFLICT in one statement",
        ),
    ],
)
def test_what_the_parser_does_not_know_is_a_gap(dialect: str, sql: str, said: str) -> None:
    """And no mistake, in a workload either."""
    with pytest.raises(StatementGap) as found:
        translate(sql, MODEL, dialect)
    assert str(found.value).startswith(said)
    told = syntax_tree(sql, dialect)
    assert isinstance(told, Mistake)
    assert (told.what, told.kind) == (said.partition(": ")[2], GapKind.NOTIMPL)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO book (id) VALUES (1) ON DUPLICATE KEY UPDATE ignore = = 1",
        "UPDATE book OR IGNORE SET id = 2",
        "UPDATE book SET title = 'UPDATE OR IGNORE' WHERE",
        "INSERT INTO book (id) VALUES (1) ON CONFLICT (id) DO NOTHING ON",
    ],
)
def test_a_mistake_stays_one(sql: str) -> None:
    """Words that only look like such a clause."""
    with pytest.raises(WorkloadError, match="cannot be read"):
        translate(sql, MODEL, "mysql" if "DUPLICATE" in sql else "sqlite")
