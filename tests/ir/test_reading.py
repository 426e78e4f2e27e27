"""Gaps in words: what is lacking, where, and who lacks it."""

from __future__ import annotations

import pytest

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.reading import FoundGap, Gap, GapKind
from nestling.ir.types import Type
from nestling.pipeline import convert


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (GapKind.NOTIMPL, "1:8: a trigger (nestling does not convert this)"),
        (GapKind.NOTYET, "1:8: a trigger (this server version does not support it)"),
        (GapKind.NEVER, "1:8: a trigger (MongoDB cannot)"),
        (GapKind.INPUT, "1:8: a trigger"),
    ],
)
def test_who_lacks_it_is_said_in_words(kind: GapKind, said: str) -> None:
    """The kind's own name is for programs."""
    gap = Gap(kind, "a trigger", "1:8")
    assert str(gap) == said
    assert str(FoundGap(gap)) == said


def test_the_server_is_not_blamed_for_what_nestling_lacks() -> None:
    """Bitwise operators and the text of a UUID are there in newer servers, and not in what is compiled."""
    attributes = (Attribute("id", Type.parse("integer")), Attribute("label", Type.parse("uuid")))
    model = Model("shop", (Entity("item", attributes, ("id",)),))
    proposal = Proposal("", Design(model, (Collection("item", Document("item"), ("id",)),)))
    for sql in ("SELECT id & 3 FROM item", "SELECT label || 'x' FROM item"):
        made = convert(proposal, sql)
        assert isinstance(made, NotCompiled)
        assert made.gap.kind is GapKind.NOTIMPL
