"""Where a row is: the documents that hold it, and the path to it with a filter for each array on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from nestling.ir.paths.write_path import (
    Cell,
    Constant,
    ElementFilter,
    FieldMatch,
    Items,
    SubDocument,
    Test,
    WrittenValue,
)
from nestling.ir.primitives import Form
from nestling.ir.storage.layout import Node, NodeKind, Place
from nestling.ir.storage.names import join, stored_name
from nestling.planner.upkeep.holder import on_the_way, slot_taken
from nestling.planner.writes.draft.cells import GIVEN_NULL, ID, Cells
from nestling.planner.writes.places.new_document import pair_fields

Known = tuple[dict[str, WrittenValue], ...]
"""Attribute to value at each level of a place."""


@dataclass(frozen=True, slots=True)
class DocumentAddress:
    """Documents, the path to a node in them, and what its `$[…]` stand for."""

    where: tuple[FieldMatch, ...]
    path: str
    filters: tuple[ElementFilter, ...]


def known_values(place: Place, level: int, values: Mapping[str, WrittenValue]) -> Known:
    """What the values of a row at a level tell of the rows above it, by what is implied."""
    known: list[dict[str, WrittenValue]] = [{} for _ in place.nodes]
    known[level].update(values)
    for at in range(level, -1, -1):
        for implied in place.nodes[at].implied:
            if implied.attribute in known[at]:
                known[at - implied.levels].setdefault(implied.source, known[at][implied.attribute])
    return tuple(known)


def row_address(place: Place, row: Cells) -> DocumentAddress:
    """Where the current row is stored: its document by `id`, the row by what identifies it."""
    level = len(place.nodes) - 1
    known = known_values(place, level, row.of(row.entity.identity))
    return _address((FieldMatch("_id", Cell(ID)),), place, level, known, row)


def parent_address(place: Place, known: Known, *, document: bool) -> DocumentAddress:
    """Where the row above is stored when a row that belongs to it is added; `document`: its document's `_id` is known."""
    level = len(place.nodes) - 2
    where = (FieldMatch("_id", Cell(ID)),) if document else tuple(_where(place, level, known))
    return _address(where, place, level, known, None)


def parent_matches(place: Place, known: Known) -> tuple[FieldMatch, ...]:
    """What tells the document of the row itself, which nobody refers to by NULL."""
    return tuple(_where(place, len(place.nodes) - 1, known))


def is_found_by_values(place: Place, known: Known, *, whole: bool = False) -> bool:
    """Whether plain comparisons find the document of the row above (`whole`: of the row itself): at most one in an array."""
    above = tuple(zip(place.nodes if whole else place.nodes[:-1], known, strict=False))
    told = [name for node, values in above for name in values if node.path_of(name) is not None]
    untold = [
        name
        for node, values in above
        for name in values
        if node.path_of(name) is None and all(item.attribute != name for item in node.implied)
    ]
    in_array = any(node.form.to_many for node, _ in above)
    alone = [at for at, (node, values) in enumerate(above) if _is_untold_array(node, values)]
    are_sure = not any(node.form.to_many for at in alone for node, _ in above[:at])
    return bool(told) and not untold and are_sure and (len(told) == 1 or not in_array)


def whole_identity(place: Place, values: Mapping[str, WrittenValue]) -> FieldMatch | None:
    """The document by its whole `_id`, which its index finds, where all the parts of it are known."""
    root, variant = place.nodes[0], place.store.collection.variant
    parts = place.store.id
    if len(parts) < 2 or root.kind is not NodeKind.ROOT or (variant is not None and variant.members):
        return None
    if any(name not in values or root.path_of(name) != f"_id.{stored_name(name)}" for name in parts):
        return None
    return FieldMatch("_id", SubDocument(tuple((stored_name(name), values[name]) for name in parts)))


def never_null(path: str, value: WrittenValue) -> tuple[FieldMatch, ...]:
    """Beside an equality: a missing value equals nothing, as NULL does in SQL. No `_id` is missing.

    The equality stays: `in` by itself would take a regular expression for a pattern.
    """
    return () if path == "_id" else (FieldMatch(path, Items((value,)), Test.IN),)


def present(place: Place) -> tuple[FieldMatch, ...]:
    """The condition that a document is of this kind; empty if its collection has only one."""
    presence = place.nodes[0].presence
    return (FieldMatch(presence.path, Constant(presence.value)),) if presence is not None else ()


def _where(place: Place, level: int, known: Known) -> list[FieldMatch]:
    found: list[FieldMatch] = [*present(place)]
    identity = whole_identity(place, known[0])
    told = frozenset(place.store.id) if identity is not None else frozenset()
    path = ""
    for at in range(level + 1):
        node = place.nodes[at]
        path = join(path, node.field)
        for name, value in known[at].items():
            if at == 0 and name in told:
                continue
            stored = node.path_of(name)
            if stored is not None:
                found += [FieldMatch(join(path, stored), value), *never_null(join(path, stored), value)]
        if any(each.form.to_many for each in place.nodes[:at]):
            continue
        if node.form is Form.OBJECT and node.field:
            found.append(
                FieldMatch(path, Constant(None), Test.NOT_EQUAL)
            )  # what follows from above tells no absent object
        elif _is_untold_array(node, known[at]):
            found.append(FieldMatch(join(path, "0"), GIVEN_NULL, Test.THERE))  # nor one in an array
    return [identity, *found] if identity is not None else found


def _is_untold_array(node: Node, known: Mapping[str, WrittenValue]) -> bool:
    """Whether it is an array of what nothing in its elements tells: of one at most, whose key is the row's above."""
    return node.form.to_many and node.kind is NodeKind.EMBEDDED and not element_matches(node, known, None)


def _address(
    where: tuple[FieldMatch, ...], place: Place, level: int, known: Known, row: Cells | None
) -> DocumentAddress:
    path, filters = "", list[ElementFilter]()
    for at in range(level + 1):
        node = place.nodes[at]
        path = join(path, node.field)
        if not node.form.to_many or node.kind is NodeKind.GROUP:
            continue
        matches = element_matches(node, known[at], row if at == len(place.nodes) - 1 else None)
        matches += (*_objects_inside(place.nodes[at + 1 : level + 1], known[at + 1 : level + 1]), *slot_taken(node))
        if matches := matches or on_the_way(place.nodes[at + 1 : level + 1]):
            name = f"e{at}"
            path += f".$[{name}]"
            filters.append(ElementFilter(name, matches))
        else:
            path += ".$[]"
    return DocumentAddress(where, path, tuple(filters))


def _objects_inside(nodes: Sequence[Node], known: Known) -> tuple[FieldMatch, ...]:
    """What is known of the objects inside an element, which tells the element too."""
    found: list[FieldMatch] = []
    path = ""
    for node, values in takewhile(lambda each: not each[0].form.to_many, zip(nodes, known, strict=True)):
        path = join(path, node.field)
        found += [FieldMatch(join(path, inner.path), inner.value) for inner in element_matches(node, values, None)]
    return tuple(found)


def element_matches(node: Node, known: Mapping[str, WrittenValue], row: Cells | None) -> tuple[FieldMatch, ...]:
    """The conditions that identify an element of an array; for a row without a key they include its pairs."""
    found = [FieldMatch(path, value) for name, value in known.items() if (path := node.path_of(name)) is not None]
    if row is not None and not row.entity.key:
        return (*found, *(FieldMatch(path, value) for path, value in pair_fields(node, row)))
    return (*found, *_in_pairs(node, known, row))


def _in_pairs(node: Node, known: Mapping[str, WrittenValue], row: Cells | None) -> Iterator[FieldMatch]:
    """The pairs that tell an element: what others refer to it by is there, and so is what its own key never lacks."""
    for pairs in node.body.pairs:
        for name in pairs.attributes:
            if name in known and (row is None or not row.entity.attribute(name).nullable):
                pair = ((pairs.key, Constant(stored_name(name))), (pairs.value, known[name]))
                yield FieldMatch(pairs.field, SubDocument(pair))


def array_address(address: DocumentAddress, node: Node) -> str:
    """The path of the array a row's element lies in, from the address of the row above."""
    return join(address.path, node.field)
