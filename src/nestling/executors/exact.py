"""A database as all that reads and writes documents of ours is to see it, whatever the client it is of was made for.

A client without options refuses UUIDs, and gives those of documents as bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from nestling.ir.codec import AS_STORED, CODEC

if TYPE_CHECKING:
    from pymongo.asynchronous.database import AsyncDatabase
    from pymongo.database import Database

Driver = TypeVar("Driver", "Database[Any]", "AsyncDatabase[Any]")


def exact(database: Driver) -> Driver:
    """The database, whose values are encoded and decoded as ours; one of `as_stored` is left as it is."""
    return database if database.codec_options == AS_STORED else database.with_options(codec_options=CODEC)


def as_stored(database: Driver) -> Driver:
    """The same for what goes from documents into documents: dates beyond the years 1 to 9999 come along."""
    return database.with_options(codec_options=AS_STORED)
