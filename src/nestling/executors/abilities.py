"""What the connected server can do: its version, and whether it keeps a history of changes."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

Version = tuple[int, ...]


def server_version(database: Database[Any]) -> Version:
    """The server's version: major, minor, patch."""
    return tuple(database.client.server_info()["versionArray"][:3])


def has_history(database: Database[Any]) -> bool:
    """Whether the server has change streams and snapshot reads: it is part of a replica set or a sharded cluster."""
    said = database.client.admin.command("hello")
    return "setName" in said or said.get("msg") == "isdbgrid"


def capped_collections(database: Database[Any]) -> frozenset[str]:
    """The capped collections, which never support snapshot reads."""
    return frozenset(database.list_collection_names(filter={"options.capped": True}))
