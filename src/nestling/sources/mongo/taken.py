"""Fields that were taken for copies, counts or ids of other rows: where they are, and what all documents say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from nestling.ir.facts import ELEMENT, OUT_OF_TIME, steps_text
from nestling.ir.facts.structure import FieldPlace
from nestling.ir.literals import shell
from nestling.ir.quantity_words import counted, cut
from nestling.ir.reading import Gap, GapKind

_AS_ATTRIBUTE = "give `{holder}` an attribute for it in the model file and the design file"
_AS_ENTITY = "make it an entity that `{holder}` embeds, in the model file and the design file"


_COINCIDENCE = "a stale copy or a coincidence; it is treated as independent data"


@dataclass(frozen=True, slots=True)
class FieldComparison:
    """What was found in all documents that may hold a field: in so many it differs, such as in that with the `_id` of `example`.

    `why` it could not be compared; it then counts as differing. Not `is_whole`: it differs in more, perhaps, of more documents.
    """

    documents: int
    differing: int = 0
    example: object = None
    why: str = ""
    is_whole: bool = True

    @property
    def is_late(self) -> bool:
        """Whether there was no time to compare it."""
        return OUT_OF_TIME in self.why

    @property
    def is_equal(self) -> bool:
        """Whether the field holds nothing but what it follows from."""
        return not self.differing and not self.why


@dataclass(frozen=True, slots=True)
class DerivedField:
    """A field of an entity's documents that was taken for one which follows from others, at these steps of a collection.

    `of` says from what; `section` of the design names it, and `is_value` where an attribute could hold it.
    """

    place: FieldPlace
    holder: str
    of: str
    section: str
    is_value: bool

    @property
    def name(self) -> str:
        """The field as people write it."""
        collection, steps = self.place
        return f"{collection}.{steps_text(steps[:-1] if steps[-1] == ELEMENT else steps)}"

    def text(self, compared: FieldComparison) -> str:
        """What a person should know about the field, and may do about it."""
        name = f"`{self.name}`"
        if compared.why:
            return f"{name} looks like {self.of}, but could not be compared ({compared.why}): it is treated as independent data"
        among = counted(compared.documents, "document")
        if compared.differing and not compared.is_whole:
            differing = (
                f"at least {counted(compared.differing, 'document')}, such as _id {cut(shell(compared.example))}"
            )
            return f"{name} is {self.of}, but differs or has no such source in {differing}: {_COINCIDENCE}"
        if compared.differing:
            differing = f"{compared.differing:,} of {among}, such as _id {cut(shell(compared.example))}"
            return f"{name} is {self.of}, but differs or has no such source in {differing}: {_COINCIDENCE}"
        move = (_AS_ATTRIBUTE if self.is_value else _AS_ENTITY).format(holder=self.holder)
        return (
            f"{name} is {self.of}, in all of {among}: taken for a copy, which `sync` and `check --repair` maintain and `migrate`"
            f" derives again. To keep it as independent data, {move}, and remove it from `{self.section}` of the design"
        )


Fields: TypeAlias = Mapping[tuple[str, str], DerivedField]
"""What was taken, by the entity whose documents hold it and by where in them it is."""
Verdicts: TypeAlias = Mapping[DerivedField, FieldComparison]
"""What comparing said."""


def own_data(compared: Verdicts) -> frozenset[FieldPlace]:
    """The places that were compared and are not copies."""
    return frozenset(each.place for each, found in compared.items() if not found.is_equal)


def notes_of(compared: Verdicts) -> Iterator[str]:
    """Notes on what was found about each field that there was time for."""
    return (each.text(found) for each, found in compared.items() if not found.is_late)


def late(compared: Verdicts) -> Iterator[Gap]:
    """Gaps for the fields that there was no time for."""
    return (Gap(GapKind.INPUT, each.text(found), each.holder) for each, found in compared.items() if found.is_late)
