"""Queries many documents although the server may fail on one: that one is found by bisection, the rest is answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from nestling.common.errors import ValueNotComputable

Answer = TypeVar("Answer")


def by_halves(
    ids: Sequence[object],
    ask: Callable[[Sequence[object]], list[Answer]],
    alone: Callable[[object, str], list[Answer]],
) -> list[Answer]:
    """Return what `ask` yields for these ids; for an id with `ValueNotComputable`, what `alone` makes of it and the reason."""
    try:
        return ask(ids)
    except ValueNotComputable as error:
        if len(ids) == 1:
            return alone(ids[0], error.problems[0].what)
    half = len(ids) // 2
    return [*by_halves(ids[:half], ask, alone), *by_halves(ids[half:], ask, alone)]
