"""Whether the paths an update touched are among those that matter."""

from __future__ import annotations

from collections.abc import Iterable

from nestling.ir.storage.names import is_within, overlap


def without_places(paths: Iterable[str]) -> frozenset[str]:
    """Paths without their array places: `items.3.quantity` is `items.quantity`."""
    return frozenset(".".join(part for part in path.split(".") if not part.isdigit()) for path in paths)


def touches(changed: frozenset[str], paths: Iterable[str]) -> bool:
    """Whether a changed path is one of these paths, lies below one, or above one."""
    return any(overlap(c, p) for p in paths for c in changed)


def replaces(changed: frozenset[str], nodes: Iterable[str]) -> bool:
    """Whether one of the changed paths is a node, or around one: what is in it may have come or gone."""
    return any(is_within(n, c) for n in nodes for c in changed)
