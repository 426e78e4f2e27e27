"""What the connected server can do: its version, and whether it is one of several that keep a history."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

Version = tuple[int, ...]


def server_version(database: Database[Any]) -> Version:
    """The server's version: major, minor, patch."""
    return tuple(database.client.server_info()["versionArray"][:3])


def has_history(database: Database[Any]) -> bool:
    """Whether the server can tell of changes and read as of one moment: it is part of a replica set or a sharded cluster."""
    said = database.client.admin.command("hello")
    return "setName" in said or said.get("msg") == "isdbgrid"


def capped_collections(database: Database[Any]) -> frozenset[str]:
    """Those that cannot be read as of one moment, wherever they are."""
    return frozenset(database.list_collection_names(filter={"options.capped": True}))
