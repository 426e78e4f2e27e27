"""A database as all that reads and writes documents of ours is to see it, whatever the client it is of was made for.

A client without options refuses UUIDs, and gives those of documents as bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from nestling.ir.codec import CODEC

if TYPE_CHECKING:
    from pymongo.asynchronous.database import AsyncDatabase
    from pymongo.database import Database

Driver = TypeVar("Driver", "Database[Any]", "AsyncDatabase[Any]")


def exact(database: Driver) -> Driver:
    """The database, whose values are encoded and decoded as ours."""
    return database.with_options(codec_options=CODEC)
