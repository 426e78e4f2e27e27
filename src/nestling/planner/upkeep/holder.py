"""The documents that hold a derived value: read row by row, and found again to change them.

A holder is identified by its root document's `_id` and, for each array on the way down, by the key of the row there: `locators`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from nestling.ir.design import Design
from nestling.ir.paths.access_path import FieldPath, PathExpression
from nestling.ir.paths.row_steps import Layout
from nestling.ir.paths.write_path import Cell, Constant, ElementFilter, FieldMatch, Test
from nestling.ir.primitives import Form
from nestling.ir.statements.expression import ANY, Column
from nestling.ir.storage.layout import Node, NodeKind, Place
from nestling.ir.storage.names import join
from nestling.ir.types import Type
from nestling.planner.homes.attribute import path_to
from nestling.planner.homes.place import documents_at
from nestling.planner.reads.rows import Lowered, LoweringContext, PlacedScan
from nestling.planner.reads.scan import identity_paths, top_fields, with_attributes
from nestling.planner.upkeep.source import HOLDER

ID = "id"


@dataclass(frozen=True, slots=True)
class Locator:
    """A field that helps to tell an element of the array at `level` of a place; `path` is relative to the element."""

    level: int
    path: str
    column: str
    type: Type = ANY


def holder_rows(place: Place, columns: Sequence[Column], context: LoweringContext) -> Lowered:
    """The rows at the place with some of their attributes; the documents still are the collection's."""
    rows = Lowered(documents_at(place), Layout(), top_fields(place.store), {HOLDER: PlacedScan(place)})
    return replace(with_attributes(rows, place, tuple(columns), context), identity=identity_paths(place))


def locators(design: Design, place: Place) -> tuple[Locator, ...]:
    """What identifies the elements on the way down to a place.

    The stored parts of their keys, or everything stored if there are none.
    """
    return tuple(
        Locator(level, path, f"at {level} {number}", kind)
        for level, node in enumerate(place.nodes)
        if is_array(node)
        for number, (path, kind) in enumerate(_telling(design, place, level))
    )


def is_array(node: Node) -> bool:
    """Whether the node's rows are elements of an array."""
    return node.kind is not NodeKind.GROUP and node.form.to_many


def _telling(design: Design, place: Place, level: int) -> Iterator[tuple[str, Type]]:
    """A key that follows from the rows above leaves nothing to tell: then one row at most is there, told by all it stores."""
    node = place.nodes[level]
    entity = design.model.entity(node.entity)
    own = [field for field in node.stored if field.attribute in entity.key]
    yield from ((field.path, entity.attribute(field.attribute).type) for field in own or node.stored)
    if not own:
        yield from ((pairs.field, ANY) for pairs in node.body.pairs)


def reasons(design: Design, place: Place, attributes: Sequence[str]) -> tuple[Locator, ...]:
    """The stored attributes that say what a holder must hold, relative to its element of the last array (or its document).

    Two elements may have one key, though they should not: each is changed by what it refers to itself.
    """
    last = max((level for level, node in enumerate(place.nodes) if is_array(node)), default=0)
    below = join(*(node.field for node in place.nodes[last + 1 :]))
    entity = design.model.entity(place.node.entity)
    return tuple(
        Locator(last, join(below, field.path), f"by {number}", entity.attribute(field.attribute).type)
        for number, field in enumerate(place.node.stored)
        if field.attribute in attributes and field.attribute not in entity.key
    )


def locating(place: Place, found: Sequence[Locator]) -> tuple[tuple[str, PathExpression, Type], ...]:
    """The columns that tell a holder: name, value, type."""
    paths = ((each.column, FieldPath(join(path_to(place, each.level), each.path)), each.type) for each in found)
    return ((ID, FieldPath("_id"), ANY), *paths)


def changed_path(place: Place, found: Sequence[Locator]) -> str:
    """The path to a holder as updates name it, `$[e2]` for the elements at level 2."""
    path, told = "", {each.name for each in element_filters(place, found)}
    for level, node in enumerate(place.nodes):
        path = join(path, node.field)
        if is_array(node):
            path += f".$[e{level}]" if f"e{level}" in told else ".$[]"
    return path


def element_filters(place: Place, found: Sequence[Locator]) -> tuple[ElementFilter, ...]:
    """What `$[e2]` stands for: the elements whose locators are those of the current row, or through which the path leads on."""
    filters = []
    for level, node in enumerate(place.nodes):
        if is_array(node):
            matches = tuple(FieldMatch(each.path, Cell(each.column)) for each in found if each.level == level)
            matches += slot_taken(node) if matches else on_the_way(place.nodes[level + 1 :])
            filters += [ElementFilter(f"e{level}", matches)] if matches else []
    return tuple(filters)


def on_the_way(below: Sequence[Node]) -> tuple[FieldMatch, ...]:
    """The condition that an element has the objects on a path: the server refuses to look for an array in an absent one."""
    path, last = "", ""
    for node in takewhile(lambda each: not is_array(each), below):
        path = join(path, node.field)
        last = path if node.form is Form.OBJECT and node.field else last
    return (FieldMatch(last, Constant(None), Test.NOT_EQUAL),) if last else ()


def slot_taken(node: Node) -> tuple[FieldMatch, ...]:
    """The condition that a slot of an array holds a row."""
    has_places = node.embedding is not None and node.embedding.slots is not None
    return (FieldMatch("", Constant(None), Test.NOT_EQUAL),) if has_places else ()
