"""Where a design keeps the checks of rows: at each place of an entity whose documents hold all columns of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.ir.primitives import CollectionKind
from nestling.ir.quantity_words import first_of
from nestling.ir.reading import Gap, GapKind

if TYPE_CHECKING:
    from nestling.ir.constraints.row_check import RowCheck
    from nestling.ir.design import Design
    from nestling.ir.model import Entity
    from nestling.ir.storage.layout import Place, StoredCollection

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class KeptCheck:
    """A check of an entity's rows at a place; `lacking` are its columns that the documents there do not hold."""

    entity: Entity
    check: RowCheck
    place: Place
    lacking: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name of the check in an error."""
        return f"{self.check} of `{self.entity.name}`"


def checks_at(design: Design, store: StoredCollection) -> Iterator[KeptCheck]:
    """The checks of the rows that a collection holds."""
    for entity in design.model.entities:
        for place in design.places.get(entity.name, ()) if entity.checks else ():
            if place.store.name == store.name:
                for check in entity.checks:
                    copied = check.columns if place.copy is not None else ()
                    lacking = copied or tuple(name for name in check.columns if place.stored(name) is None)
                    yield KeptCheck(entity, check, place, lacking)


def check_gaps(design: Design) -> tuple[Gap, ...]:
    """The checks that no validator of a collection can keep."""
    return tuple(
        dict.fromkeys(
            Gap(GapKind.NEVER, _why(each), store.name)
            for store in design.stores
            for each in checks_at(design, store)
            if each.lacking or store.options.kind is CollectionKind.TIME_SERIES
        )
    )


def _why(kept: KeptCheck) -> str:
    move = "the application has to enforce it"
    if not kept.lacking:
        return f"{kept.label}: a time series collection has no validator; {move}"
    named = first_of([f"`{name}`" for name in kept.lacking], _SHOWN)
    return f"{kept.label} compares values of several documents, as {named} is stored elsewhere; {move}"
