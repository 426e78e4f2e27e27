"""A name like the one wished for that nothing else has."""

from __future__ import annotations

from collections.abc import Callable, Container
from itertools import count


def free_name(wish: str, taken: Container[str] | Callable[[str], bool], between: str = "_") -> str:
    """The name wished for, or else the first of `wish_2`, `wish_3`, … that is not taken."""
    is_taken = taken if callable(taken) else taken.__contains__
    if not is_taken(wish):
        return wish
    return next(name for number in count(2) if not is_taken(name := f"{wish}{between}{number}"))
