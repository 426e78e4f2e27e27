"""Holders found by what links them, in one command and without reading them first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.paths.write_path import (
    Constant,
    DocumentChange,
    ElementFilter,
    FieldMatch,
    Items,
    Test,
    UpdateDocuments,
    WrittenValue,
)
from nestling.ir.primitives import Form
from nestling.ir.storage.layout import NodeKind, Place
from nestling.ir.storage.names import join
from nestling.planner.homes.attribute import path_to
from nestling.planner.upkeep.holder import is_array

_ELEMENT = "holder"


@dataclass(frozen=True, slots=True)
class HolderTarget:
    """Documents of a collection, and the path in them to the holders."""

    collection: str
    where: tuple[FieldMatch, ...]
    path: str
    filters: tuple[ElementFilter, ...]
    many: bool

    def update(self, *changes: DocumentChange) -> UpdateDocuments:
        """The command; paths of the changes begin with `path`."""
        return UpdateDocuments(self.collection, self.where, changes, self.filters, many=self.many)


def target_of(design: Design, place: Place, values: Mapping[str, WrittenValue], *, many: bool) -> HolderTarget | None:
    """The holders whose attributes have these values; None where that is more than comparing stored fields.

    NULL links nothing: a missing value is among no values, so it finds nobody. Values of different elements of an array may
    meet the conditions on a document, so with more than one of them the first such document need not be the holder's.
    """
    arrays = [level for level, node in enumerate(place.nodes) if is_array(node)]
    if len(arrays) > 1:
        return None
    array = arrays[0] if arrays else len(place.nodes)
    where, inside = _presence(place, array)
    told = 0
    for name, value in values.items():
        found = place.stored(name)
        if found is None or design.model.entity(place.node.entity).attribute(name).also:
            return None
        level, path = found
        whole = join(path_to(place, level), path)
        where.append(FieldMatch(whole, Items((value,)), Test.IN))
        if level >= array:
            inside.append(FieldMatch(_below(place, array, level, path), Items((value,)), Test.IN))
            told += 1
    if array == len(place.nodes):
        return HolderTarget(place.store.name, tuple(where), place.path, (), many)
    if not inside:
        return None
    at = join(f"{path_to(place, array)}.$[{_ELEMENT}]", *(node.field for node in place.nodes[array + 1 :]))
    return HolderTarget(place.store.name, tuple(where), at, (ElementFilter(_ELEMENT, tuple(inside)),), many or told > 1)


def _presence(place: Place, array: int) -> tuple[list[FieldMatch], list[FieldMatch]]:
    """What tells that the rows are there: on the document, and inside the array's elements."""
    where: list[FieldMatch] = []
    inside: list[FieldMatch] = []
    for level, node in enumerate(place.nodes):
        if node.presence is not None:
            where.append(FieldMatch(node.presence.path, Constant(node.presence.value)))
        if node.kind is NodeKind.EMBEDDED and node.form is Form.OBJECT and node.field:
            if level < array:
                where.append(FieldMatch(path_to(place, level), Constant(None), Test.NOT_EQUAL))
            else:
                inside.append(FieldMatch(_below(place, array, level, ""), Constant(None), Test.NOT_EQUAL))
    return where, inside


def _below(place: Place, array: int, level: int, path: str) -> str:
    """A path as seen from the array's elements."""
    return join(*(node.field for node in place.nodes[array + 1 : level + 1]), path)
