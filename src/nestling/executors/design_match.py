"""Whether a database holds the documents of a design, and all of them.

With another design, some field is in none of them, or a collection is missing. An unfinished load leaves a checkpoint.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias

from pymongo.database import Database
from pymongo.errors import ExecutionTimeout, OperationFailure

from nestling.common.connection import address, typed_errors
from nestling.common.errors import SHOWN_NAMES, Problem, VerifyError, name_list, suggest
from nestling.common.server_codes import UNAUTHORIZED
from nestling.executors.calls import CollectionCall
from nestling.ir.storage.names import CHECKPOINT_COLLECTION, LOOK, is_system

MILLISECONDS = 10_000
"""What looking for one field may take; in the documents of the design it is found at once."""
LOOKED_AT_DOCUMENTS = 20
"""Documents of a collection among which the first statement of a program looks."""
_Fields: TypeAlias = Mapping[str, Mapping[str, str]]
"""By collection, the path of each field its documents have, and that of the sub-documents it is in (none for the document)."""
Looks: TypeAlias = Generator[CollectionCall, Any, Any]
"""Queries to the database, answered by lists: None for what took too long or what the user may not see."""


def require_fields(database: Database[Any], fields: _Fields) -> None:
    """Raise `VerifyError` with every collection that is not there or whose documents all lack a field; one that is empty lacks
    nothing. Also where not all of the documents are there yet.
    """
    with typed_errors(address(database)):
        look(database, looks(database.name, fields))


def require_loaded(database: Database[Any], collections: Sequence[str]) -> None:
    """Raise `VerifyError` if a load of these collections has not finished."""
    with typed_errors(address(database)):
        look(database, _loaded(database.name, collections))


def look(database: Database[Any], asked: Looks) -> Any:
    """Answer the queries and return the result. Raises the errors that the answers give rise to."""
    answer: list[Any] | None = None
    while True:
        try:
            call = asked.send(answer)
        except StopIteration as done:
            return done.value
        try:
            answer = list(call.on(database))
        except OperationFailure as error:
            raise_unless_unknown(error)
            answer = None


def raise_unless_unknown(error: OperationFailure) -> None:
    """Raise the error, unless it only means that nothing is known: the look took too long or was not allowed."""
    if not isinstance(error, ExecutionTimeout) and error.code != UNAUTHORIZED:
        raise error


def looks(where: str, fields: _Fields) -> Looks:
    """Look whether all collections and documents are there, and for every field in all of them."""
    yield from _there(where, tuple(fields))
    yield from _lacking({name: list(each.items()) for name, each in fields.items()})


def first_looks(where: str, fields: _Fields) -> Looks:
    """Look for every collection, and for the fields in the first documents of each.

    All documents are searched only for fields that these lack.
    """
    yield from _there(where, tuple(fields))
    doubtful = dict[str, list[tuple[str, str]]]()
    for name, each in fields.items():
        holders = dict.fromkeys(each.values())
        asked = {f"f{place}": _has(path) for place, path in enumerate(each)}
        asked |= {f"h{place}": _holds(within) for place, within in enumerate(holders)}
        found = yield _aggregate(
            name, [{"$limit": LOOKED_AT_DOCUMENTS}, {"$facet": {k: _one(v) for k, v in asked.items()}}]
        )
        if found:
            held = {within: found[0][f"h{place}"] for place, within in enumerate(holders)}
            doubtful[name] = [
                field for place, field in enumerate(each.items()) if held[field[1]] and not found[0][f"f{place}"]
            ]
    yield from _lacking(doubtful)


def collections_there(names: Sequence[str]) -> Generator[CollectionCall, Any, Mapping[str, object]]:
    """Identify these collections, to notice if others take their names; empty if the user may not ask."""
    found = yield CollectionCall(None, "list_collections", {"filter": {"name": {"$in": list(names)}}})
    return {each["name"]: each["info"].get("uuid") for each in found or ()}


def _there(where: str, wanted: Sequence[str]) -> Looks:
    """Raise `VerifyError` where one of these collections is missing, or their load has not come to its end."""
    there = yield CollectionCall(None, "list_collection_names", {})
    missing = [name for name in wanted if there is not None and name not in there]
    if missing:
        more = f" and {len(missing) - SHOWN_NAMES} more" if len(missing) > SHOWN_NAMES else ""
        what = f"collections of the design do not exist: {name_list(missing[:SHOWN_NAMES])}{more}"
        move = "give the database this design was loaded into, or create them: `nestling load design.yaml --to mongodb://…`"
        known = suggest(missing[0], {name for name in there or () if not is_system(name)})
        raise VerifyError(Problem(what, where=where, known=known, next_move=move))
    if there is None or CHECKPOINT_COLLECTION in there:
        yield from _loaded(where, wanted)


def _loaded(where: str, collections: Sequence[str]) -> Looks:
    if (yield _aggregate(CHECKPOINT_COLLECTION, _one({"collections": {"$in": list(collections)}}))):
        what = "documents are missing: a load was interrupted, or is still running"
        move = "let it finish (`nestling load … --resume`, or start over with `--replace`)"
        raise VerifyError(Problem(what, where=where, next_move=move))


def _lacking(fields: Mapping[str, Sequence[tuple[str, str]]]) -> Looks:
    problems = list[Problem]()
    for name, each in fields.items():
        lacking = list[str]()
        for path, within in each:
            if (yield from _lacks(name, path, within)):
                lacking.append(path)
        if lacking:
            move = "give the design this database was loaded with, or migrate it to this one (`nestling migrate`)"
            what = f"the documents follow another design: none has {name_list(lacking)}"
            problems.append(Problem(what, name, next_move=move))
    if problems:
        raise VerifyError(*problems)


def _lacks(collection: str, path: str, within: str) -> Generator[CollectionCall, Any, bool]:
    """Whether there are documents that should have the field, and none has it."""
    having = yield _aggregate(collection, _one(_has(path)))
    if having is None or having:
        return False
    return bool((yield _aggregate(collection, _one(_holds(within)))))


def _has(path: str) -> dict[str, Any]:
    return {path: {"$exists": True}}


def _holds(within: str) -> dict[str, Any]:
    return {within: {"$type": "object"}} if within else {}


def _one(condition: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"$match": condition}, {"$limit": 1}, {"$project": {"_id": 1}}]


def _aggregate(collection: str, pipeline: list[dict[str, Any]]) -> CollectionCall:
    return CollectionCall(collection, "aggregate", {"pipeline": pipeline, "maxTimeMS": MILLISECONDS, "comment": LOOK})
