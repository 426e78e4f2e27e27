"""Asking of many documents where the server cannot reckon with one of them: it is found by halves, and the rest is answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from nestling.common.errors import ValueNotReckoned

Answer = TypeVar("Answer")


def by_halves(
    ids: Sequence[object],
    ask: Callable[[Sequence[object]], list[Answer]],
    alone: Callable[[object, str], list[Answer]],
) -> list[Answer]:
    """What `ask` gives for these ids; for one that it raises `ValueNotReckoned` of, what `alone` makes of it and why."""
    try:
        return ask(ids)
    except ValueNotReckoned as error:
        if len(ids) == 1:
            return alone(ids[0], error.problems[0].what)
    half = len(ids) // 2
    return [*by_halves(ids[:half], ask, alone), *by_halves(ids[half:], ask, alone)]
