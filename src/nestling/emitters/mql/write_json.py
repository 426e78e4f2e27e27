"""A compiled write as documented JSON: one command flat, a program as its steps. Leaves have one `$` key."""

from __future__ import annotations

from typing import assert_never

from nestling.emitters.mql.extended_json import extended_json
from nestling.emitters.mql.script import read_json
from nestling.ir.nested_values import with_leaves
from nestling.ir.noun_json import Json
from nestling.ir.programs.program import (
    Action,
    CompiledWrite,
    ForEach,
    GivenRows,
    ProgramStep,
    ReadRows,
    RefuseRows,
    WriteCommand,
)

_READ_KEYS = ("collection", "operation", "pipeline", "filter", "projection", "sort", "skip", "limit", "collation")


def write_json(write: CompiledWrite) -> Json:
    """The documented shape; BSON values in relaxed Extended JSON."""
    shown: Json = {"name": write.name, "sql": write.sql, "gap": None}
    if write.command is not None:
        shown |= _command(write.command) | {"transaction": write.transaction}
    else:
        shown |= {"operation": "program", "transaction": write.transaction, "steps": [*map(_step, write.steps)]}
        shown |= {"counted": [*write.counted]}
    if write.new_ids:
        shown["new_ids"] = {each.name: str(each.form) for each in write.new_ids}
    if write.new_numbers:
        shown["new_numbers"] = [
            {"names": [*each.names], "counter": each.counter, "highest": _step(each.highest)}
            | ({} if each.count is None else {"count": _step(each.count)})
            for each in write.new_numbers
        ]
    if write.answer is not None:
        fields = (column.field for column in write.answer.columns)
        shown["answer"] = {
            "rows": [*write.answer.rows],
            "columns": dict(zip(fields, write.answer.cells, strict=True)),
        }
    shown |= {"notes": [*write.notes]} if write.notes else {}
    shown |= {"left": [*write.left], "parameters": [*write.parameters]}
    return shown | {"access_path": write.access_path.splitlines()}


def _step(step: ProgramStep) -> Json:
    match step:
        case ReadRows(rows, read):
            asked = {key: value for key, value in read_json(read).items() if key in _READ_KEYS}
            again: Json = {"repeats": True} if step.repeats else {}
            return {"rows": rows, **_with_values(asked, _values(step)), **again}
        case GivenRows(rows, documents):
            return {"rows": rows, "operation": "rows", "documents": extended_json(list(documents))}
        case RefuseRows(rows, violation, text, missing, attributes):
            return {
                "rows": rows,
                "operation": "refuse",
                "violation": str(violation),
                "text": text,
                "missing": [*missing],
                "attributes": [*attributes],
            }
        case ForEach(rows, steps, by, gathered):
            once: Json = {"by": [*by]} if by else {}
            lists: Json = {"gathered": [*gathered]} if gathered else {}
            return {"rows": rows, "operation": "forEach", **once, **lists, "steps": [*map(_step, steps)]}
        case WriteCommand():
            shown = _command(step)
            return shown | ({"otherwise": [*map(_step, step.otherwise)]} if step.otherwise else {})
        case _:
            assert_never(step)


def _values(step: ReadRows) -> Json:
    """The sources of a read's parameters that are not given by the user."""
    cells: Json = {name: {"$cell": column} for name, column in step.cells}
    lists: Json = {each.parameter: {"$list": {"column": each.column, "rows": [*each.rows]}} for each in step.lists}
    return cells | lists


def _with_values(asked: Json, values: Json) -> Json:
    """A read's JSON with cells and lists in place of its parameters."""

    def is_given(value: object) -> bool:
        return isinstance(value, dict) and value.get("$parameter") in values

    made: Json = with_leaves(asked, lambda leaf: values[leaf["$parameter"]] if is_given(leaf) else leaf, is_given)
    return made


def _command(command: WriteCommand) -> Json:
    shown: Json = {"collection": command.collection, "operation": str(command.action)}
    if command.action is Action.INSERT_ONE:
        return shown | {"document": extended_json(command.document)}
    shown["filter"] = extended_json(command.filter or {})
    if command.action is Action.REPLACE_ONE:
        return shown | {"document": extended_json(command.document), "upsert": command.upsert}
    if command.update is None:
        return shown
    shown |= {"update": extended_json(command.update), "arrayFilters": extended_json(list(command.array_filters))}
    shown |= {"upsert": command.upsert}
    if command.back is not None:
        shown["back"] = extended_json(command.back)
    shown |= {"apart": True} if command.apart else {}
    if command.places:
        shown["places"] = {
            each.key: {"path": each.path, "number": extended_json(each.column), "first": each.first}
            for each in command.places
        }
    return shown
