"""Arrays with an overflow: when a row is added or removed, all elements are numbered again, in the array and its pages.

Pages contain what exceeds the bound, in the array's order; so a row added or removed anywhere moves those after it. A new row
waits in a page of its own, number 0, until all get their places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.model import Relationship
from nestling.ir.paths.access_path import CollectionScan, Step, Union, Unwind
from nestling.ir.paths.row_steps import Add, Layout, Shape, Where, Windows
from nestling.ir.paths.write_path import (
    Cell,
    Constant,
    DeleteDocuments,
    Each,
    FieldMatch,
    Items,
    Pull,
    Push,
    Set,
    SubDocument,
    UpdateDocuments,
    WriteStep,
    WrittenValue,
)
from nestling.ir.primitives import Overflow
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.statements.algebra import Bound, Frame, FrameUnit, SortKey, WindowFunction, WindowOnly
from nestling.ir.statements.columns import column_of
from nestling.ir.statements.expression import ANY, Arithmetic, Column, Compare, Expression, Literal
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import ArithmeticOperator, Comparison, Division
from nestling.ir.storage.array_order import array_order
from nestling.ir.storage.layout import NodeKind, Place
from nestling.ir.storage.names import join, stored_name
from nestling.ir.types import INTEGER, Type
from nestling.planner.homes.attribute import attribute_at, fresh_field
from nestling.planner.homes.place import with_joins
from nestling.planner.writes.draft.cells import ID, Cells
from nestling.planner.writes.draft.fetch import cell, fetch
from nestling.planner.writes.places.address import DocumentAddress, Known, element_matches, known_values, parent_address
from nestling.planner.writes.places.conditional_steps import with_parent
from nestling.planner.writes.places.new_document import element

PAGE, PAGE_NUMBER = "page", "page_number"
"""A page's number: its field, and the column that holds it."""
_ELEMENT, _NUMBER, _PAGE = "element", "number", PAGE
_WAITING = 0
"""The page of rows that have no place yet."""


@dataclass(frozen=True, slots=True)
class _Paged:
    """An array of the document at hand, whose rows' foreign key is at hand in `row`'s columns."""

    design: Design
    place: Place
    overflow: Overflow
    link: Relationship
    row: Cells

    @property
    def types(self) -> dict[str, Type]:
        """The columns of the foreign key."""
        return {self.row.column(name): self.row.entity.attribute(name).type for name in self.link.child_attributes}

    @property
    def owner(self) -> tuple[tuple[str, WrittenValue], ...]:
        """The foreign key as pages hold it."""
        return tuple((stored_name(name), self.row[name]) for name in self.link.child_attributes)

    @property
    def known(self) -> Known:
        """What the foreign key tells of the rows above."""
        return known_values(self.place, len(self.place.nodes) - 1, self.row.of(self.link.child_attributes))

    @property
    def address(self) -> DocumentAddress:
        """The document that holds the array."""
        return parent_address(self.place, self.known, document=True)

    @property
    def array(self) -> str:
        """The array's path."""
        return join(self.address.path, self.place.node.field)

    @property
    def flag(self) -> str:
        """The flag's path."""
        return join(self.address.path, self.overflow.flag)


def removed(design: Design, place: Place, row: Cells) -> Iterator[WriteStep]:
    """Take a row out of the array or a page, wherever it is by now, and number what is left."""
    for home in _homes(design, place):
        paged = _paged(design, home, row)
        known = known_values(home, len(home.nodes) - 1, row.of(row.entity.identity))
        matches = element_matches(home.node, known[-1], row)
        owner = tuple(FieldMatch(path, value) for path, value in paged.owner)
        inside = Pull(paged.array, matches)
        steps = (
            UpdateDocuments(home.store.name, paged.address.where, (inside,), paged.address.filters),
            UpdateDocuments(paged.overflow.collection, owner, (Pull(home.node.field, matches),), many=True),
            *_numbered(paged),
        )
        yield from with_parent(design, home, row, steps)


def added(design: Design, place: Place, row: Cells) -> Iterator[WriteStep]:
    """Let a row wait, and number all; the `_id` of the document with the array is known."""
    paged = _paged(design, place, row)
    waiting: tuple[str, WrittenValue] = (_PAGE, Constant(_WAITING))
    push = Push(place.node.field, element(design, place.node, row))
    page = FieldMatch("_id", SubDocument((*paged.owner, waiting)))
    yield UpdateDocuments(paged.overflow.collection, (page,), (push,), on_insert=(*paged.owner, waiting))
    yield from _numbered(paged)


def page_left(place: Place) -> Iterator[WriteStep]:
    """The page of a row goes, when the key of the parent it belongs to changes with all its children's foreign keys."""
    yield DeleteDocuments(place.store.name, (FieldMatch("_id", Cell(ID)),))


def page_entered(design: Design, place: Place, row: Cells) -> Iterator[WriteStep]:
    """The row comes into the page of the same number under its new foreign key."""
    paged = _paged(design, place, row)
    page: tuple[str, WrittenValue] = (PAGE, Cell(PAGE_NUMBER))
    push = Push(place.node.field, element(design, place.node, row), array_order(place.node, row.entity))
    where = (FieldMatch("_id", SubDocument((*paged.owner, page))),)
    yield UpdateDocuments(place.store.name, where, (push,), on_insert=(*paged.owner, page))


def _homes(design: Design, place: Place) -> list[Place]:
    """The place, or the arrays whose pages it holds: the row above may be in its home or among the orphans."""
    if place.nodes[-2].kind is not NodeKind.GROUP:
        return [place]
    places = (each for each in design.places[place.node.entity] if each.copy is None and len(each.nodes) > 1)
    same = (each for each in places if each.node.embedding == place.node.embedding)
    return [each for each in same if each.nodes[-2].kind is not NodeKind.GROUP]


def _paged(design: Design, place: Place, row: Cells) -> _Paged:
    embedding = place.node.embedding
    assert embedding is not None
    assert embedding.overflow is not None
    return _Paged(design, place, embedding.overflow, design.model.relationship(embedding.relationship), row)


def _numbered(paged: _Paged) -> Iterator[WriteStep]:
    """Read all elements in order, empty the array and its pages, and fill both again."""
    store, where, filters = paged.place.store.name, paged.address.where, paged.address.filters
    stay, leave = (
        f"{paged.row.entity.name} that stay in {store}",
        f"{paged.row.entity.name} for {paged.overflow.collection}",
    )
    cells = (ID, *paged.types)
    yield fetch(stay, _in_order(paged, Comparison.LESS_OR_EQUAL), cells)
    yield fetch(leave, _in_order(paged, Comparison.GREATER), cells)
    owner = tuple(FieldMatch(path, value) for path, value in paged.owner)
    yield DeleteDocuments(paged.overflow.collection, owner, many=True)
    empty = (Set(paged.array, Items()), Set(paged.flag, Constant(value=False)))
    yield UpdateDocuments(store, where, empty, filters)
    yield Each(stay, (UpdateDocuments(store, where, (Push(paged.array, Cell(_ELEMENT)),), filters),))
    yield Each(leave, (_into_page(paged),))
    flag = (Set(paged.flag, Constant(value=True)),)
    yield Each(leave, (UpdateDocuments(store, where, flag, filters),), by=(ID,))  # all are of one parent


def _into_page(paged: _Paged) -> WriteStep:
    page: tuple[str, WrittenValue] = (_PAGE, Cell(_PAGE))
    push = Push(paged.place.node.field, Cell(_ELEMENT))
    where = (FieldMatch("_id", SubDocument((*paged.owner, page))),)
    return UpdateDocuments(paged.overflow.collection, where, (push,), on_insert=(*paged.owner, page))


# --- reading them ----------------------------------------------------------------------------------------------------


def _in_order(paged: _Paged, side: Comparison) -> ReadPlan:
    """The elements within or beyond the bound, with their pages, in order."""
    both = Union(
        (_as_elements(_from_array(paged), paged.place.path), _as_elements(_from_pages(paged), paged.place.node.field))
    )
    number = Column("", _NUMBER, INTEGER, nullable=False)
    order, paths = _order(paged)
    frame = Frame(FrameUnit.ROWS, Bound(None, following=False), Bound(None, following=True))
    function = WindowFunction(WindowOnly.ROW_NUMBER, (), INTEGER, (), order, frame)
    layout = Layout.of(paths | {("", _NUMBER): _NUMBER, ("", _ELEMENT): _ELEMENT})
    bound = Literal(paged.overflow.bound, INTEGER)
    step = Where(Windows(both, ((_NUMBER, function),), layout), Compare(side, number, bound), layout)
    one = Literal(1, INTEGER)
    before = Arithmetic(ArithmeticOperator.SUBTRACT, number, one, INTEGER)
    pages = Arithmetic(ArithmeticOperator.DIVIDE, before, bound, INTEGER, Division.INTEGER)
    fields: dict[str, Expression] = {_ELEMENT: Column("", _ELEMENT, ANY)}
    fields[_PAGE] = Arithmetic(ArithmeticOperator.ADD, pages, one, INTEGER)
    fields |= {ID: cell(ID)} | {name: cell(name, kind) for name, kind in paged.types.items()}
    shaped = Shape(step, tuple(fields.items()), layout)
    return ReadPlan(shaped, tuple(OutputColumn(name, name, value.type) for name, value in fields.items()))


def _order(paged: _Paged) -> tuple[tuple[SortKey, ...], dict[tuple[str, str], str]]:
    keys, paths = list[SortKey](), dict[tuple[str, str], str]()
    attributes = {field.path: paged.row.entity.attribute(field.attribute) for field in paged.place.node.stored}
    for path, direction in array_order(paged.place.node, paged.row.entity):
        attribute = attributes[path]
        column = column_of(attribute, "element")
        keys.append(SortKey(column, descending=direction < 0, nulls_first=direction > 0))
        paths["element", attribute.name] = join(_ELEMENT, path)
    return tuple(keys), paths


def _as_elements(step: Step, path: str) -> Step:
    return Shape(step, ((_ELEMENT, Column("", _ELEMENT, ANY)),), Layout.of({("", _ELEMENT): path}), shown=True)


def _from_pages(paged: _Paged) -> Step:
    columns = [(stored_name(name), name) for name in paged.link.child_attributes]
    types = paged.types
    equal = conjunction(
        *(
            Compare(
                Comparison.EQUAL,
                Column("page", path, types[paged.row.column(name)]),
                cell(paged.row.column(name), types[paged.row.column(name)]),
            )
            for path, name in columns
        )
    )
    assert equal is not None
    layout = Layout.of({("page", path): path for path, _ in columns})
    return Unwind(Where(CollectionScan(paged.overflow.collection), equal, layout), paged.place.node.field)


def _from_array(paged: _Paged) -> Step:
    document = Compare(Comparison.EQUAL, Column("", ID, ANY), cell(ID))
    step: Step = Where(CollectionScan(paged.place.store.name), document, Layout.of({("", ID): "_id"}))
    path = ""
    for at, node in enumerate(paged.place.nodes):
        path = join(path, node.field)
        step = Unwind(step, path) if node.form.to_many else step
        if at < len(paged.place.nodes) - 1:
            step = _only_above(step, paged, at, path)
    return step


def _only_above(step: Step, paged: _Paged, at: int, path: str) -> Step:
    """Only the row above, where it lies in an array itself."""
    equal, paths = list[Expression](), dict[tuple[str, str], str]()
    node = paged.place.nodes[at]
    paired = {name for pairs in node.body.pairs for name in pairs.attributes}
    for name, value in paged.known[at].items():
        stored = node.path_of(name)
        if not isinstance(value, Cell) or (stored is None and name not in paired):
            continue
        if stored is not None:
            field = join(path, stored)
        else:
            field = fresh_field(paged.place.store, f"above {at} {name}")
            found = attribute_at(paged.design, paged.place, at, name)
            step = Add(with_joins(step, [found]), ((field, found.value),))
        kind = paged.types[value.column]
        equal.append(Compare(Comparison.EQUAL, Column("above", f"{at} {name}", kind), cell(value.column, kind)))
        paths["above", f"{at} {name}"] = field
    predicate = conjunction(*equal)
    return step if predicate is None else Where(step, predicate, Layout.of(paths))
