"""Commands as plain data."""

from __future__ import annotations

import json

from bson import json_util

from nestling.ir.nested_values import with_leaves
from nestling.ir.programs.compiled import Placeholder
from nestling.ir.programs.program import CellRef, Negated, OrNull, PartDocument, WholeDocument


def extended_json(value: object) -> object:
    """BSON values in relaxed Extended JSON; open parts of a command are documents with one `$` key."""
    return json.loads(json_util.dumps(with_leaves(value, _named), json_options=json_util.RELAXED_JSON_OPTIONS))


def _named(leaf: object) -> object:
    match leaf:
        case CellRef(column):
            return {"$cell": column}
        case OrNull(inner):
            return {"$orNull": with_leaves(inner, _named)}
        case Negated(inner):
            return {"$negated": with_leaves(inner, _named)}
        case WholeDocument(fields):
            return {"$whole": with_leaves(fields, _named)}
        case PartDocument(fields, spread):
            rest = {"$rest": spread.column} if spread is not None else {}
            return {"$paths": with_leaves(dict(fields), _named)} | rest
        case Placeholder():
            return {"$parameter": leaf.name} | ({"as": leaf.stands_for} if leaf.stands_for else {})
        case _:
            return leaf
