"""An index definition as Extended JSON, kept for an index that no design can express."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bson import json_util
from bson.errors import BSONError

from nestling.common.errors import InputError, Problem
from nestling.ir.programs.command import CreateIndex

_EXPECTED = 'write its key and its options: {"key": {"place": "2dsphere"}, "name": "place_2dsphere"}'


def index_text(index: CreateIndex) -> str:
    """The index's key and options as the server takes them."""
    whole = {"key": dict(index.keys), **index.options}
    return json_util.dumps(whole, json_options=json_util.RELAXED_JSON_OPTIONS)


def read_index(text: str, collection: str) -> CreateIndex:
    """The index in the text. Raises `InputError` if there is none."""
    try:
        found = json_util.loads(text)
    except (ValueError, TypeError, RecursionError, ArithmeticError, BSONError):
        found = None
    match found:
        case {"key": Mapping() as key, "name": str()} if key and all(map(_is_way, key.values())):
            return CreateIndex(collection, tuple(key.items()), {name: found[name] for name in found if name != "key"})
    what = f"{json.dumps(text)} is no index"
    raise InputError(Problem(what, next_move=_EXPECTED))


def _is_way(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)
