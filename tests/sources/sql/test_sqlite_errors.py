"""What SQLite says of files that it may not use becomes what to do about them."""

from __future__ import annotations

import sqlite3

import pytest

from nestling.common.errors import PermissionDenied, Problem, SourceError
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.sql.engines import engine_of


@pytest.mark.parametrize(
    ("said", "kind", "move"),
    [
        ("attempt to write a readonly database", PermissionDenied, "copy the database elsewhere"),
        ("unable to open database file", SourceError, "check that the file may be read"),
    ],
)
def test_files_it_may_not_use(said: str, kind: type[Exception], move: str) -> None:
    """Nobody can grant rights on tables of a file."""
    error = engine_of(SQLITE).typed(sqlite3.OperationalError(said), Problem(said, where="shop.db"))
    assert isinstance(error, kind)
    assert said in str(error)
    assert move in str(error)
    assert "SELECT" not in str(error)
