"""Rows whose home is inside their parent's document: taken from their stream while the parent is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from nestling.common.errors import LoadError, Problem
from nestling.executors.load.bson_order import bson_order, sorted_alike
from nestling.executors.load.document_code import AnyRow, DocumentCode, RowKey
from nestling.executors.load.level import RowLayout
from nestling.executors.load.merge import NO_GROUP, Merge, RowStream, located_error, row_name
from nestling.executors.load.stored_value import UnstorableError
from nestling.ir.model import Entity
from nestling.ir.primitives import Order, Slots
from nestling.ir.rows import RowColumn, RowPath
from nestling.ir.values import Policy, encoder

Take = Callable[[RowKey], list[Any]]
Sorter = Callable[[list[tuple[AnyRow, Any]]], None]


class ChildRows:
    """The rows of one parent at a time, as elements: what `code` makes of each."""

    def __init__(
        self,
        merge: Merge,
        entity: Entity,
        stream: RowStream,
        width: int,
        layout: RowLayout,
        code: DocumentCode,
        *,
        path: RowPath = (),
        counted: bool = True,
    ) -> None:
        self.entity, self.layout = entity, layout
        self._merge, self._stream, self._width, self._code, self._path = merge, stream, width, code, path
        self._loaded = merge.loaded if counted else Counter[str]()

    def elements(self) -> Take:
        """The function from a parent's key to its elements, in the stream's order."""
        return self._one_by_one() if self._code.uses_other_streams else self._grouped()

    def pairs(self) -> Callable[[RowKey], list[tuple[AnyRow, Any]]]:
        """The function from a parent's key to its elements, each with its row, in the stream's order."""
        self._code.result = f"(row, {self._code.result})"
        return self.elements()

    def _locate(self, error: UnstorableError, row: AnyRow) -> LoadError:
        return located_error(error, self.entity, self.layout, row, self._path)

    def _one_by_one(self) -> Take:
        """Elements that ask other streams must be built in turn."""
        merge, stream, width, loaded, name = self._merge, self._stream, self._width, self._loaded, self.entity.name
        build = self._code.compile()

        def take(key: RowKey) -> list[Any]:
            row = stream.row
            if row is None or row[:width] != key:
                return []
            rows, found = stream.rows, []
            try:
                while row is not None and row[:width] == key:
                    found.append(build(row))
                    row = next(rows, None)
            except UnstorableError as error:
                assert row is not None
                raise self._locate(error, row) from None
            stream.row = row
            loaded[name] += len(found)
            return merge.settle(found) if merge.strays else found

        return take

    def _grouped(self) -> Take:
        """Elements of their row alone are built parent by parent, one parent ahead: faster, as no row needs a call."""
        merge, stream, width, loaded, name = self._merge, self._stream, self._width, self._loaded, self.entity.name
        stream.group(self._code.compile_groups(width, self._locate))

        def take(key: RowKey) -> list[Any]:
            if stream.key != (key[0] if width == 1 else key):
                return []
            found = stream.found
            stream.key, stream.found = next(stream.groups, NO_GROUP)
            loaded[name] += len(found)
            return merge.settle(found) if merge.strays else found

        return take


def one(rows: ChildRows) -> Callable[[RowKey], Any]:
    """The row that has the place to itself, or None."""
    take = rows.pairs()

    def single(key: RowKey) -> Any:
        found = take(key)
        if len(found) > 1:
            what = f"{len(found)} rows compete for one place, although the relationship is declared 1:1"
            raise LoadError(Problem(what, where=row_name(rows.entity, rows.layout, found[1][0])))
        return found[0][1] if found else None

    return single


def sorted_elements(rows: ChildRows, sort: Sorter) -> Callable[[RowKey], list[Any]]:
    """The function from a parent's key to its elements in this order."""
    take = rows.pairs()

    def ordered(key: RowKey) -> list[Any]:
        found = take(key)
        sort(found)
        return [element for _, element in found]

    return ordered


def first_elements(
    rows: ChildRows, sort: Sorter | None, bound: int, write: Callable[[AnyRow, list[Any]], None]
) -> Callable[[RowKey], tuple[list[Any], bool]]:
    """The first `bound` elements and whether there are more; those are handed to `write`."""
    take = rows.pairs()

    def split(key: RowKey) -> tuple[list[Any], bool]:
        found = take(key)
        if sort is not None:
            sort(found)
        elements = [element for _, element in found]
        if len(elements) > bound:
            write(found[0][0], elements)
        return elements[:bound], len(elements) > bound

    return split


def elements_in_slots(rows: ChildRows, slots: Slots) -> Callable[[RowKey], list[Any]]:
    """The elements at their places, None elsewhere."""
    take, place = rows.pairs(), rows.layout[RowColumn(slots.attribute)]

    def placed(key: RowKey) -> list[Any]:
        found: list[Any] = [None] * slots.count
        for row, element in take(key):
            slot = row[place]
            at = slot - slots.first if slot.__class__ is int else -1
            if not 0 <= at < slots.count or found[at] is not None:
                why = (
                    "is already taken"
                    if 0 <= at < slots.count
                    else f"is not one of {slots.count} from {slots.first} on"
                )
                where = f"{row_name(rows.entity, rows.layout, row)}, attribute `{slots.attribute}`"
                raise LoadError(
                    Problem(f"slot {slot!r} {why}", where=where, next_move="change `slots`, or embed an array")
                )
            found[at] = element
        return found

    return placed


def sorter(
    policy: Policy, entity: Entity, layout: RowLayout, order: tuple[Order, ...], path: RowPath = ()
) -> Sorter | None:
    """A function that sorts (row, element) pairs by `order`, then by key (all attributes without one).

    None if the stream is already sorted.
    """
    in_key_order = bool(entity.key) and all(sorted_alike(entity.attribute(name).type) for name in entity.key)
    if not order and in_key_order:
        return None
    ends = () if in_key_order else tuple(Order(name) for name in entity.identity)
    keys = [
        (_sort_key(policy, layout, RowColumn(item.attribute, path), entity), item.descending)
        for item in (*order, *ends)
    ]
    keys.reverse()

    def sort(found: list[tuple[AnyRow, Any]]) -> None:
        for key, descending in keys:  # stable: the last key first
            found.sort(key=key, reverse=descending)

    return sort


def _sort_key(
    policy: Policy, layout: RowLayout, column: RowColumn, entity: Entity
) -> Callable[[tuple[AnyRow, Any]], Any]:
    place, encode = layout[column], encoder(entity.attribute(column.attribute).type, policy)

    def key(pair: tuple[AnyRow, Any]) -> Any:
        value = pair[0][place]
        return bson_order(None if value is None else encode(value))

    return key
