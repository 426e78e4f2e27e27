"""A column of decimals or floats gives decimals or floats in every row, as drivers of SQL do, and no whole numbers."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from nestling import Store, pipeline
from nestling.emitters.python_code.module import module
from nestling.ir.programs.compiled import CompiledRead
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE staff (id integer PRIMARY KEY, salary numeric(10,2), share double precision, n integer);
INSERT INTO staff VALUES (1, NULL, NULL, 1), (2, 900, 0.5, 2), (3, 1500.50, 2, NULL), (4, 2000, NULL, 4);
"""
EXPRESSIONS = (
    "coalesce(salary, 0)", "greatest(salary, 1000)", "least(salary, 1000)", "CASE WHEN n = 1 THEN 1 ELSE salary END",
    "coalesce(share, 0)", "coalesce(share, salary)", "coalesce(salary, n, 7)", "coalesce(n, 0.5)", "nullif(salary, 900)",
    "salary * 2", "coalesce(n, 0)", "salary",
)  # fmt: skip
STATEMENTS = (
    *(f"SELECT id, {text} AS found FROM staff ORDER BY id" for text in EXPRESSIONS),
    "SELECT coalesce(sum(salary), 0) AS found FROM staff WHERE id > 90",
    "SELECT n, coalesce(sum(salary), 0) AS found FROM staff GROUP BY n ORDER BY n",
    "SELECT salary AS found FROM staff UNION ALL SELECT n FROM staff ORDER BY 1",
    "SELECT max(coalesce(share, 1)) AS found FROM staff",
)
WRITE = "UPDATE staff SET n = n WHERE id = 1 RETURNING coalesce(salary, 0) AS found, coalesce(share, 1) AS part"


found = beside_of(TABLES, scope="module")
"""The table beside what was loaded from it."""


def _kinds(rows: Any) -> list[tuple[str, object]]:
    return [(type(value).__name__, value) for row in rows for value in row]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_store_gives_what_the_driver_does(found: Beside, sql: str) -> None:
    """The same kinds of numbers, in every row."""
    with found.engine.connect() as connection:
        theirs = _kinds(connection.exec_driver_sql(sql))
    ours = _kinds(row.values() for row in Store(found.proposal, found.database).execute(sql))
    assert ours == theirs


def test_what_a_write_returns_is_the_same(found: Beside) -> None:
    """RETURNING too."""
    (row,) = Store(found.proposal, found.database).execute(WRITE)
    assert _kinds([row.values()]) == [("Decimal", Decimal(0)), ("float", 1.0)]


@pytest.mark.thorough
def test_a_written_module_gives_the_same(found: Beside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the conversions of its own."""
    compiled = [pipeline.convert(found.proposal, sql, dialect="postgresql") for sql in STATEMENTS]
    reads = [
        replace(each, name=f"read_{place}") for place, each in enumerate(compiled) if isinstance(each, CompiledRead)
    ]
    assert len(reads) == len(STATEMENTS)
    (tmp_path / "kinds_of_numbers.py").write_text(module(reads), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    written = import_module("kinds_of_numbers")
    store = Store(found.proposal, found.database)
    for read in reads:
        rows = getattr(written, read.name)(found.database)
        assert _kinds(row.values() for row in rows) == _kinds(row.values() for row in store.execute(read.sql)), read.sql
