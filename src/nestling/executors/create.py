"""Runs commands on a database, after checking that they can succeed: otherwise nothing is written.

Replacing drops only the design's own collections, and only on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pymongo.database import Database
from pymongo.errors import CollectionInvalid, OperationFailure

from nestling.common.connection import address, disk_is_full, typed_errors
from nestling.common.errors import LoadError, Problem
from nestling.common.server_codes import DUPLICATE_KEY, INDEX_CONFLICTS, UNAUTHORIZED
from nestling.executors.errors.server_message import server_message
from nestling.executors.errors.write_errors import whole_fields
from nestling.executors.found_indexes import is_there
from nestling.executors.rights import WRITING, check_privileges
from nestling.ir.codec import CODEC
from nestling.ir.literals import of_collection, shell
from nestling.ir.programs.command import Command, CreateCollection, CreateIndex, ModifyCollection

MOST_EXAMPLES = 3
RUN_LOAD_AGAIN = "then run it again (`load`: with `--resume`)"
_REPLACING = (*WRITING, "dropCollection")


def create(
    commands: Sequence[Command],
    database: Database[Any],
    collections: Iterable[str],
    *,
    replace: bool = False,
    resume: bool = False,
) -> None:
    """Prepare `collections` (all that a design writes) for loading, by the design's commands.

    Raises `PermissionDenied` if the user may not write them, and `LoadError` if some hold data already – unless they are to be
    replaced, or an interrupted load is to be resumed, which keeps existing data.
    """
    names = tuple(collections)
    with typed_errors(address(database)):
        check_privileges(database, (names, _REPLACING if replace else WRITING))
        if replace:
            for name in names:
                database.drop_collection(name)
        elif not resume:
            check_empty(database, names)
        existing = frozenset(database.list_collection_names())
        for command in commands:
            _carry_out(database, command, existing)


def check_empty(database: Database[Any], collections: Iterable[str], *, resume: bool = False) -> None:
    """Raise `LoadError` naming each collection that holds documents, and how many; `resume`: it was asked to go on with them."""
    filled = [name for name in collections if database[name].find_one({}, {"_id": 1}) is not None]
    if filled:
        held = ", ".join(f"`{name}` ({database[name].count_documents({}):,})" for name in filled)
        what = f"collections already hold documents: {held}"
        move = "`--replace` drops the design's own collections first, `--resume` continues an interrupted load"
        if resume:
            what = f"there is no interrupted load to resume, and {what}"
            move = "if a load has finished, `verify` it; `--replace` drops the design's own collections first"
        raise LoadError(Problem(what, where=database.name, next_move=move))


def create_indexes(database: Database[Any], commands: Iterable[CreateIndex]) -> None:
    """Build indexes on loaded data. Raises `LoadError` that names a duplicate key of a unique index."""
    collections = dict[str, list[CreateIndex]]()
    for command in commands:
        collections.setdefault(command.collection, []).append(command)
    with typed_errors(address(database)):
        quorum = _quorum(database) if collections else {}
        for alike in collections.values():
            _create_alike(database, alike, quorum)


def _carry_out(database: Database[Any], command: Command, existing: frozenset[str]) -> None:
    match command:
        case CreateCollection():
            if command.name not in existing:
                _create_collection(database, command)
        case ModifyCollection():
            modify(database, command)
        case CreateIndex():
            create_indexes(database, (command,))


def modify(database: Database[Any], command: ModifyCollection) -> None:
    """Give a collection other options."""
    database.command({"collMod": command.name, **command.options}, codec_options=CODEC)


def _create_collection(database: Database[Any], command: CreateCollection) -> None:
    try:
        database.command({"create": command.name, **command.options}, codec_options=CODEC)
    except (CollectionInvalid, OperationFailure) as error:
        if isinstance(error, OperationFailure) and _is_typed(error):
            raise
        raise LoadError(Problem(f"cannot be created: {server_message(error)}", where=command.name)) from None


def _create_alike(database: Database[Any], commands: Sequence[CreateIndex], quorum: Mapping[str, Any]) -> None:
    """Build all indexes of a collection in one pass; if that fails, one by one, to find out which is impossible."""
    try:
        _build(database, commands, quorum)
    except OperationFailure as error:
        if _is_typed(error):
            raise
        for command in commands:
            _create_index(database, command, quorum)


def _build(database: Database[Any], commands: Sequence[CreateIndex], quorum: Mapping[str, Any]) -> None:
    indexes = [{"key": dict(each.keys), **each.options, "name": each.name} for each in commands]
    database.command("createIndexes", commands[0].collection, indexes=indexes, codec_options=CODEC, **quorum)


def _quorum(database: Database[Any]) -> Mapping[str, Any]:
    """The commit quorum of a build: all members, or with a single member only itself, which saves a tenth of a second."""
    hello = database.client.admin.command("hello")
    return {"commitQuorum": 1} if len(hello.get("hosts", ())) == 1 and not hello.get("passives") else {}


def _create_index(database: Database[Any], command: CreateIndex, quorum: Mapping[str, Any]) -> None:
    try:
        _build(database, (command,), quorum)
    except OperationFailure as error:
        if _is_typed(error):
            raise
        if error.code in INDEX_CONFLICTS and is_there(database, command):
            return
        raise LoadError(_index_problem(database, command, error)) from None


def _is_typed(error: OperationFailure) -> bool:
    """Whether `typed_errors` says it better: who may not, and a disk that is full."""
    return error.code == UNAUTHORIZED or disk_is_full(error)


def _index_problem(database: Database[Any], command: CreateIndex, error: OperationFailure) -> Problem:
    names = ", ".join(whole_fields(path for path, _ in command.keys))
    if error.code != DUPLICATE_KEY:
        what = f"the index on {names} cannot be built: {server_message(error)}"
        return Problem(what, where=command.collection, next_move=_without_conflict(command, error))
    if "collation" in command.options:
        return _alike(database, command, names)
    key: Mapping[str, Any] = (error.details or {}).get("keyValue", {})
    what = f"the unique index on {names} cannot be built: several documents have {shell(key)}"
    move = f"fix the source, or make the index non-unique; {RUN_LOAD_AGAIN}"
    return Problem(what, where=command.collection, next_move=move)


def _without_conflict(command: CreateIndex, error: OperationFailure) -> str:
    """What to do about an index that the server refuses."""
    if error.code in INDEX_CONFLICTS:
        indexes = f"{of_collection('db', command.collection)}.getIndexes()"
        return f"drop the conflicting index, or create it again under another name ({indexes} lists them); {RUN_LOAD_AGAIN}"
    return f"fix what the server reports, or remove the index from the design; {RUN_LOAD_AGAIN}"


def _alike(database: Database[Any], command: CreateIndex, names: str) -> Problem:
    """The problem of different texts that are equal under the index's collation; the server shows only their sort keys."""
    paths = [path for path, _ in command.keys]
    identity = {str(number): f"${path}" for number, path in enumerate(paths)}
    fields = [{"name": name, "value": f"${name}"} for name in whole_fields(dict.fromkeys(("_id", *paths)))]
    found = {"$push": {"fields": fields}}
    several: list[dict[str, Any]] = [
        {"$match": command.options.get("partialFilterExpression", {})},
        {"$group": {"_id": identity, "found": found, "count": {"$sum": 1}}},
        {"$match": {"count": {"$gt": 1}}},
        {"$limit": 1},
    ]
    rows = database[command.collection].aggregate(several, collation=command.options["collation"], allowDiskUse=True)
    documents = [each["fields"] for row in rows for each in row["found"][:MOST_EXAMPLES]]
    alike = "; ".join(shell({field["name"]: field.get("value") for field in each}) for each in documents)
    what = f"the unique index on {names} cannot be built: ignoring case and accents, several documents have the same: {alike}"
    move = "fix the source, or set `collation: binary` on the attribute in the model, which distinguishes them, and design again"
    return Problem(what, where=command.collection, next_move=move)


# --- privileges ------------------------------------------------------------------------------------------------------
