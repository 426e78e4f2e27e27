"""Commands as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bson import json_util

from nestling.ir.programs.compiled import Placeholder
from nestling.ir.programs.program import CellRef, Negated, OrNull, PartDocument, WholeDocument


def extended_json(value: object) -> object:
    """BSON values in relaxed Extended JSON; open parts of a command are documents with one `$` key."""
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
            if not isinstance(value, Placeholder):
                return value
            return {"$parameter": value.name} | ({"as": value.stands_for} if value.stands_for else {})
