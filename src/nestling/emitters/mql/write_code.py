"""Shared by programs in Python and JavaScript: leaves as code, names, and the necessary wrappers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from nestling.ir.literals import Code
from nestling.ir.programs.compiled import SPELLINGS, Placeholder
from nestling.ir.programs.filling import is_open
from nestling.ir.programs.program import CellRef, Negated, OrNull, PartDocument, ReadRows, WholeDocument
from nestling.ir.programs.row_counts import RowCount
from nestling.ir.types import TypeName


@dataclass(frozen=True, slots=True)
class Words:
    """How a language writes the leaves of a program; the functions are those of its support code."""

    literal: Callable[[object], str]
    cell: Callable[[str, str], str]  # the row's variable and the column
    parameter: Callable[[Placeholder], str]
    or_null: str
    part: str
    equal_to: str = ""  # in a read: what is equal to a value, and not NULL; "" where it is written out
    row_count: Callable[[RowCount], str] | None = None  # a stage with a parameter's number of rows, which may be none

    def of_expressions(self, parameter: Callable[[Placeholder], str]) -> Words:
        """The words for parameters in expressions, which use null for NULL."""
        return replace(self, parameter=parameter)


def coded(value: object, row: str, words: Words) -> object:
    """The value with code in place of its leaves."""

    def inner(each: object) -> str:
        return words.literal(coded(each, row, words))

    match value:
        case CellRef(column):
            return Code(words.cell(row, column))
        case OrNull(within):
            return Code(f"{words.or_null}({inner(within)})")
        case Negated(within):
            return Code(f"negated({inner(within)})")
        case WholeDocument(fields):
            return Code(f"whole({inner(fields)})")
        case PartDocument(fields, spread):
            rest = f", {words.cell(row, spread.column)}" if spread is not None else ""
            return Code(f"{words.part}({inner(dict(fields))}{rest})")
        case {"$limit": RowCount() as count} | {"$skip": RowCount() as count} if words.row_count is not None:
            return Code(words.row_count(count))
        case Mapping():
            return _fields(value, row, words)
        case list() | tuple():
            return [coded(each, row, words) for each in value]
        case _:
            return Code(words.parameter(value)) if isinstance(value, Placeholder) else value


def _fields(value: Mapping[str, object], row: str, words: Words) -> object:
    """A document with code in place of its leaves."""
    match value:
        case {"$documents": list(rows)} if is_open(rows):
            return {"$documents": [Code(f"present({words.literal(coded(each, row, words))})") for each in rows]}
        case _ if words.equal_to and (asked := equal_to(value)) is not None:
            return Code(f"{words.equal_to}({words.parameter(asked)})")
        case _:
            return {name: coded(each, row, words) for name, each in value.items()}


def equal_to(condition: Mapping[str, object]) -> Placeholder | None:
    """The parameter in a condition that a field equals it and is not NULL; None for other conditions."""
    match condition:
        case {"$eq": Placeholder() as asked, "$ne": None} if len(condition) == 2:
            return asked
        case _:
            return None


def wrapped(value: object, wrapper: str, row: str, words: Words) -> str:
    """The value as code, wrapped in the support's function if a part of it may be missing."""
    text = words.literal(coded(value, row, words))
    return f"{wrapper}({text})" if is_open(value) and not isinstance(value, PartDocument) else text


def words_of_read(
    step: ReadRows, row: str, words: Words, lists: Mapping[str, str], converted: Callable[[Placeholder], str]
) -> Words:
    """The words for a read: some parameters are cells and lists, the others are `converted`."""
    columns = dict(step.cells)

    def parameter(placeholder: Placeholder) -> str:
        if placeholder.name in lists:
            return lists[placeholder.name]
        column = columns.get(placeholder.name)
        if column is None:
            return converted(placeholder)
        value = f"{words.or_null}({words.cell(row, column)})"
        return f"{SPELLINGS}({value})" if placeholder.stands_for == SPELLINGS else value

    return replace(words, parameter=parameter)


def inner_row(row: str) -> str:
    """The variable of the rows inside those of `row` ("": of the program): row, row2, row3, and so on."""
    return f"row{int(row[3:] or 1) + 1}" if row else "row"


def json_columns(step: ReadRows) -> tuple[str, ...]:
    """The columns of a read in which null is JSON's own."""
    return tuple(column.field for column in step.read.columns if column.type.name is TypeName.JSON)
