"""One drawn statement."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Statement:
    """Its SQL, the values of its parameters, the constructs it uses, and the places of the outputs that order its rows."""

    sql: str
    values: dict[str, object] = field(default_factory=dict)
    constructs: frozenset[str] = frozenset()
    order: tuple[int, ...] = ()
