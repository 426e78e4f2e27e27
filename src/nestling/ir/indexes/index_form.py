"""What makes two indexes equal, whatever their names, and when one can replace another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from nestling.ir.free_names import free_name
from nestling.ir.programs.command import CreateIndex

IndexShape = tuple[object, ...]
"""All that an index is, but its name."""


def index_form(index: CreateIndex, usual: object = None) -> IndexShape:
    """The form of an index command; `usual`: its collection's collation, which is the default of an index."""
    told = index.options
    others = repr(_plain({name: each for name, each in told.items() if name not in _KNOWN}))
    only = repr(_plain(_only(index)))
    return (index.collection, index.keys, _is_unique(index), _expires(index), _texts(index, usual), only, others)


def does_work_of(there: CreateIndex, wanted: CreateIndex, usual: object = None) -> bool:
    """Whether `wanted` need not be built: the same index is there, or one over all documents that is unique or expires."""
    form = index_form(wanted, usual)
    if index_form(there, usual) == form:
        return True
    is_plain = not _is_unique(wanted) and _expires(wanted) is None
    options = {name: each for name, each in there.options.items() if name not in ("unique", "expireAfterSeconds")}
    return is_plain and index_form(replace(there, options=options), usual) == form


def with_free_name(index: CreateIndex, taken: Collection[tuple[str, str]]) -> CreateIndex:
    """The index by a name that no other index of its collection has: `code_1`, or else `code_1_2`."""
    name = free_name(index.name, lambda name: (index.collection, name) in taken)
    return index if name == index.name else replace(index, options={**index.options, "name": name})


_SIMPLE = "simple"
"""The locale of an index that compares texts to the letter."""
_KNOWN = frozenset(("name", "unique", "sparse", "expireAfterSeconds", "collation", "partialFilterExpression", "hidden"))


def _is_unique(index: CreateIndex) -> bool:
    return bool(index.options.get("unique"))


def _expires(index: CreateIndex) -> int | None:
    seconds = index.options.get("expireAfterSeconds")
    return round(seconds) if isinstance(seconds, int | float) else None


def _texts(index: CreateIndex, usual: object) -> object:
    """A collation as designs express it; the server reports further defaults."""
    told = index.options.get("collation", usual)
    if not isinstance(told, Mapping):
        return told
    return None if told.get("locale") == _SIMPLE else (told.get("locale"), told.get("strength", 3))


def _only(index: CreateIndex) -> Any:
    """The condition on the index's documents. A type, and `sparse` on one field, only require a value."""
    asked = index.options.get("partialFilterExpression")
    if index.options.get("sparse") and len(index.keys) == 1:
        return {index.keys[0][0]: {"$exists": True}}
    if not isinstance(asked, Mapping):
        return "sparse" if index.options.get("sparse") else None
    here = {path for path, _ in index.keys}
    return {
        path: {"$exists": True} if path in here and isinstance(each, Mapping) and [*each] == ["$type"] else each
        for path, each in asked.items()
    }


def _plain(value: object) -> object:
    """A value without its field order, and independent of the kind of mapping."""
    match value:
        case Mapping():
            return {name: _plain(value[name]) for name in sorted(value)}
        case list() | tuple():
            return [_plain(each) for each in value]
        case _:
            return value
