"""Caches results for values that never change. The key is the object's identity, as comparing large values takes too long."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Generic, TypeVar, TypeVarTuple

KEPT_RESULTS = 8
"""Values that are remembered, the last ones asked for."""

Value = TypeVar("Value")
Found = TypeVar("Found")
Rest = TypeVarTuple("Rest")


def once(find: Callable[[Value, *Rest], Found]) -> Callable[[Value, *Rest], Found]:
    """The function, called once for each value and the hashable arguments after it."""

    @lru_cache(maxsize=KEPT_RESULTS)
    def kept(same: _Same[Value], rest: tuple[*Rest]) -> Found:
        return find(same.value, *rest)

    def asked(value: Value, /, *rest: *Rest) -> Found:
        return kept(_Same(value), rest)

    return update_wrapper(asked, find)


class _Same(Generic[Value]):
    """A value that equals itself alone."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
