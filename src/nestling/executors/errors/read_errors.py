"""What a server says when it cannot answer a read, as errors that name the next move.

Every read may use the server's disk (`allowDiskUse`), so that sorts and groups of more than 100 MB are done there. Some limits
stay: a document of 16 MiB, a `$graphLookup` of 100 MB, and stages that know no disk.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from bson.errors import InvalidBSON
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.database import Database
from pymongo.errors import AutoReconnect, DocumentTooLarge, ExecutionTimeout, OperationFailure, PyMongoError

from nestling.common.errors import NestlingError, Problem, ReadError, ResultTooLarge, ValueNotComputable
from nestling.common.server_codes import (
    AUTHENTICATION_FAILED,
    DOCUMENT_TOO_LARGE,
    NO_SUCH_YEAR,
    NOT_CONVERTED,
    NOT_PERMITTED,
    OUT_OF_MEMORY,
    TRANSIENT_TRANSACTION,
)
from nestling.executors.errors.server_message import DIVISION_BY_ZERO, divides_by_zero, server_message
from nestling.ir.programs.failure import failure_in

_WITHOUT = "exclude rows with such values by a condition, or select the plain column and compute in the application"
_UNLESS_ZERO = "exclude such rows by a condition, or write `NULLIF(divisor, 0)`, which makes the result NULL"
_HUNG_UP = "connection closed"
_RESULT = "a document of the result, at which the server closed the connection,"
PASSED_ON = frozenset({*NOT_PERMITTED, AUTHENTICATION_FAILED})
"""Codes of errors that `typed_errors` reports, such as missing permission to read."""


@contextmanager
def read_errors(name: str, database: Database[Any]) -> Iterator[None]:
    """Turn what the driver raises while a read called `name` runs into ours; connection errors pass unchanged.

    A server that has a result document over 16 MiB to send hangs up, twice, since the driver tries again, and goes on living.
    """
    try:
        with _final_errors(name):
            yield
    except AutoReconnect as error:
        if _HUNG_UP not in str(error) or not _answers(database):
            raise
        raise _too_large(name, _RESULT) from None


@asynccontextmanager
async def read_errors_async(name: str, database: AsyncDatabase[Any]) -> AsyncIterator[None]:
    """Turn what the driver raises on asyncio while a read called `name` runs into our errors; see `read_errors`."""
    try:
        with _final_errors(name):
            yield
    except AutoReconnect as error:
        if _HUNG_UP not in str(error) or not await _answers_async(database):
            raise
        raise _too_large(name, _RESULT) from None


@contextmanager
def _final_errors(name: str) -> Iterator[None]:
    """Turn the errors that need no further look at the server into ours."""
    try:
        yield
    except DocumentTooLarge:
        raise _too_large(name, "the command sent to the server") from None
    except InvalidBSON as error:
        what = f"a value of the result cannot be represented in Python: {str(error).partition(' (Consider')[0]}"
        raise ReadError(Problem(what, where=name, next_move=_WITHOUT)) from None
    except ExecutionTimeout as error:
        move = "give it more time, or an index its access path can use (see `explain` on the server)"
        raise ReadError(Problem(f"it took too long: {server_message(error)}", where=name, next_move=move)) from None
    except OperationFailure as error:
        if error.code in PASSED_ON or error.has_error_label(TRANSIENT_TRANSACTION):
            raise
        raise _typed(error, name) from None


def _answers(database: Database[Any]) -> bool:
    try:
        return bool(database.client.admin.command("ping"))
    except PyMongoError:
        return False


async def _answers_async(database: AsyncDatabase[Any]) -> bool:
    try:
        return bool(await database.client.admin.command("ping"))
    except PyMongoError:
        return False


def _typed(error: OperationFailure, name: str) -> NestlingError:
    if error.code in DOCUMENT_TOO_LARGE:
        return _too_large(name, "an intermediate document, such as an array of all matches,")
    if error.code in OUT_OF_MEMORY:
        move = "exclude rows earlier (a condition, a limit), or store it as a computed value in the design"
        what = f"a stage needs more memory than the server allows: {server_message(error)}"
        return ResultTooLarge(Problem(what, where=name, next_move=move))
    if error.code == NOT_CONVERTED and "overflow" in str(error):
        return ValueNotComputable(Problem("a whole number exceeds 64 bits", where=name, next_move=_WITHOUT))
    if error.code == NOT_CONVERTED and any(text in str(error) for text in ("NaN value", "infinity value")):
        what = "a number is NaN or infinite, and cannot become a whole number, date or text"
        return ValueNotComputable(Problem(what, where=name, next_move=_WITHOUT))
    if divides_by_zero(error):
        return ValueNotComputable(Problem(DIVISION_BY_ZERO, where=name, next_move=_UNLESS_ZERO))
    if error.code in NO_SUCH_YEAR:
        what = "a date is before the year 0 or after 9999, which the server cannot compute with"
        return ValueNotComputable(Problem(what, where=name, next_move=_WITHOUT))
    own = failure_in(str(error))
    if own is not None:
        return ValueNotComputable(Problem(f"it cannot be answered: {own}", where=name, next_move=_WITHOUT))
    kind = ValueNotComputable if error.code == NOT_CONVERTED else ReadError
    return kind(Problem(f"the server refuses it: {server_message(error)} (code {error.code})", where=name))


def _too_large(name: str, what: str) -> ResultTooLarge:
    move = "select fewer columns or rows at once, or split off the entity's large attributes in the design"
    return ResultTooLarge(Problem(f"{what} is over 16 MiB, the limit for a document", where=name, next_move=move))
