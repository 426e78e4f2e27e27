"""Attributes under the names they are stored by, and sort keys: small texts that several forms share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from nestling.ir import primitives as ir
from nestling.ir.storage.names import stored_name
from nestling.ir.text.yaml_writer import Plain


def _renames(value: object) -> object:
    """Names and `name: stored name` pairs, in a list or one map, as a list of one-key maps."""
    if isinstance(value, dict):
        return [{name: stored} for name, stored in value.items()]
    items = [value] if isinstance(value, str) else [] if value is None else value
    return [{item: None} if isinstance(item, str) else item for item in items] if isinstance(items, list) else items


_RENAME = {"type": "object", "additionalProperties": {"type": "string"}}
_RENAMES = {
    "anyOf": [{"type": "string"}, _RENAME, {"type": "array", "items": {"anyOf": [{"type": "string"}, _RENAME]}}]
}
Renames = Annotated[list[dict[str, str | None]], BeforeValidator(_renames), WithJsonSchema(_RENAMES)]
"""Attributes, each with the name it is stored under when that is another: `[user, date]` or `{user: by, date: at}`."""

_ORDER = {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"enum": [1, -1]}}]}


def _listed_orders(value: object) -> object:
    items = [value] if isinstance(value, str | dict) else [] if value is None else value
    for each in items if isinstance(items, list) else ():
        for name, direction in each.items() if isinstance(each, dict) else ():
            if direction not in (1, -1):
                said = {"name": name, "direction": direction}
                raise PydanticCustomError("direction", "`{name}` has the direction `{direction}`", said)
    return items


Orders = Annotated[
    list[str | dict[str, int]],
    BeforeValidator(_listed_orders),
    WithJsonSchema({"anyOf": [*_ORDER["anyOf"], {"type": "array", "items": _ORDER}]}),
]
"""Sort keys: `-date` is descending, and so is `{date: -1}`; `{"-odd name": 1}` where a name starts with a dash itself."""


def fields(renames: list[dict[str, str | None]]) -> tuple[ir.Field, ...]:
    """Fields in their order."""
    return tuple(
        ir.Field(name, stored_name(name) if stored is None else stored)
        for pair in renames
        for name, stored in pair.items()
    )


def field_texts(stored: tuple[ir.Field, ...]) -> Plain:
    """A list of names if none is renamed, else a map (or, if an attribute occurs twice, a list of pairs)."""
    if all(field.path == stored_name(field.attribute) for field in stored):
        return [field.attribute for field in stored]
    pairs = {field.attribute: field.path for field in stored}
    return pairs if len(pairs) == len(stored) else [{field.attribute: field.path} for field in stored]


def orders(keys: list[str | dict[str, int]]) -> tuple[tuple[str, bool], ...]:
    """(name, whether descending) of each sort key."""
    found: list[tuple[str, bool]] = []
    for key in keys:
        if isinstance(key, dict):
            found += [(name, direction < 0) for name, direction in key.items()]
        else:
            found.append((key.removeprefix("-"), key.startswith("-")))
    return tuple(found)


def order_text(name: str, *, descending: bool) -> Plain:
    """One sort key as a plain value for a file."""
    if name.startswith("-"):
        return {name: -1 if descending else 1}
    return f"-{name}" if descending else name


def ir_orders(keys: list[str | dict[str, int]]) -> tuple[ir.Order, ...]:
    """Sort keys of a document or copy."""
    return tuple(ir.Order(name, descending) for name, descending in orders(keys))


def order_texts(order: tuple[ir.Order, ...]) -> list[Plain]:
    """The sort keys as plain values for a file."""
    return [order_text(one.attribute, descending=one.descending) for one in order]
