"""Gives a database the encoding and decoding options that our code needs, whatever the client's options.

A client without options refuses UUIDs, and returns UUIDs in documents as bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from nestling.ir.codec import AS_STORED, CODEC

if TYPE_CHECKING:
    from pymongo.asynchronous.database import AsyncDatabase
    from pymongo.database import Database

Driver = TypeVar("Driver", "Database[Any]", "AsyncDatabase[Any]")


def exact(database: Driver) -> Driver:
    """The database with our encoding and decoding of values; one from `as_stored` is unchanged."""
    return database if database.codec_options == AS_STORED else database.with_options(codec_options=CODEC)


def as_stored(database: Driver) -> Driver:
    """The database with a codec for copying documents: like `exact`, but preserves dates beyond the years 1 to 9999."""
    return database.with_options(codec_options=AS_STORED)
