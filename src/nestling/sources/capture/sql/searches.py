"""Which documents a write finds: its filter, and whether it changes all of them or the first in an order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nestling.ir.capture import CommandOperation, CommandShape


@dataclass(frozen=True, slots=True)
class WriteSearch:
    """The filter of a write; `one`: it changes one of the documents found, the first by `order`."""

    condition: Mapping[str, Any] = field(default_factory=dict)
    one: bool = False
    order: Mapping[str, int] = field(default_factory=dict)


def search_of(shape: CommandShape) -> WriteSearch:
    """The search of an update, a delete or a findAndModify."""
    clauses = shape.clauses
    condition, order = clauses.get("q", clauses.get("query", {})), clauses.get("sort", {})
    match shape.operation:
        case CommandOperation.DELETE:
            return WriteSearch(condition, clauses.get("limit") == 1)
        case CommandOperation.UPDATE:
            return WriteSearch(condition, not clauses.get("multi"), order)
        case _:
            return WriteSearch(condition, True, order)
