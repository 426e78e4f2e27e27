"""Runs a compiled write step by step without a driver: it requests a read or a command, and continues with the answer.

There is one interpreter, so that the synchronous and the asynchronous driver cannot differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, assert_never, cast

from bson import decode, encode

from nestling.common.errors import ConstraintError, Problem
from nestling.executors.run import row_of
from nestling.ir.codec import CODEC
from nestling.ir.paths.write_path import COUNT, HIGHEST, NEW, OLD, Answer, ListParameter, Violation
from nestling.ir.programs.compiled import CompiledRead, Mql
from nestling.ir.programs.filling import RowFields, filled_command, read_for_row, row_leaf, with_numbers
from nestling.ir.programs.program import (
    MISSING,
    Action,
    CompiledWrite,
    ForEach,
    GivenRows,
    NextNumbers,
    ProgramStep,
    ReadRows,
    RefuseRows,
    TakeNumbers,
    WriteCommand,
)
from nestling.ir.storage.kept_numbers import LAST
from nestling.ir.storage.names import NUMBERS_COLLECTION
from nestling.ir.types import TypeName


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The result of a write: `affected` rows, the upkeeps left to the background sync, and the rows for RETURNING."""

    affected: int
    left: tuple[str, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()


AtOnce: TypeAlias = tuple[WriteCommand, ...]
"""Commands on one collection that are one request."""
Request: TypeAlias = CompiledRead | WriteCommand | AtOnce | NextNumbers
"""What a driver is asked: the documents a read yields, how many documents a command matched, inserted or deleted (of a batch
nobody asks), or what a counter says once it is raised.
"""
_Documents: TypeAlias = Sequence[Mapping[str, Any]]
Program: TypeAlias = Generator[Request, Any, WriteResult]
Numbering: TypeAlias = Generator[Request, Any, CompiledWrite]
_EMPTY_ROW: RowFields = {}


def program(write: CompiledWrite) -> Program:
    """The requests of a bound write, in order. Raises `ConstraintError` for what the source would refuse."""
    write = yield from _with_taken(write, write.numbers_for_rows)
    run = _Run(write.answer)
    yield from run.steps(write.steps, _EMPTY_ROW, top=True)
    affected = sum(run.read[rows] for rows in write.counted) if write.counted else run.matched
    return WriteResult(affected, write.left, run.answered())


def numbering_requests(write: CompiledWrite) -> Numbering:
    """The requests that take a bound write's new numbers; returns the write with them.

    They precede its transaction, so no other writer waits for it. If it fails, the numbers are skipped. If the transaction has
    to count first, `program` takes the numbers, also outside the transaction.
    """
    return (yield from _with_taken(write, write.numbers_before))


def _with_taken(write: CompiledWrite, wanted: Sequence[TakeNumbers]) -> Numbering:
    numbers: dict[str, int] = {}
    for each in wanted:
        if each.count is None:
            found = yield from _taken(each, len(each.names))
            numbers |= zip(each.names, found, strict=True)
            continue
        count = (yield from _only_value(each.count, COUNT)) or 0
        found = (yield from _taken(each, count)) if count else range(1, 1)
        numbers |= zip(each.names, (found.start, found.stop - 1), strict=True)
    return with_numbers(write, numbers) if numbers else write


def _taken(wanted: TakeNumbers, count: int) -> Generator[Request, Any, range]:
    """Take this many numbers that nobody else has."""
    highest = yield from _only_value(wanted.highest, HIGHEST)
    last: int = yield NextNumbers(wanted.counter, count)
    while highest is not None and last - count < highest:  # rows that the counter was not told of
        yield _at_least(wanted.counter, highest)
        last = yield NextNumbers(wanted.counter, count)
    return range(last - count + 1, last + 1)


def _only_value(step: ReadRows, column: str) -> Generator[Request, Any, int | None]:
    documents: _Documents = yield step.read
    value = next((present(document, step.read).get(column) for document in documents), None)
    return value if isinstance(value, int) else None


def _at_least(counter: str, number: int) -> WriteCommand:
    update: Mql = {"$max": {LAST: number}}
    return WriteCommand(
        Action.UPDATE_ONE, NUMBERS_COLLECTION, {"_id": {"$eq": counter}}, update, upsert=True, apart=True
    )


class _Run:
    """One run: the rows at hand, how many each set has held, those to answer with, and how many documents the program's own
    commands met.
    """

    def __init__(self, answer: Answer | None) -> None:
        self.answer = answer
        self.kept: list[RowFields] = []
        self.rows: dict[str, tuple[RowFields, ...]] = {}
        self.read: Counter[str] = Counter()
        self.matched = 0

    def steps(
        self, steps: Sequence[ProgramStep], row: RowFields, *, top: bool = False
    ) -> Generator[Request, Any, None]:
        for step in steps:
            yield from self.step(step, row, top=top)

    def step(self, step: ProgramStep, row: RowFields, *, top: bool) -> Generator[Request, Any, None]:
        match step:
            case ReadRows():
                self._keep(step.rows, (yield from self._read(step, row)))
            case GivenRows(rows, documents):
                self._keep(rows, documents)
            case RefuseRows():
                if bad := broken(step, self.rows[step.rows]):
                    raise broken_constraint_error(step, bad)
            case ForEach():
                yield from self._for_each(step)
            case WriteCommand():
                matched = yield ready(step, row)
                self.matched += matched if top else 0
                if not matched:
                    yield from self.steps(step.otherwise, row, top=top)
            case _:
                assert_never(step)

    def _for_each(self, step: ForEach) -> Generator[Request, Any, None]:
        rows = self.rows[step.rows]
        if step.by:
            rows = _first_of_each(step.by, rows, step.gathered)
        if step.at_once is None:
            for row in rows:
                yield from self.steps(step.steps, row)
        elif rows:
            yield tuple(ready(step.at_once, row) for row in rows)

    def _read(self, step: ReadRows, row: RowFields) -> Generator[Request, Any, tuple[RowFields, ...]]:
        lists = {each.parameter: self._distinct(each) for each in step.lists}
        if not step.repeats:
            return (yield from _rows(step, row, {name: [*found.values()] for name, found in lists.items()}))
        (only,) = step.lists
        kept, seen, last = list[RowFields](), set(lists[only.parameter]), [*lists[only.parameter].values()]
        while last:
            new: dict[bytes, RowFields] = {}
            for each in (yield from _rows(step, row, {only.parameter: last})):
                new.setdefault(_as_bytes(each[only.column]), each)
            fresh = {value: each for value, each in new.items() if value not in seen}
            seen |= fresh.keys()
            kept += fresh.values()
            last = [each[only.column] for each in fresh.values()]
        return tuple(kept)

    def _distinct(self, listed: ListParameter) -> dict[bytes, object]:
        values = (row[listed.column] for rows in listed.rows for row in self.rows[rows] if listed.column in row)
        return {_as_bytes(value): value for value in values}

    def _keep(self, rows: str, found: tuple[RowFields, ...]) -> None:
        self.rows[rows] = found
        self.read[rows] += len(found)
        if self.answer is not None and rows in self.answer.rows:
            self.kept += found

    def answered(self) -> tuple[tuple[object, ...], ...]:
        if self.answer is None:
            return ()
        pairs = zip(self.answer.columns, self.answer.cells, strict=True)
        shown = row_of([replace(column, field=cell) for column, cell in pairs])
        return tuple(shown(_read_back(row)) for row in self.kept)


def _first_of_each(columns: Sequence[str], rows: Iterable[RowFields], gathered: Sequence[str]) -> tuple[RowFields, ...]:
    """The first of the rows that are equal in these columns, with lists of all their values in `gathered`."""
    found: dict[bytes, list[RowFields]] = {}
    for row in rows:
        found.setdefault(_as_bytes({column: row[column] for column in columns if column in row}), []).append(row)
    return tuple(
        {**alike[0], **{column: [row.get(column) for row in alike] for column in gathered}} for alike in found.values()
    )


def _rows(
    step: ReadRows, row: RowFields, lists: Mapping[str, Sequence[object]]
) -> Generator[Request, Any, tuple[RowFields, ...]]:
    read = read_for_row(step, row, lists)
    found: _Documents = yield read
    return tuple(present(document, read) for document in found)


def _as_bytes(value: object) -> bytes:
    """Bytes that identify a stored value."""
    return encode({"": value}, codec_options=CODEC)


def _read_back(row: RowFields) -> Mapping[str, Any]:
    """A row of values to be stored, as a server returns it."""
    return decode(encode(row, codec_options=CODEC), CODEC)


def present(document: Mapping[str, Any], read: CompiledRead) -> RowFields:
    """A row without its NULLs: null is NULL, except in a JSON column, where it is JSON's own."""
    json = {column.field for column in read.columns if column.type.name is TypeName.JSON}
    names = {column.field: column.name for column in read.columns}
    return {names.get(field, field): value for field, value in document.items() if value is not None or field in json}


def ready(command: WriteCommand, row: RowFields) -> WriteCommand:
    """The complete command for a row."""
    filled = filled_command(command, row_leaf(row))
    if not filled.places or filled.update is None or isinstance(filled.update, tuple):
        return filled
    numbered = {place.key: f"{place.path}.{_place(place.column, place.first)}" for place in filled.places}
    update = {
        operator: {numbered.get(path, path): value for path, value in cast(Mql, fields).items()}
        for operator, fields in filled.update.items()
    }
    return replace(filled, update=cast(Mql, update), places=())


def _place(value: object, first: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < first:
        shown = "NULL" if value is MISSING else repr(value)
        raise ConstraintError(Problem(f"there is no place {shown} in the array"), violation=Violation.PLACE)
    return int(value) - first


def broken(step: RefuseRows, rows: Sequence[RowFields]) -> list[RowFields]:
    """The rows that are refused."""
    return [row for row in rows if not step.missing or any(column not in row for column in step.missing)]


def broken_constraint_error(step: RefuseRows, rows: Sequence[RowFields]) -> ConstraintError:
    """The error for rows that break a constraint.

    It names the NULL columns of the first row but shows no values, which readers of a log must not see.
    """
    lacking = ", ".join(dict.fromkeys(f"{_bare(column)} = NULL" for column in step.missing if column not in rows[0]))
    more = f" and {len(rows) - 1} more" if lacking and len(rows) > 1 else ""
    about = step.attributes
    if len(step.missing) == len(about):
        about = tuple(name for name, column in zip(about, step.missing, strict=True) if column not in rows[0])
    problem = Problem(step.text, known=f"{lacking}{more}")
    return ConstraintError(problem, violation=step.violation, attributes=tuple(dict.fromkeys(about)))


def _bare(name: str) -> str:
    """A column's name without the prefix for the row it belongs to."""
    return name.removeprefix(NEW if name.startswith(NEW) else OLD)
