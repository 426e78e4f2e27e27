"""Which attributes the source computes again when others of a row change."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from nestling.ir.constraints.defaults import ComputedAttribute
from nestling.ir.model import Attribute, Entity


def computed_of(entity: Entity, changed: Collection[str]) -> Iterator[Attribute]:
    """The computed attributes that change with others, those they are computed of first."""
    changing = set(changed)
    for attribute in entity.attributes:
        if isinstance(attribute.default, ComputedAttribute) and mentions(attribute, changing):
            changing.add(attribute.name)
            yield attribute


def mentions(attribute: Attribute, names: Collection[str]) -> bool:
    """Whether a computed attribute's expression has one of the names in it, or the same as a word in a text."""
    assert isinstance(attribute.default, ComputedAttribute)
    words = "|".join(map(re.escape, names))
    return bool(names) and re.search(rf"(?<!\w)(?:{words})(?!\w)", attribute.default.sql, re.IGNORECASE) is not None
