"""Documents before they change: kept by the server for collections that ask for it (6.0 and later)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pymongo.database import Database


def without_images(database: Database[Any], collections: Iterable[str]) -> tuple[str, ...]:
    """The collections for which the server keeps no documents from before changes; omits those that do not exist."""
    names = sorted(set(collections))
    kept = {
        each["name"]: bool(each.get("options", {}).get("changeStreamPreAndPostImages", {}).get("enabled"))
        for each in database.list_collections(filter={"name": {"$in": names}})
    }
    return tuple(name for name in names if not kept.get(name, True))


def keep_images(database: Database[Any], collections: Iterable[str]) -> tuple[str, ...]:
    """Have the server keep them from now on; returns the collections this changed.

    Every update and delete then also writes the document as it was, to a collection of the server's own.
    """
    changed = without_images(database, collections)
    for name in changed:
        database.command("collMod", name, changeStreamPreAndPostImages={"enabled": True})
    return changed
