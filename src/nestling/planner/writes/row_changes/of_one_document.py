"""Rows in arrays of one document are changed or removed by one command for all of them.

The server rewrites a document with each command, however little changes.

A single command is the same as a command for each row if these commands differ in one column only, and that column only
identifies an element: the single command finds elements whose value is in the list of these. Rows with different new values, or
identified by more columns, are grouped by these too. If each row of an array has its own new values, these are lists beside that
of the keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from nestling.common.trees import nodes_in, rebuilt
from nestling.ir.paths.write_path import (
    Cell,
    Each,
    ElementFilter,
    FieldMatch,
    Pull,
    Set,
    SetElements,
    SubDocument,
    Test,
    UpdateDocuments,
    WriteStep,
)
from nestling.planner.writes.draft.cells import Cells


def each_row(rows: str, steps: Iterable[WriteStep], row: Cells, own: Collection[str] = ()) -> Each:
    """The steps for each of the rows; a command for all rows of one document where that does the same. `own`: columns of new
    values that rows have of their own.
    """
    each = Each(rows, tuple(steps))
    match each.at_once:
        case UpdateDocuments(where=(FieldMatch("_id", Cell(document)),), on_insert=None, back=()) as command:
            listed = _elements_set(command, row, own)
            if listed is not None:
                gathered = (listed.keys.column, *dict.fromkeys(value.column for _, value in listed.fields))
                return Each(rows, (replace(command, changes=(listed,), filters=()),), (document,), gathered)
            return _together(each, command, row) if _may_be_done_again(command) else each
        case _:
            return each


def _elements_set(command: UpdateDocuments, row: Cells, own: Collection[str]) -> SetElements | None:
    """The changes of an element of an array straight in the document as those of all of them; None where they are others, where
    more than one value tells the element among those of its parent, or no new value is the row's own.
    """
    match command.filters:
        case (ElementFilter(name, (FieldMatch(key, Cell() as told, Test.EQUAL),)),) if _is_of_key(row, told):
            array, inside, _ = command.changes[0].path.partition(f".$[{name}].")
        case _:
            return None
    fields = [
        (change.path.removeprefix(array + inside), change.value)
        for change in command.changes
        if isinstance(change, Set) and isinstance(change.value, Cell) and change.path.startswith(array + inside)
    ]
    is_plain = (
        "$[" not in array and not any("." in field for field, _ in fields) and len(fields) == len(command.changes)
    )
    has_own = any(value.column in own for _, value in fields)
    return SetElements(array, key, told, tuple(fields)) if inside and is_plain and has_own else None


def _may_be_done_again(command: UpdateDocuments) -> bool:
    """Whether a second command like it, of a row that has the same in all its cells, changes nothing more."""
    are_sets = all(
        isinstance(change, Pull) or (isinstance(change, Set) and not change.place) for change in command.changes
    )
    return are_sets and not any(isinstance(node, SubDocument) and node.spread for node in nodes_in(command))


def _together(each: Each, command: UpdateDocuments, row: Cells) -> Each:
    columns = Counter(node.column for node in nodes_in(command) if isinstance(node, Cell))
    gathered = tuple(column for column in _telling(command, row) if columns[column] == 1)
    if not gathered:
        return each
    by = tuple(column for column in columns if column not in gathered)

    def listed(part: object) -> object | None:
        match part:
            case FieldMatch(value=Cell(column)) if column in gathered:
                return replace(part, test=Test.IN)
            case _:
                return None

    return replace(each, steps=(rebuilt(command, listed),), by=by, gathered=gathered)


def _telling(command: UpdateDocuments, row: Cells) -> Sequence[str]:
    """A column that tells the row's element from others. Where it does so by itself, those that tell the arrays around it need
    not be its row's own.
    """
    outer = [each.matches for each in command.filters]
    inner = next((change.matches for change in command.changes if isinstance(change, Pull)), None)
    own = [*_equal(outer.pop() if inner is None and outer else inner or ())]
    is_sure = _is_sure(row, own)
    return [*own[-1:], *(column for matches in outer if is_sure for column in _equal(matches))]


def _is_of_key(row: Cells, told: Cell) -> bool:
    """Whether it is a column of the row's key, and never NULL."""
    return any(row.column(name) == told.column and not row.entity.attribute(name).nullable for name in row.entity.key)


def _is_sure(row: Cells, told: Sequence[str]) -> bool:
    """Whether what tells an element is the row's whole key, of one column that is never NULL."""
    is_key = len(told) == 1 and [row.column(name) for name in row.entity.key] == told
    return is_key and not row.entity.attribute(row.entity.key[0]).nullable


def _equal(matches: Iterable[FieldMatch]) -> Iterator[str]:
    """The columns that fields are equal to."""
    return (each.value.column for each in matches if each.test is Test.EQUAL and isinstance(each.value, Cell))
