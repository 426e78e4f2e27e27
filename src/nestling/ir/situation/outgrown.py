"""Documents of a design that fit today, and do not with the growth expected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.quantity_words import size
from nestling.ir.situation.situation import Situation
from nestling.ir.statistics import Origin, Quantity, Statistics
from nestling.ir.storage.bounds import node_bytes
from nestling.ir.storage.layout import Role

_BEGINNING, _BOUND = "a document of `", "; the bound is "


def is_outgrown(note: str) -> bool:
    """Whether a note of a design is about such a document."""
    return note.startswith(_BEGINNING) and _BOUND in note


def outgrown(design: Design, situation: Situation) -> Iterator[str]:
    """A sentence for each collection with a document that passes the document bound within the time growth is projected for."""
    bound, then = situation.requirements.document_bound_bytes, _with_growth(situation)
    for store in design.stores if situation.fan_outs else ():
        for root in store.roots if store.role is Role.HOME else ():
            files = frozenset(name for split in store.collection.splits if split.gridfs for name in split.attributes)
            if (reached := node_bytes(root, then, elsewhere=files)) > bound:
                growth = next(iter(situation.fan_outs.values())).with_growth
                yield f"{_BEGINNING}{store.name}` reaches {size(reached)} {growth}{_BOUND}{size(bound)}"


def _with_growth(situation: Situation) -> Statistics:
    """The statistics with as many children of one parent as are expected."""
    known = situation.statistics
    expected = {link.name: situation.elements_expected(link) for link in situation.model.relationships}
    links = tuple(
        (name, replace(known.relationship(name), maximum=Quantity(most, Origin.INFERRED)))
        for name, most in expected.items()
    )
    return replace(known, relationships=links)
