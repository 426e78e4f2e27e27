"""A statement asked twice: of the SQL database it was written for, and of the MongoDB it was converted for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from pymongo.database import Database

    from nestling.ir.proposal import Proposal
    from nestling.ir.workload import Statement

MOST_SECONDS = 60.0
"""How long the SQL database may take for the answer."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The converted query as mongosh takes it, the rows both sides gave, and whether they are the same."""

    name: str
    sql: str
    query: str
    rows: int
    equal: bool


def compare(proposal: Proposal, statement: Statement, source: Path | str, database: Database[Any]) -> SideBySide:
    """Run one SELECT with its sample values on both; raises `GapError` when it cannot be converted."""
    from nestling.emitters.mql.script import read_shell
    from nestling.executors.drive import Likeness, StatementAnswer
    from nestling.executors.run import run_read
    from nestling.ir.programs.compiled import CompiledRead
    from nestling.pipeline.answer_shape import shape_of
    from nestling.pipeline.converting import convert, samples_of
    from nestling.pipeline.source_answers import opened_source

    values, model, dialect = samples_of(statement, proposal), proposal.design.model, proposal.dialect
    read = convert(proposal, statement.sql, name=statement.name, values=values)
    assert isinstance(read, CompiledRead), statement.name
    found = StatementAnswer(tuple(run_read(database, read)))
    with opened_source(source, model) as opened:
        expected = opened.answer(statement.sql, dialect, values, MOST_SECONDS)
    alike = expected.likeness(found, read.columns, shape_of(statement.sql, model, dialect))
    return SideBySide(statement.name, statement.sql, read_shell(read), len(found.rows), alike is Likeness.EQUAL)
