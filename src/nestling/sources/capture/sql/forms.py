"""The form of a captured command, checked once before it becomes SQL: other people's commands may have any form.

Later code relies on it: a clause of another form than these is a gap, and an error anywhere later is nestling's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nestling.ir.capture import CommandOperation, CommandShape
from nestling.ir.capture.clauses import LOGICAL
from nestling.sources.capture.sql.field_values import NotExpressible

DEEPEST = 80
"""Levels of documents in each other that are read."""
_CONDITIONS = (*LOGICAL, "$expr")
_OPERANDS = {"$eq": 2, "$ne": 2, "$gt": 2, "$gte": 2, "$lt": 2, "$lte": 2, "$in": 2, "$arrayElemAt": 2}
_ONE_AT_LEAST = ("$not", "$size", "$first", "$last", "$toInt", "$toLong", "$toDouble", "$toDecimal", "$toString")


def check_forms(shape: CommandShape) -> None:
    """Raise NotExpressible for a command of a form that is not known."""
    clauses = shape.clauses
    if "cut" in clauses:
        raise NotExpressible("a command that was too long to be logged in full")
    _shallow(clauses, DEEPEST)
    match shape.operation:
        case CommandOperation.FIND:
            condition(clauses.get("filter", {}))
            _projection(clauses.get("projection", {}))
            _order(clauses.get("sort", {}))
        case CommandOperation.AGGREGATE:
            pipeline(clauses.get("pipeline", []))
        case CommandOperation.COUNT:
            condition(clauses.get("query", {}))
        case CommandOperation.DISTINCT:
            _text(clauses.get("key"), "the key of `distinct`")
            condition(clauses.get("query", {}))
        case CommandOperation.INSERT:
            _documents(clauses.get("documents", []), "what is inserted")
        case CommandOperation.DELETE:
            condition(clauses.get("q", {}))
        case CommandOperation.UPDATE | CommandOperation.FIND_AND_MODIFY:
            condition(clauses.get("q", clauses.get("query", {})))
            _change(clauses.get("u", clauses.get("update", {})))
            for each in _documents(clauses.get("arrayFilters", []), "array filters"):
                _array_filter(each)


def _odd(what: str) -> NotExpressible:
    return NotExpressible(f"{what} in a form nestling does not know")


def _shallow(found: Any, levels: int) -> None:
    if levels == 0:
        raise NotExpressible(f"a command nested deeper than {DEEPEST} levels")
    if isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            _shallow(each, levels - 1)


def _document(found: Any, what: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise _odd(what)
    return found


def _list(found: Any, what: str, least: int = 0) -> list[Any]:
    if not isinstance(found, list) or len(found) < least:
        raise _odd(what)
    return found


def _documents(found: Any, what: str, least: int = 0) -> list[dict[str, Any]]:
    return [_document(each, what) for each in _list(found, what, least)]


def _text(found: Any, what: str) -> str:
    if not isinstance(found, str):
        raise _odd(what)
    return found


def condition(found: Any) -> None:
    """Check the form of a filter."""
    for name, test in _document(found, "a filter").items():
        if name in LOGICAL:
            for each in _documents(test, f"`{name}`", least=1):
                condition(each)
        elif name == "$expr":
            expression(test)
        elif not name.startswith("$"):
            _tests(test, name)


def _tests(found: Any, path: str) -> None:
    for name, operand in _document(found, f"the test of `{path}`").items():
        match name:
            case _ if not name.startswith("$"):
                raise _odd(f"the test of `{path}`")
            case "$in" | "$nin" | "$all":
                for each in _list(operand, f"`{name}` of `{path}`"):
                    if isinstance(each, dict) and "$elemMatch" in each:
                        _tests(each, path)
            case "$not":
                _tests(operand, path)
            case "$elemMatch":
                inner = _document(operand, f"`{name}` of `{path}`")
                if any(each.startswith("$") and each not in _CONDITIONS for each in inner):
                    _tests(inner, path)
                else:
                    condition(inner)
            case _:
                continue


def _order(found: Any) -> None:
    for path, way in _document(found, "an order").items():
        if not isinstance(way, int):
            raise _odd(f"the order by `{path}`")


def _array_filter(found: dict[str, Any]) -> None:
    if any(name.startswith("$") for name in found):
        raise _odd("an array filter")
    condition(found)


def _change(found: Any) -> None:
    if isinstance(found, list):
        pipeline(found)
        return
    for operator, fields in _document(found, "an update").items():
        if operator.startswith("$"):
            paths = _document(fields, f"`{operator}`")
            for path, operand in paths.items():
                if operator == "$pull" and isinstance(operand, dict):
                    _pulled(operand, path)
                if operator in ("$push", "$addToSet") and isinstance(operand, dict) and "$each" in operand:
                    _list(operand["$each"], f"`{operator}` of `{path}`")


def _pulled(found: dict[str, Any], path: str) -> None:
    if any(name.startswith("$") and name not in _CONDITIONS for name in found):
        _tests(found, path)
    else:
        condition(found)


def pipeline(found: Any) -> None:
    """Check the form of a pipeline's stages, including those of a `$lookup`; unknown stages are refused later."""
    for stage in _documents(found, "a stage"):
        if len(stage) != 1:
            raise _odd("a stage")
        ((name, body),) = stage.items()
        if name in _STAGES:
            _STAGES[name](body)


def _fields(found: Any) -> None:
    _expressions(_document(found, "a stage's fields").values())


def _projection(found: Any) -> None:
    """Paths may be nested: documents of paths, which are no expressions."""
    for each in _document(found, "a projection").values():
        if isinstance(each, dict) and not any(name.startswith("$") for name in each):
            _projection(each)
        else:
            expression(each)


def _unset(found: Any) -> None:
    for each in found if isinstance(found, list) else [found]:
        _text(each, "`$unset`")


def _replacement(found: Any) -> None:
    expression(found["newRoot"] if isinstance(found, dict) and set(found) == {"newRoot"} else found)


def _unwind(found: Any) -> None:
    _text(_document(found, "`$unwind`").get("path"), "`$unwind`")


def _lookup(found: Any) -> None:
    body = _document(found, "`$lookup`")
    for name in ("from", "as", *(("localField", "foreignField") if "localField" in body else ())):
        _text(body.get(name), f"`{name}` of a `$lookup`")
    _fields(body.get("let", {}))
    pipeline(body.get("pipeline", []))


def _union(found: Any) -> None:
    _documents(_document(found, "`$unionWith`").get("pipeline", []), "`$unionWith`")


def _name(found: Any) -> None:
    _text(found, "`$count`")


def _expressions(found: Iterable[Any]) -> None:
    for each in found:
        expression(each)


def expression(found: Any) -> None:
    """Check the form of an aggregation expression."""
    if isinstance(found, list):
        _expressions(found)
    if not isinstance(found, dict):
        return
    if len(found) > 1 and any(name.startswith("$") for name in found):
        raise _odd("an operator combined with other fields or operators")
    for name, operand in found.items():
        if name != "$literal":
            _operands(name, operand)
            expression(operand)


def _operands(name: str, operand: Any) -> None:
    operands = operand if isinstance(operand, list) else [operand]
    if name in _OPERANDS and len(operands) != _OPERANDS[name]:
        raise _odd(f"`{name}`")
    if name in _ONE_AT_LEAST and not operands:
        raise _odd(f"`{name}`")
    if name == "$ifNull":
        _list(operand, f"`{name}`", least=2)
    if name == "$cond" and not (
        operand.keys() >= {"if", "then", "else"}
        if isinstance(operand, dict)
        else isinstance(operand, list) and len(operand) == 3
    ):
        raise _odd(f"`{name}`")
    if name == "$switch":
        for branch in _documents(_document(operand, "`$switch`").get("branches"), "`$switch`", least=1):
            if not branch.keys() >= {"case", "then"}:
                raise _odd("`$switch`")


_STAGES: dict[str, Callable[[Any], None]] = {
    "$match": condition,
    "$sort": _order,
    "$project": _projection,
    "$set": _fields,
    "$addFields": _fields,
    "$unset": _unset,
    "$replaceRoot": _replacement,
    "$replaceWith": expression,
    "$sortByCount": expression,
    "$unwind": _unwind,
    "$group": _fields,
    "$count": _name,
    "$lookup": _lookup,
    "$unionWith": _union,
}
