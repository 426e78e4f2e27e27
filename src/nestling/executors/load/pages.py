"""Overflow: rows beyond an array's bound go to page documents in a separate collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nestling.executors.load.document_code import AnyRow, NewDocument, merge, nested
from nestling.executors.load.level import RowLayout
from nestling.executors.load.merge import Merge
from nestling.ir.primitives import Embedding
from nestling.ir.rows import RowColumn
from nestling.ir.storage.names import stored_name

FIRST_PAGE = 2  # the array in the parent is page 1


def page_writer(work: Merge, embedding: Embedding, layout: RowLayout) -> Callable[[AnyRow, list[Any]], None]:
    """The function that stores the pages of one parent, given one of its rows and all its elements."""
    overflow = embedding.overflow
    assert overflow is not None
    bound, collection, field = overflow.bound, overflow.collection, embedding.field
    link = work.model.relationship(embedding.relationship)
    child = work.model.entity(link.child)
    keys = [
        (stored_name(name), layout[RowColumn(name)], work.values.encoder(child.name, child.attribute(name)))
        for name in link.child_attributes
    ]

    def write(row: AnyRow, elements: list[Any]) -> None:
        owner = {name: encode(row[place]) for name, place, encode in keys}
        for number, start in enumerate(range(bound, len(elements), bound), FIRST_PAGE):
            page: NewDocument = {"_id": {**owner, "page": number}, **owner, "page": number}
            merge(page, nested(field, elements[start : start + bound]))
            work.side.append((collection, page))

    return write
