"""Binary values by their subtype, as queries tell them apart: a UUID of today (4) and one of old drivers (3) are never equal."""

from __future__ import annotations

_KIND = "binary of subtype "
OLD_UUID, UUID = 3, 4


def binary_of(subtype: int) -> str:
    """The kind of binary values of a subtype."""
    return f"{_KIND}{subtype}"


def subtype_in(kind: str) -> int | None:
    """The binary subtype of a kind; None for a kind that is not binary."""
    return int(kind.removeprefix(_KIND)) if kind.startswith(_KIND) else None


OF_UUIDS = {binary_of(OLD_UUID): binary_of(UUID), binary_of(UUID): binary_of(OLD_UUID)}
"""The kinds UUIDs are of, with the other one, of which the same bytes may be."""
