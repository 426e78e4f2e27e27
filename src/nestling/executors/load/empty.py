"""Collections that are loaded again after an interruption, and documents lost by a capped one."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.common.errors import LoadError, Problem
from nestling.ir.codec import CODEC
from nestling.ir.primitives import CollectionKind
from nestling.ir.storage.layout import StoredCollection


def empty(database: Database[Any], name: str) -> None:
    """Drop a collection and create it again with its options: neither time series nor capped ones delete at will."""
    found = next(iter(database.list_collections(filter={"name": name})), None)
    if found is None:
        return
    if database[name].find_one() is not None:
        database.drop_collection(name)
        database.command("create", name, **found["options"], codec_options=CODEC)


def check_kept(database: Database[Any], store: StoredCollection, written: int) -> None:
    """Raise `LoadError` if a capped collection was too small for its documents."""
    if store.options.kind is not CollectionKind.CAPPED:
        return
    kept = database[store.name].count_documents({})
    if kept < written:
        what = (
            f"the capped collection of {store.options.size_bytes:,} bytes holds only {kept:,} of {written:,} documents"
        )
        raise LoadError(Problem(what, where=store.name, next_move="make it larger (`size_bytes`), or load fewer rows"))
