"""A stream in parts, for commands that take many things at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(each: Iterable[T], size: int) -> Iterator[list[T]]:
    """So many at a time, fewer the last time; nothing is read ahead."""
    stream = iter(each)
    while batch := list(islice(stream, size)):
        yield batch
