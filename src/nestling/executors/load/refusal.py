"""Why the server refused documents or an index, in words that name the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bson.raw_bson import RawBSONDocument
from pymongo.errors import OperationFailure

from nestling.common.connection import disk_is_full
from nestling.common.errors import LoadError, Problem
from nestling.common.server_codes import DUPLICATE_KEY, NOT_VALID, OUT_OF_DISK_SPACE, UNAUTHORIZED
from nestling.executors.errors.invalid import invalid_words, no_dates
from nestling.executors.errors.server_message import server_message
from nestling.ir.literals import shell
from nestling.ir.storage.stored_names import NO_NAMES, path_words

MOST_REFUSED_DOCUMENTS = 3


def refusal(
    store: str,
    refused: Sequence[tuple[RawBSONDocument, Mapping[str, Any]]],
    cause: OperationFailure | None = None,
    *,
    names: Mapping[str, str] = NO_NAMES,
    resumed: bool = False,
) -> LoadError | OperationFailure:
    """The error for documents that the server refused (the others of the batch are stored), or for a whole command.

    `names`: readable names of what is stored at a path (`path_names`); `resumed`: an earlier load may have stored some of them.
    An error that is not the documents' fault, such as a missing permission or a full disk, remains the driver's, for
    `typed_errors`.
    """
    if cause is not None:
        is_typed = cause.code == UNAUTHORIZED or disk_is_full(cause)
        return cause if is_typed else LoadError(Problem(server_message(cause.details or {}), where=store))
    if full := next((error for _, error in refused if error.get("code") == OUT_OF_DISK_SPACE), None):
        return OperationFailure(server_message(full), OUT_OF_DISK_SPACE)
    problems = [
        _problem(store, document, error, names, resumed=resumed) for document, error in refused[:MOST_REFUSED_DOCUMENTS]
    ]
    if len(refused) > MOST_REFUSED_DOCUMENTS:
        problems.append(
            Problem(f"{len(refused) - MOST_REFUSED_DOCUMENTS} more documents of this batch were refused", where=store)
        )
    return LoadError(*problems)


def _problem(
    store: str, document: RawBSONDocument, error: Mapping[str, Any], names: Mapping[str, str], *, resumed: bool
) -> Problem:
    where = f"{store}, _id {shell(_id_of(document))}"
    match error.get("code"):
        case code if code == DUPLICATE_KEY and resumed and [*error.get("keyPattern", ())] == ["_id"]:
            what = (
                "the interrupted load stored a different document here: rows have changed since, or two documents have "
                "this _id"
            )
            return Problem(what, where=where, next_move=_CHANGED_MOVE)
        case code if code == DUPLICATE_KEY:
            key = {path_words(path, names): value for path, value in dict(error.get("keyValue", {})).items()}
            what = f"two documents have the same {', '.join(key) or '_id'}: {key}"
            return Problem(what, where=where, next_move=_DUPLICATE_MOVE)
        case code if code == NOT_VALID:
            move = _OTHER_FORM_MOVE if no_dates(error) else "fix the row, or the collection's validator"
            what = f"the document breaks the collection's validator{invalid_words(error, names, values=True)}"
            return Problem(what, where=where, next_move=move)
    return Problem(server_message(error), where=where)


_OTHER_FORM_MOVE = (
    "the design was made for timestamps in another form: design from the database itself (`nestling design ADDRESS`), "
    "which looks at its rows, and load with that design"
)
_CHANGED_MOVE = "load again with `--replace` while nothing writes to the source"
_DUPLICATE_MOVE = "fix the source, or choose another `id` or a non-unique index"


def _id_of(document: RawBSONDocument) -> object:
    found = document.get("_id")
    return dict(found) if isinstance(found, Mapping) else found
