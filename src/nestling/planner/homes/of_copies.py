"""Rows of an entity whose home is copies of it: what a child's document tells about its parent."""

from __future__ import annotations

from nestling.common.errors import DesignError, Problem
from nestling.ir.design import Design
from nestling.ir.paths.access_path import FieldHasValue, FieldPath, Predicate
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join
from nestling.ir.types import TypeName
from nestling.planner.homes.attribute import AttributeAccess, amended, attribute_at


def attribute_of_copy(design: Design, place: Place, attribute: str) -> AttributeAccess:
    """The value of an attribute of the copied row: its copy, or the child's foreign key that refers to it."""
    copy = _copy(place)
    field = next((field for field in copy.attributes if field.attribute == attribute), None)
    link = design.model.relationship(copy.path[0].relationship)
    if field is not None:
        return amended(design, link.parent, attribute, AttributeAccess(FieldPath(_path(place, copy, field))))
    if attribute not in link.parent_attributes:
        what = f"`{attribute}` of `{link.parent}` is not among what `{copy.name}` copies in `{place.store.name}`"
        raise DesignError(Problem(what=what))
    child_attribute = link.child_attributes[link.parent_attributes.index(attribute)]
    return attribute_at(design, place, len(place.nodes) - 1, child_attribute)


def copied_row_exists(design: Design, place: Place) -> Predicate | None:
    """The condition that a document holds a copied row; None if every document does.

    For inline fields it tests one that cannot be NULL: a key attribute, or a NOT NULL one.
    """
    copy = _copy(place)
    if copy.form is not Form.INLINE:
        return FieldHasValue(join(place.path, copy.name))
    link = design.model.relationship(copy.path[0].relationship)
    parent = design.model.entity(link.parent)
    for field in copy.attributes:
        attribute = parent.attribute(field.attribute)
        if attribute.type.name is not TypeName.JSON and (attribute.name in parent.key or not attribute.nullable):
            return FieldHasValue(_path(place, copy, field))
    if design.model.is_total(link):
        return None
    what = f"nothing shows whether a document of `{place.store.name}` holds the inline copy `{copy.name}`"
    raise DesignError(Problem(what=what, next_move="copy its key or another NOT NULL attribute, or make it an object"))


def _copy(place: Place) -> Copy:
    assert place.copy is not None
    return place.copy


def _path(place: Place, copy: Copy, field: Field) -> str:
    return join(place.path, "" if copy.form is Form.INLINE else copy.name, field.path)
