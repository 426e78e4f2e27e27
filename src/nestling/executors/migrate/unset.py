"""The shell's command that makes a field which is null a missing one, which is how designs say NULL."""

from __future__ import annotations

from typing import Any, TypeAlias

from nestling.ir.found_field import FoundField
from nestling.ir.literals import of_collection, shell

Spec: TypeAlias = dict[str, Any]
_ARRAY = {"$type": "array"}
_NULL = {"$type": "null", "$not": _ARRAY}  # an array with a null in it is of that type too
_WITH_NULL = {"$elemMatch": {"$eq": None}}


def unset(field: FoundField) -> str:
    """`db.getCollection("posts").updateMany({…}, {$unset: {"comments.$[e1].text": ""}}, …)`; from an array, null is pulled."""
    condition, change, filters = unsetting(field)
    given = [condition, change, *([{"arrayFilters": filters}] if filters else [])]
    return f"{of_collection('db', field.collection)}.updateMany({', '.join(map(shell, given))})"


def unsetting(field: FoundField) -> tuple[Spec, Spec, list[Spec]]:
    """Which documents, the change, and the array filters."""
    is_element = field.path.endswith("[]")
    parts = field.path.removesuffix("[]").split("[]")  # comments[].text: in elements of an array
    target = parts[0] + "".join(f".$[e{number}]{part}" for number, part in enumerate(parts) if number)
    found: Spec = _WITH_NULL if is_element else _NULL
    last = len(parts) - 1
    filters = [{f"e{n}{part}": found if n == last else _ARRAY} for n, part in enumerate(parts) if n]
    change: Spec = {"$pull": {target: None}} if is_element else {"$unset": {target: ""}}
    return {"".join(parts): {"$type": "null"} if filters else found}, change, filters
