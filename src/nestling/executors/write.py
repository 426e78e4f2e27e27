"""Running a compiled write: all of it or nothing, in a transaction where more than one command could tear it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymongo.client_session import ClientSession
from pymongo.database import Database

from nestling.executors.calls import ONE_MOMENT, TO_LAST, command_call, met
from nestling.executors.errors.write_errors import write_errors
from nestling.executors.exact import exact
from nestling.executors.run import documents
from nestling.executors.write_program import Program, WriteResult, program
from nestling.ir.compiled import CompiledRead
from nestling.ir.design import Design
from nestling.ir.filling import bind_write
from nestling.ir.program import CompiledWrite


def run_write(
    database: Database[Any],
    write: CompiledWrite,
    values: Mapping[str, object] | None = None,
    *,
    session: ClientSession | None = None,
    design: Design | None = None,
) -> WriteResult:
    """Do the write, in `session`'s transaction when it has one open, else in its own where it needs one.

    A transaction that another write got in the way of is tried again, for two minutes at most. Raises `WorkloadError` for
    parameters that do not fit, `ConstraintError` for what the source would refuse, `NoTransactions` on a server without; after
    an error nothing of the write stays, except in a transaction of the caller's, who then has to abort it.
    What the server refuses is called as in the model when the `design` is given, else as it is stored.
    """
    bound = bind_write(write, values)
    with write_errors(write, design):
        if not write.transaction or (session is not None and session.in_transaction):
            return _drive(database, program(bound), session)
        if session is not None:
            return session.with_transaction(lambda inner: _drive(database, program(bound), inner), ONE_MOMENT, TO_LAST)
        with database.client.start_session() as own:
            return own.with_transaction(lambda inner: _drive(database, program(bound), inner), ONE_MOMENT, TO_LAST)


def _drive(database: Database[Any], requests: Program, session: ClientSession | None) -> WriteResult:
    """Answer the program's requests until it has its result."""
    ours = exact(database)
    answer: Any = None
    while True:
        try:
            request = requests.send(answer)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        if isinstance(request, CompiledRead):
            answer = list(documents(database, request, session=session))
        else:
            answer = met(request, command_call(request).on(ours, session=session))
