"""How many documents the conditions of counts and groups let through: their answers do not say, so a sample is asked.

The latest condition of each statement is asked as it was, values and all, and forgotten: only the share is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pymongo.database import Database

from nestling.executors.facts.drawing import drawn
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.ir.capture import Capture, CommandOperation, CommandShape, ShapeTotals, operation_of
from nestling.ir.capture.entries import Entry, command_of, shape_of
from nestling.ir.capture.patterns import gathers
from nestling.ir.facts import CollectionFacts

SAMPLED_DOCUMENTS = 1_000
"""Documents of a collection on which each condition is tested: a share of 10 % is then known within 2 %."""
MOST_ASKED = 50
"""Statements that are asked about; those that examined most come first."""
_GATHERING = (CommandOperation.COUNT, CommandOperation.DISTINCT, CommandOperation.AGGREGATE)
_NOT_ASKED = frozenset({"$where", "$function", "$accumulator", "$text", "$near", "$nearSphere", "$geoNear"})
"""Operators that run JavaScript, or that the server takes at the beginning of a statement only."""


@dataclass(frozen=True, slots=True)
class AskedCondition:
    """A condition as it was asked, with its values, and the collation it was asked by."""

    condition: Mapping[str, Any]
    collation: Mapping[str, Any] | None


def asked_conditions(entries: Iterable[Entry]) -> dict[CommandShape, AskedCondition]:
    """The conditions of statements that gather, of the first entry of each shape."""
    found: dict[CommandShape, AskedCondition] = {}
    for entry in entries:
        command = command_of(entry)
        if operation_of(command) not in _GATHERING or "let" in command:
            continue
        shape = shape_of(entry)
        if shape is None or shape in found or not gathers(shape):
            continue
        condition = _condition(command)
        if condition and not _has(condition, _NOT_ASKED):
            found[shape] = AskedCondition(condition, command.get("collation"))
    return found


def _condition(command: Mapping[str, Any]) -> dict[str, Any]:
    """What a count, a distinct or the `$match`es a pipeline begins with ask for."""
    pipeline = command.get("pipeline")
    if not isinstance(pipeline, list):
        found = command.get("query")
        return dict(found) if isinstance(found, Mapping) else {}
    conditions: list[Any] = []
    for stage in pipeline:
        if not isinstance(stage, Mapping) or "$match" not in stage:
            break
        conditions.append(stage["$match"])
    return {"$and": conditions} if conditions else {}


def _has(found: object, names: frozenset[str]) -> bool:
    if isinstance(found, Mapping):
        return any(name in names or _has(each, names) for name, each in found.items())
    return isinstance(found, list) and any(_has(each, names) for each in found)


def with_matches(
    capture: Capture,
    asked: Mapping[CommandShape, AskedCondition],
    database: Database[FoundDocument],
    collections: Sequence[CollectionFacts],
    asking: Asking,
) -> Capture:
    """The capture with the shares of documents that conditions select, as far as the time allows."""
    targets = {each.name: each for each in collections if each.database == database.name and each.holds_documents}
    worth = [each for each in capture.seen if each.shape in asked and each.shape.collection in targets]
    chosen = sorted(worth, key=lambda each: -each.documents_examined)[:MOST_ASKED]
    shares = {
        each.shape: _matched(each, asked[each.shape], database, targets[each.shape.collection], asking)
        for each in chosen
    }
    return replace(capture, seen=tuple(replace(each, matched=shares.get(each.shape)) for each in capture.seen))


def _matched(
    seen: ShapeTotals,
    asked: AskedCondition,
    database: Database[FoundDocument],
    collection: CollectionFacts,
    asking: Asking,
) -> float | None:
    counted: FoundDocument = {"all": [{"$count": "n"}], "matching": [{"$match": asked.condition}, {"$count": "n"}]}
    pipeline = [*drawn(database, collection, SAMPLED_DOCUMENTS, asking), {"$facet": counted}]
    options: dict[str, Any] = {"maxTimeMS": asking.milliseconds()}
    options |= {"collation": asked.collation} if asked.collation else {}
    rows: list[FoundDocument] = asking.ask(
        f"how many documents a {seen.shape.operation} on {collection.namespace} matches",
        lambda: list(database[collection.name].aggregate(pipeline, **options)),
        [],
    )
    if not rows or not rows[0]["all"]:
        return None
    matching = rows[0]["matching"]
    return float(matching[0]["n"] if matching else 0) / float(rows[0]["all"][0]["n"])
