"""Conditions in commands that change documents: they exclude values that the command is not meant for."""

from __future__ import annotations

from nestling.ir.literals import quoted

NO_ARRAY = "$not: {$type: 'array'}"


def single(field: str, condition: str = "") -> str:
    """A filter for documents in which the field is a single value: neither it nor anything around it is an array.

    A condition on a field also matches array elements, and an update would write all of them.
    """
    above = (f", {quoted(each)}: {{{NO_ARRAY}}}" for each in above_of(field))
    return f"{{{quoted(field)}: {{{f'{condition}, ' if condition else ''}{NO_ARRAY}}}{''.join(above)}}}"


def above_of(field: str) -> list[str]:
    """The documents around a field, outermost first."""
    names = field.split(".")
    return [".".join(names[:count]) for count in range(1, len(names))]
