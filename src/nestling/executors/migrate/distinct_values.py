"""Each of some tuples of conceptual values once, documents and lists among them; what differs in type is not the same."""

from __future__ import annotations

from collections.abc import Iterable


def mark(values: tuple[object, ...]) -> tuple[object, ...]:
    """A hashable form of a tuple that distinguishes it from other tuples."""
    return tuple((value.__class__, repr(value)) for value in values)


def once(found: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Each once, in the order they first came."""
    return list({mark(values): values for values in found}.values())
