"""Whether the documents of a database are a design's: of another one's, some field is in none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymongo.database import Database
from pymongo.errors import ExecutionTimeout

from nestling.common.connection import address, typed_errors
from nestling.common.errors import Problem, VerifyError

MILLISECONDS = 10_000
"""What looking for one field may take; in the documents of the design it is found at once."""


def require_fields(database: Database[Any], fields: Mapping[str, Mapping[str, str]]) -> None:
    """Raise `VerifyError` with every collection whose documents all lack a field.

    `fields`: by collection, the path of each field its documents have, and that of the sub-documents it is in (none for the
    document itself). Collections that are empty or missing lack nothing.
    """
    with typed_errors(address(database)):
        lacking = {name: [path for path, within in each.items() if _lacks(database, name, path, within)]
                   for name, each in fields.items()}  # fmt: skip
    move = "name the design this database was loaded by, or migrate it to this one (`nestling migrate`)"
    problems = [
        Problem(f"the documents are another design's: none has {_listed(paths)}", name, next_move=move)
        for name, paths in lacking.items()
        if paths
    ]
    if problems:
        raise VerifyError(*problems)


def _lacks(database: Database[Any], name: str, path: str, within: str) -> bool:
    """Whether there are documents to have it, and none does."""
    holders: dict[str, Any] = {within: {"$type": "object"}} if within else {}
    try:
        return not _any(database, name, {path: {"$exists": True}}) and _any(database, name, holders)
    except ExecutionTimeout:
        return False


def _any(database: Database[Any], name: str, condition: Mapping[str, Any]) -> bool:
    return database[name].find_one(condition, {"_id": 1}, max_time_ms=MILLISECONDS) is not None


def _listed(paths: list[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)
