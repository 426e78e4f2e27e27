"""What statements' own texts say of the rows they find and write, whatever their parameters are."""

from __future__ import annotations

import pytest

from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload

DDL = """CREATE TABLE task (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, status TEXT NOT NULL DEFAULT 'new', closed DATE,
    urgent BOOLEAN, amount INTEGER, {name} TEXT {collated}, data JSON);"""


def said(sql: str, dialect: str = "sqlite", collated: str = "") -> tuple[list[str], list[str]]:
    """The clauses on the rows that a statement's first access finds, and on those it writes."""
    model = read_ddl(DDL.format(name="name", collated=collated), "m", dialect=dialect).model
    workload, gaps = parse_workload(f"-- name: s, rate: 1/s\n{sql}", model, dialect, "w.sql")
    assert gaps == ()
    access = workload.statements[0].accesses[0]
    return list(map(str, access.constants)), list(map(str, access.sets))


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("status = 'open' AND owner = :owner", ['status = "open"']),
        ("'open' = status", ['status = "open"']),
        ("(closed IS NULL AND (amount > -3))", ["closed is null", "amount > -3"]),
        ("3 >= amount", ["amount <= 3"]),
        ("amount BETWEEN 1 AND 9", ["amount >= 1", "amount <= 9"]),
        ("urgent", ["urgent = true"]),
        ("NOT urgent", ["urgent = false"]),
        ("urgent IS TRUE", ["urgent = true"]),
        ("closed IS NOT NULL", ["closed is not null"]),
        ("NOT closed IS NULL", ["closed is not null"]),
        ("status IS NULL", []),  # it never is
        ("closed = NULL", []),  # nothing is
        ("closed > '2026-01-01'", []),  # rows pass a point in time
        ("status = 'open' OR amount = 3", []),
        ("NOT status = 'open'", []),
        ("NOT (urgent IS TRUE)", []),  # which NULL is not either
        ("urgent = 1", []),
        ("amount = 1.5", []),
        ("amount + 1 = 3", []),
        ("status > 'm'", []),
        ("data IS NULL", []),  # JSON has a null of its own
        ("name = 'x'", ['name = "x"']),
    ],
)
def test_of_rows_found(condition: str, found: list[str]) -> None:
    """Comparisons with literals that every row found fulfils."""
    assert said(f"SELECT id FROM task WHERE {condition}") == (found, [])


def test_texts_that_are_equal_in_other_letters() -> None:
    """Nothing is said where texts are compared without case: an index compares them as they are."""
    assert said("SELECT id FROM task WHERE name = 'x'", collated="COLLATE NOCASE") == ([], [])
    assert said("SELECT id FROM task WHERE status = 'x'", dialect="mysql") == ([], [])


@pytest.mark.parametrize(
    ("sql", "found", "written"),
    [
        ("UPDATE task SET status = 'done', amount = :n WHERE id = :id", [], ['status = "done"']),
        ("UPDATE task SET closed = NULL WHERE status = 'done'", ['status = "done"'], ["closed is null"]),
        ("UPDATE task SET status = lower('X') WHERE id = 3", ["id = 3"], []),
        ("DELETE FROM task WHERE urgent", ["urgent = true"], []),
        (
            "INSERT INTO task (id, owner, status, amount) VALUES (:id, :owner, 'new', 3)",
            [],
            ['status = "new"', "closed is null", "urgent is null", "amount = 3", "name is null"],
        ),
        (
            "INSERT INTO task (id, owner) VALUES (:id, 3)",  # the status has a default
            [],
            ["owner = 3", "closed is null", "urgent is null", "amount is null", "name is null"],
        ),
        ("INSERT INTO task (id, owner) VALUES (1, 3), (2, 4)", [], []),
    ],
)
def test_of_rows_written(sql: str, found: list[str], written: list[str]) -> None:
    """Literals that rows are given, and NULL where they are given nothing."""
    assert said(sql) == (found, written)
