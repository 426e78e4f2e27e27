"""Reads a whole GridFS file chunk by chunk, so that damage is detected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pymongo.database import Database

from nestling.ir.words.value_words import value_words


class DamagedFileError(Exception):
    """A file is missing or damaged; the text says how."""


def file_content(database: Database[Any], bucket: str, name: object) -> bytes:
    """Return the content of the file. Raises `DamagedFileError`."""
    file = database[f"{bucket}.files"].find_one({"_id": name}, {"length": 1})
    if file is None:
        raise DamagedFileError("there is no such file")
    length = file.get("length")
    if not isinstance(length, int | float) or isinstance(length, bool):  # some drivers write a double
        raise DamagedFileError(f"its `length` is {value_words(length) if 'length' in file else 'missing'}")
    content = _joined(database[f"{bucket}.chunks"].find({"files_id": name}, sort=[("n", 1)]))
    if len(content) != length:
        raise DamagedFileError(f"its chunks hold {len(content):,} bytes, its `length` is {length:,.0f}")
    return content


def _joined(chunks: Iterable[dict[str, Any]]) -> bytes:
    content = bytearray()
    for number, chunk in enumerate(chunks):
        if chunk.get("n") != number:
            raise DamagedFileError(f"there is a chunk {value_words(chunk.get('n'))} where chunk {number} should be")
        if not isinstance(chunk.get("data"), bytes):
            raise DamagedFileError(f"the data of its chunk {number} is not binary")
        content += chunk["data"]
    return bytes(content)
