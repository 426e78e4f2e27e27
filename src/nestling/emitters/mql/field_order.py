"""Sub-documents with their fields in a given order: MongoDB compares two of them field by field, in the order they have."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.ir.programs.compiled import Mql


def with_fields_in_order(value: object, fields: Sequence[str], *, several: bool) -> Mql:
    """Return the sub-document (`several`: each element of the array) with its fields, given as dotted paths, in this order.

    A value that has other fields, or is not a sub-document, stays unchanged.
    """
    if not several:
        return _document(value, fields)
    elements = {"$map": {"input": "$$held", "in": _document("$$this", fields)}}
    return _let(value, {"$cond": [{"$isArray": ["$$held"]}, elements, "$$held"]})


def _document(value: object, fields: Sequence[str]) -> Mql:
    inner = dict[str, list[str]]()
    for path in fields:
        name, _, rest = path.partition(".")
        inner.setdefault(name, []).extend([rest] if rest else [])
    ordered = {name: _document(f"$$held.{name}", rest) if rest else f"$$held.{name}" for name, rest in inner.items()}
    names = {"$map": {"input": {"$objectToArray": "$$held"}, "in": "$$this.k"}}
    known = {"$cond": [{"$setIsSubset": [names, {"$literal": list(inner)}]}, ordered, "$$held"]}
    return _let(value, {"$cond": [{"$eq": [{"$type": "$$held"}, "object"]}, known, "$$held"]})


def _let(value: object, then: Mql) -> Mql:
    return {"$let": {"vars": {"held": value}, "in": then}}
