"""Each of some tuples of conceptual values once, documents and lists among them; what differs in type is not the same."""

from __future__ import annotations

from collections.abc import Iterable


def mark(values: tuple[object, ...]) -> tuple[object, ...]:
    """What tells a tuple from others, in a form that sets can hold."""
    return tuple((value.__class__, repr(value)) for value in values)


def once(found: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Each once, in the order they first came."""
    return list({mark(values): values for values in found}.values())
