"""Which fields of each document a captured read takes: those it shows, compares, sorts by and computes with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nestling.ir.capture.shape import CommandOperation, CommandShape
from nestling.ir.facts.statement import Projection

_ROOTS = ("$$ROOT", "$$CURRENT")
_PASSING = (
    "$limit",
    "$skip",
    "$sample",
    "$sort",
    "$match",
    "$addFields",
    "$set",
    "$lookup",
    "$graphLookup",
    "$unwind",
    "$unset",
)
_ENDING = ("$group", "$count", "$sortByCount", "$bucket", "$bucketAuto", "$replaceRoot", "$replaceWith")
_SHOWING_ALL = ("$slice", "$meta", "$elemMatch")
"""Operators of a projection that leave the other fields as they are."""
ALL_FIELDS = Projection((), but=True)


def taken_by(shape: CommandShape) -> Projection | None:
    """The top-level fields a read uses; None for a write, or if that cannot be determined."""
    clauses = shape.clauses
    if not shape.operation.reads or "cut" in clauses:
        return None
    asked = {*_filter_fields(clauses.get("filter", {})), *_filter_fields(clauses.get("query", {}))}
    match shape.operation:
        case CommandOperation.FIND:
            asked |= {_top(path) for path in clauses.get("sort", {})}
            return _shown(clauses.get("projection", {}), asked)
        case CommandOperation.AGGREGATE:
            return _through(clauses.get("pipeline", []), asked)
        case CommandOperation.DISTINCT:
            return Projection(tuple(sorted({*asked, _top(clauses.get("key", ""))})))
        case _:
            return Projection(tuple(sorted(asked)))


def _shown(projection: Mapping[str, Any], asked: set[str]) -> Projection:
    """What a projection leaves, and what is asked for besides."""
    named = {path: each for path, each in projection.items() if path != "_id"}
    left_out = {path for path, each in named.items() if each in (0, False)}
    if left_out or not any(_is_chosen(each) for each in named.values()):
        return Projection(tuple(sorted({path for path in left_out if "." not in path} - asked)), but=True)
    mentioned = set(_mentioned(list(named.values())))
    if "" in mentioned:
        return ALL_FIELDS
    chosen = {_top(path) for path, each in named.items() if each in (1, True)}
    return Projection(tuple(sorted(asked | chosen | mentioned)))


def _is_chosen(value: object) -> bool:
    return not (isinstance(value, Mapping) and any(name in _SHOWING_ALL for name in value))


def _through(pipeline: list[Mapping[str, Any]], asked: set[str]) -> Projection | None:
    """The stages in turn, up to the one after which nothing of the documents is left but what it names."""
    left_out: set[str] = set()
    for stage in pipeline:
        for name, body in stage.items():
            match name:
                case "$project":
                    shown = _shown(body, asked)
                    if not shown.but:
                        return shown
                    left_out |= set(shown.fields)
                case "$unset":
                    left_out |= {path for path in ([body] if isinstance(body, str) else body) if "." not in path}
                case _ if name in _PASSING or name in _ENDING:
                    mentioned = {*_names(name, body), *_mentioned(body)}
                    if "" in mentioned:
                        return ALL_FIELDS
                    asked |= mentioned
                    if name in _ENDING:
                        return Projection(tuple(sorted(asked)))
                case _:
                    return None
    return Projection(tuple(sorted(left_out - asked)), but=True)


def _names(stage: str, body: Any) -> Iterator[str]:
    """The fields a stage names without a `$`."""
    match stage:
        case "$match":
            yield from _filter_fields(body)
        case "$sort":
            yield from map(_top, body)
        case "$lookup":
            yield _top(str(body.get("localField", "")) or "_id")
        case "$unwind":
            yield _top(str(body.get("path", "")).lstrip("$"))
        case _:
            return


def _filter_fields(condition: Any) -> Iterator[str]:
    """The top-level fields a filter is about."""
    for name, test in condition.items() if isinstance(condition, Mapping) else ():
        if name in ("$and", "$or", "$nor"):
            for inner in test if isinstance(test, list) else ():
                yield from _filter_fields(inner)
        elif name == "$expr":
            yield from _mentioned(test)
        elif not name.startswith("$"):
            yield _top(name)


def _mentioned(expression: Any) -> Iterator[str]:
    """The top-level fields an expression reads; "" where it takes the whole document."""
    match expression:
        case Mapping():
            for name, each in expression.items():
                yield from _mentioned({} if name == "$literal" else each)
        case list():
            for each in expression:
                yield from _mentioned(each)
        case str() if expression.startswith(_ROOTS):
            yield expression.partition(".")[2].partition(".")[0]
        case str() if expression.startswith("$") and not expression.startswith("$$"):
            yield _top(expression[1:])
        case _:
            return


def _top(path: str) -> str:
    return path.partition(".")[0]
