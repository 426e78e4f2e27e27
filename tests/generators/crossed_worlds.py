"""Worlds whose composite keys share their parts: every tenant has a ticket 1, and every ticket may have items."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.types import Type
from tests.generators.worlds import World

NUMBER, TEXT = Type.parse("integer"), Type.parse("text")


@st.composite
def crossed_worlds(draw: st.DrawFn) -> World:
    """All combinations of a few tenants and numbers as keys; items refer to them, by their own key or another foreign key."""
    is_identifying = draw(st.booleans())
    ticket = Entity("ticket", (*map(_number, ("tenant", "no")), Attribute("title", TEXT)), ("tenant", "no"))
    names = ("id", "of", "ticket_no")
    key = ("of", "ticket_no", "id") if is_identifying else ("id",)
    item = Entity("item", (*map(_number, names), Attribute("label", TEXT)), key)
    link = Relationship("ticket_item", "ticket", "item", ("tenant", "no"), ("of", "ticket_no"), required=True)
    keys = list(product(range(draw(st.integers(2, 4))), range(draw(st.integers(2, 4)))))
    counts = draw(st.lists(st.integers(0, 2), min_size=len(keys), max_size=len(keys)))
    owners = [owner for owner, count in zip(keys, counts, strict=True) for _ in range(count)]
    rows: dict[str, list[tuple[object, ...]]] = {
        "ticket": [(*each, "t") for each in keys],
        "item": [(number, *owner, "i") for number, owner in enumerate(owners)],
    }
    return World(Model("world", (ticket, item), (link,)), rows, frozenset())


def _number(name: str) -> Attribute:
    return Attribute(name, NUMBER, nullable=False)
