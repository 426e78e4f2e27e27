"""Why the server refused documents or an index, in words that name the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pymongo.errors import OperationFailure

from nestling.common.connection import redact
from nestling.common.errors import LoadError, Problem

DUPLICATE = 11000
INVALID = 121
_DISK_FULL = 14031
SHOWN = 3


def refusal(store: str, errors: Sequence[Mapping[str, Any]], cause: OperationFailure) -> LoadError:
    """The error of documents the server would not take; the others of the batch are stored."""
    if not errors:
        return LoadError(Problem(redact(str(cause)), where=store))
    problems = [_problem(store, item) for item in errors[:SHOWN]]
    if len(errors) > SHOWN:
        problems.append(Problem(f"{len(errors) - SHOWN} more documents of this batch were refused", where=store))
    return LoadError(*problems)


def _problem(store: str, item: Mapping[str, Any]) -> Problem:
    where = f"{store}, _id {_id_of(item)!r}"
    match item.get("code"):
        case code if code == DUPLICATE:
            key = dict(item.get("keyValue", {}))
            return Problem(
                f"two documents have the same {', '.join(key) or '_id'}: {key}", where=where, next_move=_DUPLICATE_MOVE
            )
        case code if code == INVALID:
            move = "mend the row, or the collection's validator"
            return Problem("the document breaks the collection's validator", where=where, next_move=move)
        case code if code == _DISK_FULL:
            return Problem("the server's disk is full", where=where, next_move="make room, then load with `--resume`")
    return Problem(redact(str(item.get("errmsg", "the server refused the document"))), where=where)


_DUPLICATE_MOVE = "mend the source, or choose another `id` or an index that is not unique"


def _id_of(item: Mapping[str, Any]) -> object:
    document = item.get("op")
    found = document.get("_id") if isinstance(document, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else found
