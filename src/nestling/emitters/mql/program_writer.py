"""A write's program written down in a language: the walk over its steps, which is the same in every language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, assert_never

from nestling.emitters.identifiers import Identifiers
from nestling.emitters.mql.write_code import Words, coded, inner_row, wrapped
from nestling.ir.programs.compiled import Placeholder
from nestling.ir.programs.program import (
    Action,
    ArrayPlace,
    CellRef,
    CompiledWrite,
    ForEach,
    GivenRows,
    ProgramStep,
    ReadRows,
    RefuseRows,
    TakeNumbers,
    WriteCommand,
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The arguments of a command's call: a document, or a filter and the change."""

    arguments: list[str]
    array_filters: list[str]


class ProgramWriter(ABC):
    """Writes one program; a subclass defines the syntax of each line.

    `row`: the variable of the row for which a step is repeated, "" if it runs once.
    """

    document: ClassVar[str]
    """The support's function for a document that may lack fields."""

    def __init__(self, write: CompiledWrite, names: Identifiers, words: Words) -> None:
        self.write = write
        self.names = names
        self.words = words

    def body(self) -> Iterator[str]:
        """The lines of the transaction, if there is one: its numbers, what they are used for, and the program's steps."""
        for each in self.write.numbers_for_rows:
            yield from self.taken(each)
        yield from self.steps(self.write.steps, "")

    def steps(self, steps: Sequence[ProgramStep], row: str) -> Iterator[str]:
        """The lines of these steps."""
        for step in steps:
            yield from self._step(step, row)

    def _step(self, step: ProgramStep, row: str) -> Iterator[str]:
        match step:
            case ReadRows(rows):
                yield self.assigned(rows, self._read(step, row))
                yield from self._counted(rows)
            case GivenRows(rows, documents):
                yield self.assigned(rows, wrapped(list(documents), self.document, row, self.words))
                yield from self._counted(rows)
            case RefuseRows(rows, _, text, missing):
                yield self.refused(self.variable(rows), text, missing)
            case ForEach(rows, steps, by, gathered):
                inner, every = inner_row(row), self.variable(rows)
                each_of = self.first_of_each(by, every, gathered) if by else every
                if step.at_once is None:
                    yield from self.repeated(inner, each_of, "\n".join(self.steps(steps, inner)))
                else:
                    yield from self.batch(step.at_once, self._parts(step.at_once, inner), inner, each_of, every)
            case WriteCommand():
                yield from self._command(step, row)
            case _:
                assert_never(step)

    def variable(self, rows: str) -> str:
        """The variable for these rows in the language."""
        return self.names[rows.lower()]

    def _counted(self, rows: str) -> Iterator[str]:
        answer = self.write.answer
        if answer is None and rows in self.write.counted:
            yield self.counted(self.variable(rows))
        elif answer is not None and rows in answer.rows:
            fields = [column.field for column in answer.columns]
            yield self.answered(self.variable(rows), dict(zip(fields, answer.cells, strict=True)))

    def _command(self, command: WriteCommand, row: str) -> Iterator[str]:
        counts = not self.write.counted and self.write.answer is None and not row
        call = self.call(command, row)
        if counts or command.otherwise:
            yield from self.met(command, call, counts=counts, otherwise="\n".join(self.steps(command.otherwise, row)))
        else:
            yield self.alone(call)

    def call(self, command: WriteCommand, row: str) -> str:
        """The call that does a command."""
        parts = self._parts(command, row)
        return self.called(command, parts) if command.back is None else self.both(command, parts)

    def _parts(self, command: WriteCommand, row: str) -> Parts:
        """The arguments of a command for a row."""
        arguments = []
        if command.action is not Action.INSERT_ONE:
            arguments.append(wrapped(command.filter or {}, "matching", row, self.words))
        if command.document is not None:
            arguments.append(wrapped(command.document, self.document, row, self.words))
        if command.update is not None:
            arguments.append(self._update(command, row))
        return Parts(arguments, [wrapped(each, "matching", row, self.words) for each in command.array_filters])

    def _update(self, command: WriteCommand, row: str) -> str:
        if isinstance(command.update, tuple):
            return self.words.literal(coded(list(command.update), row, self.words.of_expressions(self.converted)))
        text = wrapped(command.update, "changes", row, self.words)
        for each in command.places:
            assert isinstance(each.column, CellRef), "a place is a column's"
            text = text.replace(self.words.literal(each.key), self.place(each, row, each.column.column))
        return text

    def _read(self, step: ReadRows, row: str) -> str:
        lists = {e.parameter: self.values(e.column, [self.variable(rows) for rows in e.rows]) for e in step.lists}
        if not step.repeats:
            return self.read(step, row, lists)
        (only,) = step.lists
        return self.new_rows(only.column, lists[only.parameter], self.read(step, row, {only.parameter: "last"}))

    @abstractmethod
    def taken(self, numbers: TakeNumbers) -> Iterator[str]:
        """The code that gives the parameters that are new numbers their values."""

    @abstractmethod
    def converted(self, placeholder: Placeholder) -> str:
        """The value of a parameter as an expression takes it: the language's null for NULL."""

    @abstractmethod
    def assigned(self, rows: str, value: str) -> str:
        """The code that assigns the value to the row set."""

    @abstractmethod
    def refused(self, rows: str, text: str, missing: Sequence[str]) -> str:
        """The code that fails with this text if there are such rows, or rows that lack one of the columns `missing`."""

    @abstractmethod
    def repeated(self, variable: str, rows: str, body: str) -> Iterator[str]:
        """The code that runs the body for each of the rows."""

    @abstractmethod
    def counted(self, rows: str) -> str:
        """The code that adds the number of rows in `rows` to the affected ones."""

    @abstractmethod
    def answered(self, rows: str, cells: Mapping[str, str]) -> str:
        """The code that returns the rows in `rows`, with a value from `cells` for each field."""

    @abstractmethod
    def alone(self, call: str) -> str:
        """The code of a call whose result is not used."""

    @abstractmethod
    def met(self, command: WriteCommand, call: str, *, counts: bool, otherwise: str) -> Iterator[str]:
        """A call that `counts` the documents it matched, or is followed by `otherwise` if it matched none."""

    @abstractmethod
    def called(self, command: WriteCommand, parts: Parts) -> str:
        """The driver's call of a command."""

    @abstractmethod
    def batch(self, command: WriteCommand, parts: Parts, variable: str, rows: str, any_of: str) -> Iterator[str]:
        """One call for the commands of all these rows, if there are `any_of` them."""

    @abstractmethod
    def first_of_each(self, columns: Sequence[str], rows: str, gathered: Sequence[str]) -> str:
        """The first of the rows that are equal in these columns, with lists of all their values in `gathered`."""

    @abstractmethod
    def both(self, command: WriteCommand, parts: Parts) -> str:
        """One call for the update and the one that takes it back (`command.back`)."""

    @abstractmethod
    def place(self, place: ArrayPlace, row: str, column: str) -> str:
        """The path that ends in the number in this column of the row."""

    @abstractmethod
    def values(self, column: str, rows: Sequence[str]) -> str:
        """The list of the values of a column in row sets, each once."""

    @abstractmethod
    def new_rows(self, column: str, first: str, found: str) -> str:
        """The rows that `found` finds from the list `last`, repeatedly until there are no new ones, starting with `first`."""

    @abstractmethod
    def read(self, step: ReadRows, row: str, lists: Mapping[str, str]) -> str:
        """The rows of a read, whose parameters that are lists have these values."""
