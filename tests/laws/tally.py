"""Counts of what a law was tried on: verdicts, primitives, constructs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from nestling.ir.design import Design
from nestling.ir.primitives import Holder
from nestling.ir.storage.layout import Role, every_document

Counts = Counter[tuple[str, str]]
"""By (table, what is counted)."""


def primitives(design: Design) -> set[str]:
    """What a design is made of, in words."""
    found = {f"collection: {store.options.kind}" for store in design.stores}
    found |= {"index" for _ in design.indexes}
    found |= {f"collection of {store.role}" for store in design.stores if store.role is not Role.HOME}
    for collection in design.collections:
        found |= set(_of_collection(collection))
    for body in every_document(design.collections):
        found |= {f"embedding: {each.form}" for each in body.embeddings}
        found |= {"slots" for each in body.embeddings if each.slots is not None}
        found |= {"overflow" for each in body.embeddings if each.overflow is not None}
        found |= {_reference(each.holder, bool(each.copied)) for each in body.references}
        for copy in body.copies:
            kind = "home" if copy.home else "ancestors" if copy.closure else "newest" if copy.limit else "copy"
            found.add(f"{kind}: {copy.form}")
        found |= {f"computed: {each.function}" for each in body.computed}
        found |= {"pairs" for _ in body.pairs}
    return found


def _of_collection(collection: object) -> Iterator[str]:
    from nestling.ir.primitives import Collection

    assert isinstance(collection, Collection)
    if collection.bucket is not None:
        yield "bucket with a window" if collection.bucket.window is not None else "bucket"
        yield from ("summary" for _ in collection.bucket.summary)
    if collection.variant is not None:
        yield from ("members" for _ in collection.variant.members)
        yield from ("subtypes" for _ in collection.variant.subtypes)
    for split in collection.splits:
        yield "split: rows" if split.rows is not None else "split: files" if split.gridfs else "split: attributes"
    if collection.constants:
        yield "constants"


def _reference(holder: Holder, copied: bool) -> str:
    return f"reference: {holder}" + (" with copies" if copied else "")


def lines(counts: Mapping[tuple[str, str], int], *, whole: bool = True) -> Iterator[str]:
    """The tables, the most frequent first; not `whole`: those of verdicts alone."""
    for table in sorted({table for table, _ in counts if whole or table in ("rounds", "statements", "writes")}):
        rows = sorted(
            ((name, count) for (of, name), count in counts.items() if of == table), key=lambda row: (-row[1], row[0])
        )
        yield f"{table}:"
        yield from (f"  {count:7}  {name}" for name, count in rows)
