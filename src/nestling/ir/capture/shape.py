"""A command as a shape: the collection and the request in canonical JSON without values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from nestling.ir.capture.clauses import change, condition, limit, order, stages
from nestling.ir.capture.folded_names import folded
from nestling.ir.capture.masks import Masked, different, expression, value
from nestling.ir.storage.names import DOCTOR, LOOK, MIGRATE, is_system


class CommandOperation(StrEnum):
    """What a command does; the others of a server read or write no documents of applications."""

    FIND = "find"
    AGGREGATE = "aggregate"
    COUNT = "count"
    DISTINCT = "distinct"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    FIND_AND_MODIFY = "findAndModify"

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self in (
            CommandOperation.FIND,
            CommandOperation.AGGREGATE,
            CommandOperation.COUNT,
            CommandOperation.DISTINCT,
        )


@dataclass(frozen=True, slots=True)
class CommandShape:
    """A command without its values; `text` is the JSON of its clauses.

    find: `{filter, projection, sort, limit, skip}`; aggregate: `{pipeline}`; count: `{query}`; distinct: `{key, query}`; insert:
    `{documents: [different shapes]}` (empty: not known); update: `{q, u, multi, upsert, sort, arrayFilters}`; delete:
    `{q, limit}`; findAndModify: `{query, update | remove, upsert, sort, arrayFilters}`. All may have `collation: strength`.
    """

    database: str
    collection: str
    operation: CommandOperation
    text: str

    @property
    def namespace(self) -> str:
        """The namespace, `database.collection`."""
        return f"{self.database}.{self.collection}"

    @property
    def clauses(self) -> dict[str, Any]:
        """The clauses as plain data."""
        found = json.loads(self.text)
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True, slots=True)
class CommandPart:
    """A statement of a command: its shape, and how many of the command's are alike."""

    shape: CommandShape
    count: float = 1.0


MAP_REDUCE = "$mapReduce"
"""The stage by which a shape tells a mapReduce: it is the pipeline of its query and this, which no server has."""
READ_OF = {each.lower(): each for each in CommandOperation} | {"mapreduce": CommandOperation.AGGREGATE}
MOST_LOOKED_AT = 20
"""Statements and documents of one command that are looked at; the others are taken to be like them."""
LONGEST_TEXT = 30_000
"""A shape longer than this is cut to its operation."""


def operation_of(command: Mapping[str, Any]) -> CommandOperation | None:
    """The operation of a command, by its first name; None for those that touch no documents of applications."""
    first = next(iter(command), "")
    return READ_OF.get(first.lower())


def is_own(command: Mapping[str, Any]) -> bool:
    """Whether its comment says that nestling sent it, for itself, whoever's client it was, or that the doctor proposed it."""
    filters = (command[name] for name in ("filter", "query", "q") if isinstance(command.get(name), Mapping))
    comments = (command.get("comment", ""), *(each.get("$comment", "") for each in filters))
    return any(str(each).startswith((LOOK, MIGRATE, DOCTOR)) for each in comments)


def parts(database: str, command: Mapping[str, Any]) -> Iterator[CommandPart]:
    """The statements of a command as applications send it: one, or each of `updates` and `deletes`."""
    operation = operation_of(command)
    collection = command.get(next(iter(command), ""))
    if operation is None or not isinstance(collection, str) or is_system(collection) or is_own(command):
        return
    several = {CommandOperation.UPDATE: "updates", CommandOperation.DELETE: "deletes"}.get(operation)
    if several is None or not isinstance(command.get(several), Sequence):
        yield CommandPart(shape(database, collection, operation, command))
        return
    statements = command[several]
    looked_at = statements[:MOST_LOOKED_AT]
    for each in looked_at:
        if isinstance(each, Mapping):
            yield CommandPart(shape(database, collection, operation, each), len(statements) / len(looked_at))


def shape(database: str, collection: str, operation: CommandOperation, command: Mapping[str, Any]) -> CommandShape:
    """The shape of one statement."""
    masked = {name: each for name, each in _CLAUSES[operation](command).items() if each not in ({}, [], False, 0)}
    collation = command.get("collation")
    if isinstance(collation, Mapping) and collation:
        masked["collation"] = limit(collation.get("strength", 3))
    text = json.dumps(masked, ensure_ascii=False, separators=(",", ":"))
    return CommandShape(database, collection, operation, text if len(text) <= LONGEST_TEXT else '{"cut":true}')


def _find(command: Mapping[str, Any]) -> dict[str, Masked]:
    return {
        "filter": condition(command.get("filter", {})),
        "projection": expression(command.get("projection") or {}),
        "sort": order(command.get("sort", {})),
        "limit": abs(limit(command.get("limit", 0))),
        "skip": value(command["skip"]) if command.get("skip") else {},
    }


def _aggregate(command: Mapping[str, Any]) -> dict[str, Masked]:
    if next(iter(command), "").lower() == "mapreduce":
        found = stages([{"$match": command.get("query") or {}}])
        return {"pipeline": [*found, {MAP_REDUCE: value(command.get("out"))}]}
    return {"pipeline": stages(command.get("pipeline", []))}


def _count(command: Mapping[str, Any]) -> dict[str, Masked]:
    return {"query": condition(command.get("query", {}))}


def _distinct(command: Mapping[str, Any]) -> dict[str, Masked]:
    return {"key": folded(str(command.get("key", ""))), "query": condition(command.get("query", {}))}


def _insert(command: Mapping[str, Any]) -> dict[str, Masked]:
    found = command.get("documents", ())
    looked_at = found[:MOST_LOOKED_AT] if isinstance(found, Sequence) else ()
    return {"documents": different(map(value, looked_at))}


def _update(command: Mapping[str, Any]) -> dict[str, Masked]:
    return {
        "q": condition(command.get("q", {})),
        "u": change(command.get("u", {})),
        "multi": bool(command.get("multi")),
        "upsert": bool(command.get("upsert")),
        "sort": order(command.get("sort", {})),
        "arrayFilters": _array_filters(command.get("arrayFilters")),
    }


def _array_filters(found: object) -> Masked:
    return [condition(each) for each in found] if isinstance(found, Sequence) and not isinstance(found, str) else []


def _delete(command: Mapping[str, Any]) -> dict[str, Masked]:
    return {"q": condition(command.get("q", {})), "limit": limit(command.get("limit", 0))}


def _find_and_modify(command: Mapping[str, Any]) -> dict[str, Masked]:
    return {
        "query": condition(command.get("query", {})),
        "update": change(command.get("update", {})),
        "remove": bool(command.get("remove")),
        "upsert": bool(command.get("upsert")),
        "sort": order(command.get("sort", {})),
        "arrayFilters": _array_filters(command.get("arrayFilters")),
    }


_CLAUSES = {
    CommandOperation.FIND: _find,
    CommandOperation.AGGREGATE: _aggregate,
    CommandOperation.COUNT: _count,
    CommandOperation.DISTINCT: _distinct,
    CommandOperation.INSERT: _insert,
    CommandOperation.UPDATE: _update,
    CommandOperation.DELETE: _delete,
    CommandOperation.FIND_AND_MODIFY: _find_and_modify,
}
