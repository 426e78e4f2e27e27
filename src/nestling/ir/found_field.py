"""A field of documents that obstructs a migration.

The design does not know it, no value determines the order of its array, it differs from its source, or it is null instead of
missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from nestling.ir.facts.steps import ELEMENT, name_step, steps_text
from nestling.ir.literals import shell
from nestling.ir.quantity_words import counted, cut

FieldSteps: TypeAlias = tuple[str | None, ...]
"""The steps to it: unescaped field names, which may contain dots or be empty, and None for array elements."""


@dataclass(frozen=True, slots=True)
class FoundField:
    """Where the field is, how many documents have it, and the `_id` of one of them.

    `where` says which documents these are, if the design knows the field in others: `kind is not "news"`.
    """

    collection: str
    steps: FieldSteps
    documents: int
    example: object
    where: str = ""

    @property
    def path(self) -> str:
        """For people: `lines[].note`, `"a.b"`, `topic where kind is not "news"`."""
        path = steps_text(tuple(ELEMENT if step is None else name_step(step) for step in self.steps))
        return f"{path} where {self.where}" if self.where else path

    @property
    def field(self) -> str:
        """The path as used in queries, if its names allow that: `lines.note`."""
        return ".".join(names(self.steps))

    def text(self) -> str:
        """`purchase.tracking` in 1 document, such as _id 42."""
        found = counted(self.documents, "document")
        return f"`{self.collection}.{self.path}` in {found}, such as _id {cut(shell(self.example))}"

    def shape(self) -> dict[str, object]:
        """The field in its JSON form."""
        return {
            "collection": self.collection,
            "path": self.path,
            "documents": self.documents,
            "example": self.example,
        }


def steps_of(path: str) -> FieldSteps:
    """The steps of a path of a design, which has names without dots: `lines[].note`."""
    found: list[str | None] = []
    for part in path.split("."):
        name = part.rstrip("[]")
        found += [name, *[None] * part.count("[]")]
    return tuple(found)


def names(steps: FieldSteps) -> tuple[str, ...]:
    """The names of the fields on the way."""
    return tuple(step for step in steps if step is not None)
