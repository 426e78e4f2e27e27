"""The attributes of which a migration tells null from missing: both designs have a field of its own for each."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.primitives import Form
from nestling.ir.storage.layout import Place
from nestling.ir.storage.stored_nulls import NullsKept
from nestling.ir.types import TypeName


def told_nulls(old: Design, new: Design, *, only_json: bool) -> NullsKept:
    """These attributes by entity; `only_json`: the new documents may be null only where json is."""
    return {
        entity.name: frozenset(
            each.name
            for each in entity.attributes
            if each.nullable
            and (each.type.name is TypeName.JSON or not only_json)
            and all(
                each.name in set(_with_fields(place)) for design in (old, new) for place in design.places[entity.name]
            )
        )
        for entity in new.model.entities
    }


def _with_fields(place: Place) -> Iterator[str]:
    """The attributes for which documents have a field where the rows are; an element of an array is none."""
    if place.copy is not None or place.node.form is Form.SCALARS:
        return
    in_files = {name for split in place.store.collection.splits if split.gridfs for name in split.attributes}
    yield from (each.attribute for each in place.node.stored if each.attribute not in in_files)
