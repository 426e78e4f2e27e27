"""What each collection is for, in words."""

from __future__ import annotations

from nestling.common.errors import name_list
from nestling.ir.primitives import CollectionKind
from nestling.ir.storage.layout import Role, StoredCollection


def purpose(store: StoredCollection) -> str:
    """One sentence, without a full stop."""
    collection, root = store.collection, store.roots[0].entity
    match store.role:
        case Role.HOME:
            return _home(store)
        case Role.ORPHANS if store.embedding is not None:
            return f"`{root}` without a parent document to be embedded in (`{store.embedding.relationship}`)"
        case Role.ORPHANS:
            return f"`{root}` that nothing refers to; all others are stored where they are used"
        case Role.PAGES:
            field = store.embedding.field if store.embedding is not None else ""
            return f"the overflow of `{root}` from the array `{field}` in `{collection.name}`, in pages"
        case Role.ARCHIVE:
            rows = store.split.rows if store.split is not None else None
            before = f" whose `{rows.attribute}` is before {rows.value}" if rows is not None else ""
            return f"old `{root}`{before}, as in `{collection.name}`"
        case Role.PART:
            names = ", ".join(store.split.attributes) if store.split is not None else ""
            return f"attributes of `{root}` stored separately from `{collection.name}`, under the same `_id`: {names}"


def _home(store: StoredCollection) -> str:
    collection, kind = store.collection, store.options.kind
    entities = name_list(root.entity for root in store.roots)
    what = f"home of {entities}"
    if collection.bucket is not None:
        window = f" and {collection.bucket.window.unit}" if collection.bucket.window is not None else ""
        by = ", ".join(collection.bucket.by)
        what += f", in buckets of up to {collection.bucket.limit:,} by {by}{window}"
    return what if kind is CollectionKind.PLAIN else f"{what} ({kind} collection)"
