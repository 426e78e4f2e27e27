"""The driver's errors about writes, as ours: what the source's constraints refuse, and what the server cannot do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, assert_never

from bson.errors import BSONError, InvalidBSON
from pymongo.errors import (
    BulkWriteError,
    DocumentTooLarge,
    DuplicateKeyError,
    ExecutionTimeout,
    OperationFailure,
    PyMongoError,
    WriteConcernError,
)
from pymongo.errors import (
    WriteError as ServerRefusal,
)

from nestling.common.connection import disk_is_full, write_conflict
from nestling.common.errors import (
    ConstraintError,
    DataError,
    NestlingError,
    NoTransactions,
    Problem,
    WriteError,
)
from nestling.common.server_codes import (
    DOCUMENT_TOO_LARGE,
    DUPLICATE_KEY,
    ILLEGAL_OPERATION,
    IS_A_VIEW,
    NOT_CONVERTED,
    NOT_VALID,
    OF_EXPRESSIONS,
)
from nestling.executors.errors.invalid import breaks_checks_alone, broken_paths, invalid_words, is_cutover
from nestling.executors.errors.read_errors import PASSED_ON
from nestling.executors.errors.server_message import DIVISION_BY_ZERO, divides_by_zero, server_message
from nestling.executors.errors.transient import is_transient
from nestling.ir.design import Design
from nestling.ir.literals import shell
from nestling.ir.paths.write_path import Violation
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.failure import failure_in
from nestling.ir.programs.program import (
    CompiledWrite,
    ForEach,
    GivenRows,
    ProgramStep,
    ReadRows,
    RefuseRows,
    WriteCommand,
)
from nestling.ir.storage.stored_names import NO_NAMES, attributes_at, path_names, path_words
from nestling.ir.words.write_words import same_words

_AFTER_CUTOVER = "try again in a second; if a migration has cut over by then, create a `Store` with the new design"
_OF_VALUES = (
    "give an allowed value, or change the design: an enum's values in its `type`, `allowed` of the attribute, `checks` of "
    "the entity"
)
_OTHER_VALUES = "exclude rows with such values by a condition, or give values computed in the application"

_DUPLICATE = re.compile(r"E11000 duplicate key error collection: [^.\s]+\.(\S+) index: ")


@contextmanager
def write_errors(write: CompiledWrite, design: Design | None) -> Iterator[None]:
    """Name the statement in what the server refuses, and what of a design's it is about; connection errors stay the driver's."""
    try:
        yield
    except (PyMongoError, BSONError) as error:
        written = _refusing(error) or collections_of(write.steps)
        names = path_names(design, written) if design is not None else NO_NAMES
        ours = error_of_write(error, write.name, names)
        if ours is None:
            raise
        raise ours from error


@contextmanager
def note_refusals(read: CompiledRead) -> Iterator[None]:
    """Note on the server's refusal which of a write's reads it refuses: what is kept has a name of its own."""
    try:
        yield
    except OperationFailure as error:
        error.add_note(read.name)
        raise


def _refusing(error: PyMongoError | BSONError) -> tuple[str, ...]:
    """The collection that has the same key already, whose name stands in the server's words alone."""
    said = _DUPLICATE.search(str(error))
    return (said[1],) if said is not None else ()


def collections_of(steps: Sequence[ProgramStep]) -> Iterator[str]:
    """The collections that are written."""
    for step in steps:
        match step:
            case WriteCommand():
                yield step.collection
                yield from collections_of(step.otherwise)
            case ForEach():
                yield from collections_of(step.steps)
            case ReadRows() | GivenRows() | RefuseRows():
                pass
            case _:
                assert_never(step)


def error_of_write(
    error: PyMongoError | BSONError, name: str, names: Mapping[str, str] = NO_NAMES
) -> NestlingError | None:
    """Our error for the driver's, if it is about the write itself, and not about the server; `names` as of `path_names`."""
    where = f"statement `{name}`" if name else ""
    match error:
        case DuplicateKeyError():
            return _duplicate(error, where, names)
        case DocumentTooLarge():
            return _too_large(where)
        case BSONError():
            return WriteError(Problem(_none_of(error), where=where))
        case OperationFailure(code=code) if code == ILLEGAL_OPERATION and "ransaction" in str(error):
            move = (
                "run the server as a replica set, of one member if necessary (mongod --replSet rs0, then rs.initiate())"
            )
            what = "the write changes several documents, which needs a transaction, and this server has none"
            return NoTransactions(Problem(what, where=where, next_move=move))
        case OperationFailure() if what := _of_cutover(error):
            return WriteError(Problem(what, where=where, next_move=_AFTER_CUTOVER))
        case OperationFailure(code=code) if code == NOT_VALID:
            return _invalid(error, where, names)
        case OperationFailure(code=code) if code in DOCUMENT_TOO_LARGE:
            return _too_large(where)
        case OperationFailure() if disk_is_full(error):
            return None
        case BulkWriteError(details={"writeErrors": [first, *_]}):
            return error_of_write(_alone(first), name, names)
        case _:
            return _of_server(error, where)


def _invalid(error: OperationFailure, where: str, names: Mapping[str, str]) -> WriteError:
    details = error.details or {}
    why = invalid_words(details, names, values=True) or f": {server_message(error)}"
    text = f"the collection's validator refuses the document{why}"
    if not breaks_checks_alone(details):
        return DataError(Problem(text, where=where))
    about = dict.fromkeys(name for path in broken_paths(details) for name in attributes_at(path, names))
    problem = Problem(text, where=where, next_move=_OF_VALUES)
    return ConstraintError(problem, violation=Violation.CHECK, attributes=tuple(about))


def _of_cutover(error: OperationFailure) -> str:
    """Why a collection takes no write while another design takes over; empty where something else is wrong."""
    if error.code == IS_A_VIEW:
        return f"a view has taken the collection's place, as at the end of a migration: {server_message(error)}"
    if error.code == NOT_VALID and is_cutover(error.details or {}):
        return "the collection refuses writes while a migration compares it for the last time and another design takes over"
    return ""


def _of_server(error: PyMongoError, where: str) -> NestlingError | None:
    """Our error for what the server refuses or cannot compute, also before it changes anything; None for other errors."""
    match error:
        case ServerRefusal():
            return _refused(error, where)
        case ExecutionTimeout():
            move = "give it more time, or an index its access path can use (see `explain` on the server)"
            return WriteError(Problem(f"it took too long: {server_message(error)}", where=where, next_move=move))
        case BulkWriteError() | WriteConcernError():
            return write_conflict(error, where)
        case OperationFailure(code=code) if code not in PASSED_ON and not is_transient(error):
            return _refused(error, where)
        case _:
            return write_conflict(error, where)


def _none_of(error: BSONError) -> str:
    """What is wrong with a value of a row that is read, or one that is written."""
    if isinstance(error, InvalidBSON):
        return f"a value of a row it reads cannot be represented in Python: {str(error).partition(' (Consider')[0]}"
    return f"a value cannot be stored: {error}"


def _alone(first: dict[str, Any]) -> ServerRefusal:
    """The refusal of one of several updates, as if it had been sent alone."""
    kind = DuplicateKeyError if first["code"] == DUPLICATE_KEY else ServerRefusal
    return kind(first["errmsg"], first["code"], first)


def _refused(error: OperationFailure, where: str) -> WriteError:
    if error.code == NOT_CONVERTED and "overflow" in str(error):
        return DataError(
            Problem("a whole number exceeds 64 bits", where=where, known=_noted(error), next_move=_OTHER_VALUES)
        )
    if divides_by_zero(error):
        return DataError(Problem(DIVISION_BY_ZERO, where=where, known=_noted(error), next_move=_OTHER_VALUES))
    own = failure_in(str(error))
    if own is not None:
        return DataError(Problem(f"it cannot be done: {own}", where=where, next_move=_OTHER_VALUES))
    kind = DataError if _is_of_values(error) else WriteError
    return kind(Problem(f"the server refuses the change: {server_message(error)}", where=where))


def _is_of_values(error: OperationFailure) -> bool:
    """Whether an expression could not be computed: the server has special codes for such failures, with a few exceptions."""
    code = error.code or 0
    return code == NOT_CONVERTED or code >= OF_EXPRESSIONS or "by zero" in str(error)


def _noted(error: OperationFailure) -> str:
    return ", ".join(filter(None, getattr(error, "__notes__", ())))


def _too_large(where: str) -> WriteError:
    move = "in the design, give the array a bound with an overflow, or store the large attribute separately"
    return WriteError(Problem("a document would exceed 16 MiB", where=where, next_move=move))


def _duplicate(error: DuplicateKeyError, where: str, names: Mapping[str, str]) -> ConstraintError:
    details: dict[str, Any] = dict(error.details or {})
    pattern = whole_fields(details.get("keyPattern") or {})
    violation = Violation.KEY if pattern == ["_id"] else Violation.UNIQUE
    about = [(field, attributes_at(field, names)) for field in pattern]
    text = same_words(name for field, attributes in about for name in attributes or [field])
    problem = Problem(text, where=where, known=_values(details, names))
    known = tuple(name for _, attributes in about for name in attributes)
    return ConstraintError(problem, violation=violation, attributes=known)


def whole_fields(pattern: Iterable[str]) -> list[str]:
    """The fields of an index, without parts of those that are in it as a whole."""
    fields = [*pattern]
    return [field for field in fields if not any(field.startswith(f"{whole}.") for whole in fields)]


def _values(details: dict[str, Any], names: Mapping[str, str]) -> str:
    """The values that are there twice; of texts whose case does not count the server tells only what they are sorted by."""
    values = None if "collation" in details else details.get("keyValue")
    return (
        ", ".join(f"{path_words(field, names)} = {shell(value)}" for field, value in values.items())
        if isinstance(values, dict)
        else ""
    )
