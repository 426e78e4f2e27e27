"""Running a compiled write: all of it or nothing, in a transaction where more than one command could tear it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeVar, assert_never

from pymongo.client_session import ClientSession
from pymongo.database import Database

from nestling.executors.apart import apart
from nestling.executors.attempts import in_transaction
from nestling.executors.calls import COUNTER_RAISED, batch_call, command_call, documents_met, number_call
from nestling.executors.errors.transient import no_server_is_final
from nestling.executors.errors.write_errors import note_refusals, write_errors
from nestling.executors.exact import exact
from nestling.executors.run import result_documents
from nestling.executors.write_program import Request, WriteResult, numbering_requests, program
from nestling.ir.design import Design
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.filling import bind_write
from nestling.ir.programs.program import CompiledWrite, NextNumbers, WriteCommand
from nestling.ir.storage.kept_numbers import LAST

Done = TypeVar("Done")


def run_write(
    database: Database[Any],
    write: CompiledWrite,
    values: Mapping[str, object] | None = None,
    *,
    session: ClientSession | None = None,
    design: Design | None = None,
    before: Callable[[], None] | None = None,
) -> WriteResult:
    """Do the write, in `session`'s transaction when it has one open, else in its own where it needs one.

    A transaction that another write got in the way of is tried again, for two minutes at most. Raises `WorkloadError` for
    parameters that do not fit, `ConstraintError` for what the source would refuse, `NoTransactions` on a server without; after
    an error nothing of the write stays, except in a transaction of the caller's, who then has to abort it.
    What the server refuses is called as in the model when the `design` is given, else as it is stored. `before` is called each
    time its own transaction begins.
    """

    def work(inner: ClientSession) -> WriteResult:
        if before is not None:
            before()
        return _drive(database, program(bound), inner)

    bound = bind_write(write, values)
    with write_errors(write, design):
        bound = _drive(database, numbering_requests(bound), session)
        if not write.transaction or (session is not None and session.in_transaction):
            return _drive(database, program(bound), session)
        if session is not None:
            return in_transaction(session, work)
        with database.client.start_session() as own:
            return in_transaction(own, work)


def _drive(database: Database[Any], requests: Generator[Request, Any, Done], session: ClientSession | None) -> Done:
    """Answer the requests until they have their result."""
    ours = exact(database)
    outside = ours.with_options(write_concern=COUNTER_RAISED)
    answer: Any = None
    while True:
        try:
            request = requests.send(answer)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        with no_server_is_final(database):
            match request:
                case CompiledRead():
                    with note_refusals(request):
                        answer = list(result_documents(database, request, session=session))
                case NextNumbers():
                    with apart(session):
                        answer = number_call(request).on(outside)[LAST]
                case tuple():
                    batch_call(request).on(ours, session=session)
                    answer = None
                case WriteCommand(apart=True):
                    with apart(session):
                        answer = documents_met(request, command_call(request).on(outside))
                case WriteCommand():
                    answer = documents_met(request, command_call(request).on(ours, session=session))
                case _:
                    assert_never(request)
