"""The attributes of which a migration tells more than SQL does: what is null or missing, and in which form a value is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nestling.ir.design import Design
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.model import AttributeName
from nestling.ir.once import once
from nestling.ir.primitives import Form
from nestling.ir.statements.clause import ClauseOperator
from nestling.ir.storage.layout import Place
from nestling.ir.storage.stored_forms import AttributesOf, KeptForms
from nestling.ir.storage.stored_names import stored_names
from nestling.ir.types import TypeName


def kept_forms(old: Design, new: Design, *, only_json: bool) -> KeptForms:
    """The stored forms that both designs have a field of their own for.

    `only_json`: the new documents may be null only where JSON is stored, and never where a unique index treats null as a value.
    """
    unique = unique_where_present(new)
    may_be_null = {
        entity.name: frozenset(
            each.name
            for each in entity.attributes
            if each.nullable
            and (each.type.name is TypeName.JSON or not only_json)
            and (entity.name, each.name) not in unique
        )
        for entity in new.model.entities
    }
    fields = _held(old, new, _with_fields)
    return KeptForms({name: fields[name] & may_be_null[name] for name in fields}, _held(old, new, _with_values))


@once
def unique_where_present(design: Design) -> frozenset[AttributeName]:
    """What a unique index of some documents wants there: it holds those with null too, and refuses the second."""
    return frozenset(_unique_where_present(design))


def _unique_where_present(design: Design) -> Iterator[AttributeName]:
    for index in planned_indexes(design):
        if index.unique and index.partial:
            present = {each.name for each in index.partial if each.comparison is ClauseOperator.PRESENT}
            stored = stored_names(design.model, design.store(index.collection))
            yield from (attribute for path, attribute in stored if path in present)


def _held(old: Design, new: Design, held: Callable[[Place], Iterator[str]]) -> AttributesOf:
    """The attributes that are held at every place of an entity, in both designs."""
    return {
        entity.name: frozenset(entity.attribute_names).intersection(
            *(held(place) for design in (old, new) for place in design.places[entity.name])
        )
        for entity in new.model.entities
    }


def _with_fields(place: Place) -> Iterator[str]:
    """The attributes for which documents have a field where the rows are; an element of an array is none."""
    if place.copy is None and place.node.form is not Form.SCALARS:
        yield from _outside_files(place)


def _with_values(place: Place) -> Iterator[str]:
    """The attributes whose values documents hold where the rows are, elements of arrays and pairs among them."""
    if place.copy is None:
        yield from _outside_files(place)
        yield from (name for pairs in place.node.body.pairs for name in pairs.attributes)


def _outside_files(place: Place) -> Iterator[str]:
    in_files = {name for split in place.store.collection.splits if split.gridfs for name in split.attributes}
    yield from (each.attribute for each in place.node.stored if each.attribute not in in_files)
