"""A stream in parts, for commands that take many things at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from nestling.ir.codec import BsonDocument
from nestling.ir.value_forms.canonical import stored_bytes

T = TypeVar("T")

COMMAND_BYTES = 4 * 1024 * 1024
"""Documents that are looked at inside a command, which holds them several times."""
INSERTED_BYTES = 12 * 1024 * 1024
"""Documents that one command inserts: drivers take a command of little more than one document's 16 MiB."""


def batches(each: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items, the last one possibly shorter; reads nothing ahead."""
    stream = iter(each)
    while batch := list(islice(stream, size)):
        yield batch


def small_batches(documents: Iterable[BsonDocument]) -> Iterator[list[BsonDocument]]:
    """Split documents into batches that fit one command; a document too large for that comes alone."""
    return batches_within(COMMAND_BYTES, documents, lambda document: len(stored_bytes(document)))


def batches_within(most: int, documents: Iterable[T], size_bytes: Callable[[T], int]) -> Iterator[list[T]]:
    """Split documents into batches of at most so many bytes; a larger one comes alone."""
    some, size = list[T](), 0
    for document in documents:
        length = size_bytes(document)
        if some and size + length > most:
            yield some
            some, size = [], 0
        some.append(document)
        size += length
    if some:
        yield some
