"""Where two models differ, in words."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.constraints.allowed import Allowed
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import FLOAT, INTEGER
from nestling.ir.words.model_words import difference, is_renamed

ENTITY = Entity("member", (Attribute("id", INTEGER, nullable=False), Attribute("balance", FLOAT)), ("id",))
MODEL = Model("club", (ENTITY,))


def changed(entity: Entity) -> Model:
    """The model with another member."""
    return replace(MODEL, entities=(entity,))


def test_the_first_difference_is_named() -> None:
    """A name, an attribute and its types, a key."""
    assert difference(MODEL, MODEL) == ""
    assert difference(MODEL, replace(MODEL, name="big")) == "the old model is called `club`, the new one `big`"
    assert is_renamed(MODEL, replace(MODEL, name="big"))
    assert not is_renamed(MODEL, Model("big", ()))
    assert difference(MODEL, Model("big", ())) == "entity `member` is only in the old model"
    also = replace(ENTITY.attributes[1], also=(INTEGER,))
    assert difference(MODEL, changed(replace(ENTITY, attributes=(ENTITY.attributes[0], also)))) == (
        "`member.balance` was float and is now float (also integer)"
    )
    checked = replace(ENTITY.attributes[1], allowed=Allowed(minimum=0))
    assert difference(MODEL, changed(replace(ENTITY, attributes=(ENTITY.attributes[0], checked)))) == (
        "`member.balance` was float and is now float that allows at least 0"
    )
    assert (
        difference(MODEL, changed(replace(ENTITY, key=())))
        == "`member` has a different key or different unique attributes"
    )
    assert difference(MODEL, Model("club", ())) == "entity `member` is only in the old model"
