"""The statements in `system.profile`, as shapes: fields, joins and sums. No value of theirs is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from bson import Regex
from pymongo.database import Database

from nestling.executors.facts.asking import Asking, Document
from nestling.executors.facts.pipelines import joins_of
from nestling.ir.facts import Pattern, Statement

ENTRIES = 20_000
"""The newest entries that are read."""
OWN = "nestling"
_LOGICAL = ("$and", "$or", "$nor")
_KINDS = {"command": "", "query": "find", "update": "update", "remove": "remove", "insert": "insert", "getmore": ""}


def statements(database: Database[Document], asking: Asking) -> tuple[Statement, ...]:
    """The shapes of the statements a database's profiler has noted, those of nestling itself left out."""
    limit = asking.milliseconds()
    entries: list[Document] = asking.ask(
        f"{database.name}.system.profile",
        lambda: list(_entries(database, limit)),
        [],
    )
    found: dict[Statement, Statement] = {}
    for entry in entries:
        for shape in _shapes(entry):
            known = found.get(shape)
            found[shape] = _counted(shape if known is None else known, entry)
    return tuple(found.values())


def _entries(database: Database[Document], limit: int) -> Iterator[Document]:
    wanted = {"appName": {"$ne": OWN}, "ns": {"$regex": "^", "$not": {"$regex": r"\.system\."}}}
    fields = ("op", "ns", "command", "query", "docsExamined", "nscannedObjects", "keysExamined", "nscanned")
    shown = dict.fromkeys((*fields, "nreturned", "millis", "planSummary", "nModified", "ndeleted"), 1)
    yield from database["system.profile"].find(wanted, shown).sort("$natural", -1).limit(ENTRIES).max_time_ms(limit)


def _shapes(entry: Mapping[str, Any]) -> Iterator[Statement]:
    """The shape of an entry, with nothing counted; none for commands that read no documents."""
    database, _, collection = str(entry["ns"]).partition(".")
    command = entry.get("command") or entry.get("query") or {}
    operation = _operation(str(entry.get("op", "")), command)
    if not operation or not isinstance(command, Mapping):
        return
    pipeline = command.get("pipeline", [])
    condition = _condition(operation, command, pipeline)
    equal, ranged, patterns = _filters(condition)
    collation = command.get("collation", {})
    yield Statement(
        database,
        collection,
        operation,
        count=0,
        filters=(*equal, *ranged),
        equalities=len(equal),
        sort=tuple(_sort(command, pipeline)),
        joins=tuple(joins_of(pipeline)),
        patterns=patterns,
        collation=int(collation.get("strength", 3)) if isinstance(collation, Mapping) and collation else 0,
    )


def _operation(kind: str, command: Mapping[str, Any]) -> str:
    for name in ("find", "aggregate", "count", "distinct"):
        if name in command:
            return name
    return _KINDS.get(kind, "")


def _condition(operation: str, command: Mapping[str, Any], pipeline: Any) -> Any:
    if operation == "aggregate":
        first = pipeline[0] if isinstance(pipeline, list) and pipeline else {}
        return first.get("$match", {}) if isinstance(first, Mapping) else {}
    named = {"find": "filter", "update": "q", "remove": "q"}.get(operation, "query")
    found = command.get(named, command.get("$query", {} if named in command or "find" in command else command))
    return found if operation != "insert" else {}


def _sort(command: Mapping[str, Any], pipeline: Any) -> Iterable[tuple[str, int]]:
    stages = [stage["$sort"] for stage in pipeline if isinstance(stage, Mapping) and "$sort" in stage][:1]
    sort = command.get("sort", command.get("$orderby", stages[0] if stages else {}))
    items = sort.items() if isinstance(sort, Mapping) else ()
    return ((str(field), direction) for field, direction in items if isinstance(direction, int))


def _filters(condition: Any) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Pattern, ...]]:
    """Fields compared for equality, fields compared otherwise, and patterns; each once, sorted."""
    equal: set[str] = set()
    ranged: set[str] = set()
    patterns: set[Pattern] = set()
    _gather(condition, equal, ranged, patterns)
    return tuple(sorted(equal)), tuple(sorted(ranged - equal)), tuple(sorted(patterns, key=lambda p: p.field))


def _gather(condition: Any, equal: set[str], ranged: set[str], patterns: set[Pattern]) -> None:
    for name, test in condition.items() if isinstance(condition, Mapping) else ():
        if name in _LOGICAL and isinstance(test, list):
            for inner in test:
                _gather(inner, equal, ranged, patterns)
        elif not str(name).startswith("$"):
            _field(str(name), test, equal, ranged, patterns)


def _field(name: str, test: Any, equal: set[str], ranged: set[str], patterns: set[Pattern]) -> None:
    operators = set(test) if isinstance(test, Mapping) and any(str(key).startswith("$") for key in test) else set()
    text, flags = _regex(test, operators)
    if text is not None:
        patterns.add(Pattern(name, "i" in flags or "(?i)" in text, text.startswith(("^", r"\A"))))
        ranged.add(name)
    elif not operators or operators <= {"$eq", "$in"}:
        equal.add(name)
    else:
        ranged.add(name)


def _regex(test: Any, operators: set[str]) -> tuple[str | None, str]:
    """The pattern and its flags; None when the test is none."""
    found = test["$regex"] if "$regex" in operators else test
    if isinstance(found, Regex):
        letters = "i" if found.flags & 2 else ""  # re.IGNORECASE
        return str(found.pattern), letters + str(test.get("$options", "") if operators else "")
    return (str(found), str(test.get("$options", ""))) if "$regex" in operators else (None, "")


def _counted(statement: Statement, entry: Mapping[str, Any]) -> Statement:
    """The statement with an entry's sums added."""
    examined = int(entry.get("docsExamined", entry.get("nscannedObjects", 0)))
    returned = int(entry.get("nreturned", entry.get("nModified", entry.get("ndeleted", 0))))
    return replace(
        statement,
        count=statement.count + 1,
        documents_examined=statement.documents_examined + examined,
        keys_examined=statement.keys_examined + int(entry.get("keysExamined", entry.get("nscanned", 0))),
        returned=statement.returned + returned,
        seconds=statement.seconds + int(entry.get("millis", 0)) / 1000,
        collection_scans=statement.collection_scans + ("COLLSCAN" in str(entry.get("planSummary", ""))),
    )
