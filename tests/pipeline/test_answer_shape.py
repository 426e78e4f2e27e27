"""How far statements fix their answers: where SQL leaves a choice, and where it leaves none though it may look so."""

from __future__ import annotations

import pytest

from nestling.pipeline.answer_choice import (
    AN_END,
    ANY_ROW,
    ANY_TEXTS,
    COLLATED,
    MANY_ROWS,
    NO_ORDER,
    ROUGH_ORDER,
    TIES,
)
from nestling.pipeline.answer_shape import shape_of
from nestling.sources.ddl import read_ddl

TABLES = """
CREATE TABLE member (member_id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, email TEXT);
CREATE TABLE loan (
  loan_id INTEGER NOT NULL PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES member (member_id), due DATE NOT NULL,
  fine DECIMAL(6, 2)
);
"""
MODEL = read_ddl(TABLES, "library", dialect="sqlite").model
PEERS = "runs over rows that may be tied in its ORDER BY"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT loan_id, ROW_NUMBER() OVER (ORDER BY loan_id) AS n FROM loan ORDER BY loan_id",
        "SELECT loan_id, SUM(fine) OVER (PARTITION BY member_id) AS total FROM loan ORDER BY loan_id",
        "SELECT loan_id, LAG(due) OVER (PARTITION BY member_id ORDER BY due, loan_id) AS before FROM loan",
        "SELECT loan_id, RANK() OVER (ORDER BY due) AS place, SUM(loan_id) OVER (ORDER BY due) AS so_far FROM loan",
        "SELECT loan_id, ROW_NUMBER() OVER (ORDER BY due, loan_id) AS n FROM loan ORDER BY n LIMIT 5",
        "SELECT * FROM (SELECT loan_id, fine FROM loan ORDER BY loan_id LIMIT 2) x ORDER BY loan_id",
        "SELECT l.loan_id, m.name FROM loan l JOIN member m ON m.member_id = l.member_id ORDER BY l.due, l.loan_id LIMIT 5",
        "SELECT l.loan_id, m.name FROM loan l LEFT JOIN member m ON m.member_id = l.member_id ORDER BY l.loan_id LIMIT 5",
        "SELECT member_id, COUNT(*) AS n FROM loan GROUP BY member_id ORDER BY n DESC, member_id LIMIT 3",
        "SELECT m.member_id, m.email, COUNT(*) AS n FROM member m GROUP BY m.member_id",
        "SELECT member_id, MAX(loan_id) AS last, due FROM loan GROUP BY member_id",
        "SELECT m.member_id, (SELECT l.due FROM loan l WHERE l.loan_id = m.member_id) AS due FROM member m",
        "SELECT m.member_id, (SELECT l.due FROM loan l WHERE l.member_id = m.member_id ORDER BY l.loan_id LIMIT 1) FROM member m",
        "SELECT member_id FROM member m WHERE EXISTS (SELECT 1 FROM loan l WHERE l.member_id = m.member_id LIMIT 1)",
        "SELECT due FROM loan WHERE loan_id = 3 LIMIT 1",
    ],
)
def test_no_choice(sql: str) -> None:
    """Windows and LIMITs over an order that a key settles, columns that follow from a group's key, rows there is one of."""
    assert shape_of(sql, MODEL, "sqlite").choice == ""


@pytest.mark.parametrize(
    ("sql", "choice"),
    [
        ("SELECT loan_id FROM loan LIMIT 10", NO_ORDER),
        ("SELECT loan_id FROM loan ORDER BY due LIMIT 10", TIES),
        ("SELECT member_id FROM member ORDER BY name LIMIT 10", TIES),
        ("SELECT COUNT(*) FROM (SELECT loan_id, due FROM loan ORDER BY due LIMIT 2) x WHERE loan_id > 5", TIES),
        ("SELECT loan_id, ROW_NUMBER() OVER (ORDER BY due) AS n FROM loan", f"ROW_NUMBER {PEERS}"),
        (
            "SELECT loan_id, SUM(fine) OVER (ORDER BY due ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM loan",
            f"SUM {PEERS}",
        ),
        (
            "SELECT loan_id, LAST_VALUE(loan_id) OVER (PARTITION BY member_id ORDER BY due) AS v FROM loan",
            f"LAST_VALUE {PEERS}",
        ),
        ("SELECT due, loan_id, COUNT(*) AS n FROM loan GROUP BY due", ANY_ROW),
        ("SELECT member_id, MAX(fine) AS most, due FROM loan GROUP BY member_id", AN_END),
        ("SELECT member_id, GROUP_CONCAT(due) AS days FROM loan GROUP BY member_id", ANY_TEXTS),
        ("SELECT MAX(name) AS last FROM member", COLLATED),
        (
            "SELECT m.member_id, (SELECT l.due FROM loan l WHERE l.member_id = m.member_id) AS due FROM member m",
            MANY_ROWS,
        ),
        (
            "SELECT m.email, (SELECT l.loan_id FROM loan l WHERE l.member_id = m.member_id ORDER BY l.due LIMIT 1) FROM member m",
            TIES,
        ),
        (
            "SELECT member_id, SUM(fine * 0.1) AS s FROM loan GROUP BY member_id ORDER BY s DESC, member_id LIMIT 3",
            ROUGH_ORDER,
        ),
        ("SELECT l.loan_id, m.name FROM loan l JOIN member m ON m.email = l.due ORDER BY l.loan_id LIMIT 5", TIES),
        (
            "SELECT l.due FROM loan l LEFT JOIN member m ON m.member_id = l.member_id AND l.fine > 1 ORDER BY m.email LIMIT 9",
            TIES,
        ),
    ],
)
def test_a_choice(sql: str, choice: str) -> None:
    """What leaves a choice is named."""
    assert shape_of(sql, MODEL, "sqlite").choice == choice


def test_what_is_fixed_all_the_same() -> None:
    """Columns that are open are told from those that are not, and rows from columns."""
    bare = shape_of(
        "SELECT member_id, due, COUNT(*) AS n FROM loan GROUP BY member_id ORDER BY member_id", MODEL, "sqlite"
    )
    assert (bare.open, bare.ordered_by, bare.any_rows, bare.limited) == ((1,), (0,), False, False)
    numbered = shape_of(
        "SELECT loan_id, ROW_NUMBER() OVER (ORDER BY due) AS n FROM loan ORDER BY n LIMIT 5", MODEL, "sqlite"
    )
    assert (numbered.open, numbered.ordered_by, numbered.whole, numbered.limited) == ((1,), (), False, True)
    first = "SELECT * FROM (SELECT loan_id, ROW_NUMBER() OVER (ORDER BY due) AS n FROM loan) x WHERE n = 1"
    assert shape_of(first, MODEL, "sqlite").any_rows
