"""One execution of a compiled statement, timed as an application sees it: request, server, decoded rows.

The values are put into the command before the clock starts; an application's own code would hold it ready.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from pymongo.client_session import ClientSession
from pymongo.database import Database

from nestling.common.errors import ConstraintError, DataError, NestlingError
from nestling.executors.drive.answers import StatementAnswer
from nestling.executors.run import documents, row_of
from nestling.executors.write import run_write
from nestling.ir.codec import BsonDocument
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.rows import Row
from nestling.ir.trace import Execution


@dataclass(frozen=True, slots=True)
class LoadedDesign:
    """A loaded design with its compiled statements. `exact`: reads that use no copy that may be behind, where that differs."""

    name: str
    database: Database[Any]
    statements: Mapping[str, CompiledRead | CompiledWrite]
    exact: Mapping[str, CompiledRead]
    rows: Mapping[str, Callable[[BsonDocument], Row]]


def driven(
    name: str,
    database: Database[Any],
    statements: Mapping[str, CompiledRead | CompiledWrite],
    exact: Mapping[str, CompiledRead],
) -> LoadedDesign:
    """Prepare the execution of compiled statements."""
    rows = {key: row_of(each.columns) for key, each in statements.items() if isinstance(each, CompiledRead)}
    return LoadedDesign(name, database, statements, exact, rows)


def execute(
    on: LoadedDesign, call: Execution, *, session: ClientSession | None = None
) -> tuple[float, StatementAnswer]:
    """The seconds and the answer. A statement's own failure is part of the answer; connection errors are the driver's."""
    compiled = on.statements[call.statement]
    try:
        if isinstance(compiled, CompiledRead):
            return _read(on, compiled, call, on.rows[call.statement], session)
        write = call.instead.bind_write(compiled, call.values)
        began = perf_counter()
        try:
            done = run_write(on.database, write, session=session)
        except ConstraintError as error:
            return perf_counter() - began, StatementAnswer(refused=error.violation or "refused")
        except DataError:
            return perf_counter() - began, StatementAnswer(refused="value")
        return perf_counter() - began, StatementAnswer(affected=done.affected, left=done.left)
    except NestlingError as error:
        return 0.0, StatementAnswer(failed=error.problems[0].text())


def execute_exact(on: LoadedDesign, call: Execution) -> StatementAnswer | None:
    """The answer without copies that may lag; None if the statement uses none."""
    read = on.exact.get(call.statement)
    try:
        return _read(on, read, call, row_of(read.columns))[1] if read is not None else None
    except NestlingError as error:
        return StatementAnswer(failed=str(error.problems[0].what))


def _read(
    on: LoadedDesign,
    read: CompiledRead,
    call: Execution,
    row: Callable[[BsonDocument], Row],
    session: ClientSession | None = None,
) -> tuple[float, StatementAnswer]:
    bound = call.instead.bind(read, call.values)
    began = perf_counter()
    rows = tuple(map(row, documents(on.database, bound, session=session)))
    return perf_counter() - began, StatementAnswer(rows)
