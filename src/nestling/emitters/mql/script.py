"""A compiled read as a line for mongosh or as plain data. A free parameter appears as its name."""

from __future__ import annotations

import re

from nestling.emitters.mql.extended_json import extended_json
from nestling.emitters.mql.shell_names import variable
from nestling.ir.literals import of_collection, shell, shell_ordered
from nestling.ir.nested_values import with_leaves
from nestling.ir.noun_json import Json
from nestling.ir.programs.compiled import CompiledRead, Operation, Placeholder

_MARK = re.compile(r'"\\u0001(.*?)\\u0001"|"\x01(.*?)\x01"')


def read_shell(read: CompiledRead) -> str:
    """The read for mongosh; a free parameter is a variable with its name (`variable`), to be set before."""
    where = "db" if read.collection is None else of_collection("db", read.collection)
    if read.operation is Operation.AGGREGATE:
        options = {"allowDiskUse": True} | ({"collation": read.collation_option} if read.collation_option else {})
        return f"{where}.aggregate({_text([*read.pipeline])}, {_text(options)})"
    calls = [f"{where}.find({_text(read.filter or {})}, {_text(read.projection or {})})"]
    calls += [f".sort({shell_ordered(read.sort)})"] if read.sort else []
    calls += [f".collation({_text(read.collation_option)})"] if read.collation_option else []
    calls += [f".skip({_text(read.skip)})"] if read.skip else []
    calls += [f".limit({_text(read.limit)})"] if read.limit is not None else []
    return "".join(calls)


def read_json(read: CompiledRead) -> Json:
    """The documented shape; BSON values in Extended JSON, a free parameter as `{"$parameter": name}`."""
    shown: Json = {"name": read.name, "sql": read.sql, "gap": None}
    shown |= {"collection": read.collection, "operation": str(read.operation)}
    if read.operation is Operation.AGGREGATE:
        shown["pipeline"] = extended_json([*read.pipeline])
    else:
        shown |= {"filter": extended_json(read.filter or {}), "projection": extended_json(read.projection or {})}
        shown |= {"sort": dict(read.sort), "skip": extended_json(read.skip), "limit": extended_json(read.limit)}
    shown |= {"collation": read.collation_option} if read.collation_option else {}
    shown["columns"] = [{"name": column.name, "field": column.field} for column in read.columns]
    shown |= {"notes": [*read.notes]} if read.notes else {}
    return shown | {"parameters": [*read.parameters], "access_path": read.access_path.splitlines()}


def _text(value: object) -> str:
    return _MARK.sub(lambda found: found[1] or found[2], shell(with_leaves(value, _marked)))


def _marked(leaf: object) -> object:
    return f"\x01{variable(leaf)}\x01" if isinstance(leaf, Placeholder) else leaf
