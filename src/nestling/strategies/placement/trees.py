"""Indexes over the rows above each row of a tree."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Lineage
from nestling.ir.model import Entity
from nestling.ir.outline import Outline
from nestling.ir.primitives import Copy, Form, Index
from nestling.ir.situation.situation import Situation
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join


def of_trees(situation: Situation, outline: Outline, entity: Entity, place: Place) -> Iterator[Index]:
    """The index that finds the rows below a row of a tree by the ancestors of each."""
    for part in outline.kept:
        if isinstance(part, Lineage) and part.indexed and _is_about(situation, part, entity.name):
            copy = next(each for each in place.node.body.copies if each.closure and _holds(each, part))
            key = copy.attributes[0].path if copy.form is Form.ARRAY else ""
            yield Index(place.store.name, ((join(place.path, copy.name, key), 1),))


def _is_about(situation: Situation, part: Lineage, entity: str) -> bool:
    return situation.model.relationship(part.relationship).child == entity


def _holds(copy: Copy, part: Lineage) -> bool:
    attributes = tuple(field.attribute for field in copy.attributes)
    return copy.path[0].relationship == part.relationship and attributes == part.attributes
