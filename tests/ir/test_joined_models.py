"""Two designs over one model."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.fraction import Fraction
from nestling.ir.joined_models import over_one_model
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.reading import Reading
from nestling.ir.types import INTEGER, Type
from nestling.pipeline import design

AT = Attribute("at", Type.parse("timestamp"))
ENTITY = Entity("t", (Attribute("id", INTEGER, nullable=False), AT), ("id",))


def test_digits_of_a_second_part_no_designs() -> None:
    """A model that was read before they were kept says nothing of them, and stores the same."""
    finer = replace(ENTITY, attributes=(ENTITY.attributes[0], replace(AT, fraction=Fraction(0))))
    old, new = (design(Reading(Model("m", (each,))), "normalized").design for each in (ENTITY, finer))
    assert old.model != new.model
    before, after = over_one_model(old, new)
    assert before.model == after.model
