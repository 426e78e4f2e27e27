"""Conditions of commands that change documents: they keep a command from values it is not meant for."""

from __future__ import annotations

from nestling.ir.literals import quoted

NO_ARRAY = "$not: {$type: 'array'}"


def single(field: str, condition: str = "") -> str:
    """A filter for documents in which the field is one value: neither it nor what it lies in is an array.

    A condition on a field also matches the elements of an array, and an update would write all of them.
    """
    above = (f", {quoted(each)}: {{{NO_ARRAY}}}" for each in above_of(field))
    return f"{{{quoted(field)}: {{{f'{condition}, ' if condition else ''}{NO_ARRAY}}}{''.join(above)}}}"


def above_of(field: str) -> list[str]:
    """The documents that a field lies in, from the outside."""
    names = field.split(".")
    return [".".join(names[:count]) for count in range(1, len(names))]
