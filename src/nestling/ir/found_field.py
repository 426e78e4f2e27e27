"""A field of documents that is in a migration's way: the design does not know it, its array's order is told by no value, it
differs from what it follows from, or it is null where it should be missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.literals import shell
from nestling.ir.quantity_words import counted, cut


@dataclass(frozen=True, slots=True)
class FoundField:
    """Where it is (`lines[].note`: in elements of an array), how many documents it is found in, and an `_id` of theirs."""

    collection: str
    path: str
    documents: int
    example: object

    def text(self) -> str:
        """`purchase.tracking` in 1 document, such as _id 42."""
        found = counted(self.documents, "document")
        return f"`{self.collection}.{self.path}` in {found}, such as _id {cut(shell(self.example))}"
