"""A statement asked twice: of the SQLite database it was written for, and of the MongoDB it was converted for."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.ir.proposal import Proposal
    from nestling.ir.workload import Statement

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The converted query as mongosh takes it, the rows both sides gave, and whether they are the same."""

    name: str
    sql: str
    query: str
    rows: int
    equal: bool


def compare(proposal: Proposal, statement: Statement, sqlite: Path, database: Database[Any]) -> SideBySide:
    """Run one SELECT with its sample values on both; raises `GapError` when it cannot be converted."""
    from nestling.emitters.mql.script import read_shell
    from nestling.executors.run import run_read
    from nestling.ir.compiled import CompiledRead
    from nestling.pipeline.converting import convert

    values = dict(statement.samples)
    read = convert(proposal, statement.sql, name=statement.name, values=values)
    assert isinstance(read, CompiledRead), statement.name
    found, expected = list(run_read(database, read)), _asked(sqlite, statement.sql, values)
    is_ordered = "ORDER BY" in statement.sql.upper()
    return SideBySide(statement.name, statement.sql, read_shell(read), len(found), _same(found, expected, is_ordered))


def _asked(sqlite: Path, sql: str, values: Mapping[str, object]) -> list[Row]:
    with closing(sqlite3.connect(sqlite)) as connection:
        return connection.execute(sql, dict(values)).fetchall()


def _same(found: Iterable[Row], expected: Iterable[Row], is_ordered: bool) -> bool:
    """The same rows, in the same order where the statement asks for one."""
    left, right = ([tuple(map(_shown, row)) for row in rows] for rows in (found, expected))
    return left == right if is_ordered else Counter(left) == Counter(right)


def _shown(value: object) -> object:
    """A value as SQLite has it: points in time are text there."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(sep=" ")
    return value
