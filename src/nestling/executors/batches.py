"""A stream in parts, for commands that take many things at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from nestling.ir.codec import BsonDocument
from nestling.ir.value_forms.canonical import stored_bytes

T = TypeVar("T")

COMMAND_BYTES = 4 * 1024 * 1024
"""Documents sent to the server inside a command."""


def batches(each: Iterable[T], size: int) -> Iterator[list[T]]:
    """So many at a time, fewer the last time; nothing is read ahead."""
    stream = iter(each)
    while batch := list(islice(stream, size)):
        yield batch


def small_batches(documents: Iterable[BsonDocument]) -> Iterator[list[BsonDocument]]:
    """Split documents into batches that fit one command; a document too large for that comes alone."""
    some, size = list[BsonDocument](), 0
    for document in documents:
        length = len(stored_bytes(document))
        if some and size + length > COMMAND_BYTES:
            yield some
            some, size = [], 0
        some.append(document)
        size += length
    if some:
        yield some
