"""Reads and writes by the driver's asyncio client: the same calls and the same program as without it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, TypeVar, assert_never

from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import OperationFailure

from nestling.executors.apart import apart
from nestling.executors.attempts import in_transaction_async
from nestling.executors.calls import COUNTER_RAISED, batch_call, command_call, documents_met, number_call, read_call
from nestling.executors.design_match import Looks, raise_unless_unknown
from nestling.executors.errors.read_errors import read_errors_async
from nestling.executors.errors.transient import no_server_is_final
from nestling.executors.errors.write_errors import note_refusals, write_errors
from nestling.executors.exact import exact
from nestling.executors.run import row_of
from nestling.executors.write_program import Request, WriteResult, numbering_requests, program
from nestling.ir.codec import BsonDocument
from nestling.ir.design import Design
from nestling.ir.programs.compiled import CompiledRead, bind
from nestling.ir.programs.filling import bind_write
from nestling.ir.programs.program import CompiledWrite, NextNumbers, WriteCommand
from nestling.ir.rows import Row
from nestling.ir.storage.kept_numbers import LAST

Done = TypeVar("Done")


async def run_read_async(
    database: AsyncDatabase[Any],
    read: CompiledRead,
    values: Mapping[str, object] | None = None,
    *,
    session: AsyncClientSession | None = None,
) -> list[Row]:
    """The rows; errors as of `run_read`."""
    bound = bind(read, values)
    async with read_errors_async(read.name or "the statement", database):
        found = await _documents(database, bound, session)
    return [*map(row_of(read.columns), found)]


async def look_async(database: AsyncDatabase[Any], asked: Looks) -> Any:
    """Answer the queries and return the result. Raises the same errors as `look`."""
    answer: list[Any] | None = None
    while True:
        try:
            call = asked.send(answer)
        except StopIteration as done:
            return done.value
        try:
            found = call.on(database)
            found = await found if inspect.isawaitable(found) else found
            answer = found if isinstance(found, list) else [document async for document in found]
        except OperationFailure as error:
            raise_unless_unknown(error)
            answer = None


async def run_write_async(
    database: AsyncDatabase[Any],
    write: CompiledWrite,
    values: Mapping[str, object] | None = None,
    *,
    session: AsyncClientSession | None = None,
    design: Design | None = None,
    before: Callable[[], Awaitable[None]] | None = None,
) -> WriteResult:
    """Execute the write, in the transaction of `session` if given; otherwise as `run_write`."""
    bound = bind_write(write, values)
    with write_errors(write, design):
        bound = await _drive(database, numbering_requests(bound), session)
        if not write.transaction or session is not None:
            return await _drive(database, program(bound), session)
        async with database.client.start_session() as own:

            async def work(inner: AsyncClientSession) -> WriteResult:
                if before is not None:
                    await before()
                return await _drive(database, program(bound), inner)

            return await in_transaction_async(own, work)


async def _drive(
    database: AsyncDatabase[Any], requests: Generator[Request, Any, Done], session: AsyncClientSession | None
) -> Done:
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
                        answer = await _documents(database, request, session)
                case NextNumbers():
                    with apart(session):
                        answer = (await number_call(request).on(outside))[LAST]
                case tuple():
                    await batch_call(request).on(ours, session=session)
                    answer = None
                case WriteCommand(apart=True):
                    with apart(session):
                        answer = documents_met(request, await command_call(request).on(outside))
                case WriteCommand():
                    answer = documents_met(request, await command_call(request).on(ours, session=session))
                case _:
                    assert_never(request)


async def _documents(
    database: AsyncDatabase[Any], read: CompiledRead, session: AsyncClientSession | None
) -> list[BsonDocument]:
    call = read_call(read)
    if call is None:
        return []
    found = call.on(exact(database), session=session)
    async with await found if inspect.isawaitable(found) else found as cursor:  # an aggregation is started first
        return [document async for document in cursor]
