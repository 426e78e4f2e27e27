"""Conditions in commands that change documents: they exclude values that the command is not meant for."""

from __future__ import annotations

from nestling.ir.programs.compiled import Mql

NO_ARRAY: Mql = {"$not": {"$type": "array"}}


def single(field: str, condition: Mql | None = None) -> Mql:
    """A filter for documents in which the field is a single value: neither it nor anything around it is an array.

    A condition on a field also matches array elements, and an update would write all of them.
    """
    return {field: (condition or {}) | NO_ARRAY, **dict.fromkeys(above_of(field), NO_ARRAY)}


def above_of(field: str) -> list[str]:
    """The documents around a field, outermost first."""
    names = field.split(".")
    return [".".join(names[:count]) for count in range(1, len(names))]
