"""A statement of the workload as algebra."""

from __future__ import annotations

from nestling.common.errors import NestlingError
from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.ir.statements.write import Write
from nestling.ir.workload import Statement
from nestling.planner.sql.translated import translated as as_algebra


def translated(statement: Statement, reading: Reading) -> Query | Write | None:
    """What the statement's SQL says; None where it cannot be translated."""
    try:
        return as_algebra(statement.sql, reading.model, reading.dialect_of(statement))
    except NestlingError:
        return None
