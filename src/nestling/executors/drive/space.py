"""Bytes: on disk, in the server's cache, and left on the disk the server works on."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.common.errors import LoadError, Problem
from nestling.ir.proof import Space
from nestling.ir.quantity_words import size

LEAST_CACHE_BYTES = 4 * 1024 * 1024
"""A cache below this makes the server wait for itself."""
SPARE_BYTES = 256 * 1024 * 1024
"""What the server's journal and the machine need besides."""


def stored_space(database: Database[Any]) -> Space:
    """Bytes on disk, after everything has been written there."""
    with suppress(OperationFailure):
        database.client.admin.command("fsync")
    stats = database.command("dbStats")
    return Space(int(stats.get("storageSize", 0)), int(stats.get("indexSize", 0)))


def memory_bytes(database: Database[Any]) -> float:
    """Bytes its documents and indexes would take in memory."""
    stats = database.command("dbStats")
    return float(stats.get("dataSize", 0)) + float(stats.get("indexSize", 0))


def cached_bytes(database: Database[Any]) -> int:
    """Bytes of its collections and their indexes in the server's cache, now."""
    return sum(_cached(database, name) for name in database.list_collection_names())


def _cached(database: Database[Any], collection: str) -> int:
    name = "bytes currently in the cache"
    with suppress(OperationFailure):
        stats = database.command("collStats", collection, indexDetails=True)
        indexes = stats.get("indexDetails", {}).values()
        inside = [stats.get("wiredTiger", {}), *indexes]
        return int(sum(each.get("cache", {}).get(name, 0) for each in inside))
    return 0


def bound_cache(database: Database[Any], size_bytes: int) -> int:
    """Give the server that much cache and no more; the bytes it has then."""
    size = max(size_bytes, LEAST_CACHE_BYTES)
    database.client.admin.command("setParameter", 1, wiredTigerEngineRuntimeConfig=f"cache_size={size}")
    return size


def check_room(database: Database[Any], needed_bytes: float, what: str) -> None:
    """Raise `LoadError` when the server's disk has no room for that many bytes more; nothing where it does not say."""
    stats: dict[str, Any] = {}
    with suppress(OperationFailure):
        stats = database.client.admin.command("dbStats")  # of a database that is there: of others no disk is told
    if not stats.get("fsTotalSize"):
        return
    free = float(stats["fsTotalSize"]) - float(stats["fsUsedSize"]) - SPARE_BYTES
    if needed_bytes > free:
        move = "free some space, measure fewer rivals, or generate less data with --scale"
        text = (
            f"{what} needs about {size(needed_bytes)}, but the server's disk has only {size(max(free, 0.0))} to spare"
        )
        raise LoadError(Problem(text, next_move=move))
