"""A compiled write as the documented JSON: one command flat, a program as its steps. Leaves stand as documents of one `$` key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import assert_never, cast

from bson import json_util

from nestling.emitters.mql.script import read_json
from nestling.ir.compiled import Placeholder
from nestling.ir.program import (
    Action,
    CellRef,
    Command,
    CompiledWrite,
    ForEach,
    GivenRows,
    Negated,
    OrNull,
    PartDocument,
    ProgramStep,
    ReadRows,
    RefuseRows,
    WholeDocument,
)

Json = dict[str, object]
_READ_KEYS = ("collection", "operation", "pipeline", "filter", "projection", "sort", "skip", "limit", "collation")


def write_json(write: CompiledWrite) -> Json:
    """The documented shape; BSON values in relaxed Extended JSON."""
    shown: Json = {"name": write.name, "sql": write.sql, "gap": None}
    if write.gap is not None:
        return shown | {"gap": {"kind": str(write.gap.kind), "what": write.gap.what, "where": write.gap.where}}
    if write.command is not None:
        shown |= _command(write.command) | {"transaction": write.transaction}
    else:
        shown |= {"operation": "program", "transaction": write.transaction, "steps": [*map(_step, write.steps)]}
        shown |= {"counted": [*write.counted]}
    shown |= {"left": [*write.left], "parameters": [*write.parameters]}
    return shown | {"access_path": write.access_path.splitlines()}


def _step(step: ProgramStep) -> Json:
    match step:
        case ReadRows(rows, read, cells):
            asked = {key: value for key, value in read_json(read).items() if key in _READ_KEYS}
            return {"rows": rows, **cast(Json, _with_cells(asked, dict(cells)))}
        case GivenRows(rows, documents):
            return {"rows": rows, "operation": "rows", "documents": _plain(list(documents))}
        case RefuseRows(rows, violation, text, missing):
            return {
                "rows": rows,
                "operation": "refuse",
                "violation": str(violation),
                "text": text,
                "missing": [*missing],
            }
        case ForEach(rows, steps):
            return {"rows": rows, "operation": "forEach", "steps": [*map(_step, steps)]}
        case Command():
            shown = _command(step)
            return shown | ({"otherwise": [*map(_step, step.otherwise)]} if step.otherwise else {})
        case _:
            assert_never(step)


def _with_cells(value: object, columns: Mapping[str, str]) -> object:
    """A read's JSON with cells where parameters stand for them."""
    match value:
        case {"$parameter": str(name)} if name in columns:
            return {"$cell": columns[name]}
        case dict():
            return {name: _with_cells(each, columns) for name, each in value.items()}
        case list():
            return [_with_cells(each, columns) for each in value]
        case _:
            return value


def _command(command: Command) -> Json:
    shown: Json = {"collection": command.collection, "operation": str(command.action)}
    if command.action is Action.INSERT_ONE:
        return shown | {"document": _plain(command.document)}
    shown["filter"] = _plain(command.filter or {})
    if command.update is None:
        return shown
    shown |= {"update": _plain(command.update), "arrayFilters": _plain(list(command.array_filters))}
    shown |= {"upsert": command.upsert}
    if command.back is not None:
        shown["back"] = _plain(command.back)
    if command.places:
        shown["places"] = {
            each.key: {"path": each.path, "number": _plain(each.column), "first": each.first} for each in command.places
        }
    return shown


def _plain(value: object) -> object:
    return json.loads(json_util.dumps(_named(value), json_options=json_util.RELAXED_JSON_OPTIONS))


def _named(value: object) -> object:
    match value:
        case CellRef(column):
            return {"$cell": column}
        case OrNull(inner):
            return {"$orNull": _named(inner)}
        case Negated(inner):
            return {"$negated": _named(inner)}
        case WholeDocument(fields):
            return {"$whole": _named(fields)}
        case PartDocument(fields, spread):
            rest = {"$rest": spread.column} if spread is not None else {}
            return {"$paths": {path: _named(each) for path, each in fields}} | rest
        case Mapping():
            return {name: _named(each) for name, each in value.items()}
        case list() | tuple():
            return [_named(each) for each in value]
        case _:
            return {"$parameter": value.name} if isinstance(value, Placeholder) else value
