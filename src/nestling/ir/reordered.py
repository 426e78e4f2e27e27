"""An array whose elements are in an order that nothing in them tells, so that no row keeps it and a migration loses it."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.literals import shell
from nestling.ir.quantity_words import counted, cut

LOST = "is in an order that none of its values tell: it would be lost"


@dataclass(frozen=True, slots=True)
class Reordered:
    """Where it is (`lines[].notes`: in elements of an array), in how many documents, and the least `_id` of them."""

    collection: str
    path: str
    documents: int
    example: object

    def text(self) -> str:
        """`posts.steps` in 500 documents, such as _id 0, is in an order that none of its values tell: it would be lost."""
        found = counted(self.documents, "document")
        return f"`{self.collection}.{self.path}` in {found}, such as _id {cut(shell(self.example))}, {LOST}"
