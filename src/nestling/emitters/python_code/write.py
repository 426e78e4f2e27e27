"""A compiled write as the source of a Python function on pymongo alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import indent
from typing import assert_never

from nestling.emitters.mql.write_code import Identifiers, Words, coded, inner_row, json_columns, words_of_read, wrapped
from nestling.emitters.mql.write_constants import StoredParameter
from nestling.emitters.python_code.conversions import Conversions
from nestling.emitters.python_code.parameters import TAKEN, argument
from nestling.emitters.python_code.read import laid_lines, shown_columns
from nestling.emitters.python_code.source_layout import laid_out, one_line
from nestling.ir.compiled import Operation
from nestling.ir.compiled import Placeholder as AnyPlaceholder
from nestling.ir.literals import comment
from nestling.ir.program import (
    Action,
    CellRef,
    Command,
    CompiledWrite,
    ForEach,
    GivenRows,
    ProgramStep,
    ReadRows,
    RefuseRows,
)
from nestling.ir.write_path import IdForm, ListParameter

_METHODS = {
    Action.INSERT_ONE: "insert_one",
    Action.REPLACE_ONE: "replace_one",
    Action.UPDATE_ONE: "update_one",
    Action.UPDATE_MANY: "update_many",
    Action.DELETE_ONE: "delete_one",
    Action.DELETE_MANY: "delete_many",
}
_NEW_IDS = {IdForm.UUID: "uuid4()", IdForm.TEXT: "str(uuid4())", IdForm.OBJECT_ID: "ObjectId()"}


def write_function(write: CompiledWrite, name: str = "") -> str:
    """The source of the write's function, called `name`; raises a gap error for what only nestling can convert."""
    return "\n".join(_Function(write, name or argument(write.name or "statement")).lines()) + "\n"


class _Function:
    """One function being written."""

    def __init__(self, write: CompiledWrite, name: str) -> None:
        self.write = write
        self.name = name
        self.arguments = [argument(each) for each in write.parameters]
        self.once = Conversions.of(write.steps, (*self.arguments, *(each.name for each in write.new_ids)))
        own = (*(each.name for each in write.new_ids), *self.once.names.values())
        self.names = Identifiers(*self.arguments, *own, *TAKEN)
        self.words = Words(laid_out, _cell, self._stored, "or_none", "part")

    def lines(self) -> Iterator[str]:
        named = ", ".join(f"{name}: Any" for name in self.arguments)
        given = "int" if self.write.answer is None else "list[dict[str, Any]]"
        yield f"def {self.name}(db: Database[Any]{', *, ' + named if named else ''}) -> {given}:"
        yield f'    """{_said(self.write)}"""'
        yield from (f"    {each.name} = {_NEW_IDS[each.form]}" for each in self.write.new_ids)
        yield from self.once.lines()
        if self.write.command is not None and not self.write.transaction:
            yield f"    return {self._met(self.write.command, '', '')}"
            return
        body = "\n".join(self._body())
        if not self.write.transaction:
            yield "    session = None"
            yield indent(body, "    ")
            return
        yield f"\n    def work(session: Any) -> {given}:"
        yield indent(body, "        ")
        yield "\n    with db.client.start_session() as session:"
        yield '        return session.with_transaction(work, ReadConcern("snapshot"), WriteConcern("majority"))'

    def _converted(self, placeholder: AnyPlaceholder) -> str:
        """The value of a parameter as an expression takes it: None for NULL."""
        if isinstance(placeholder, StoredParameter):
            return f"or_none({self._stored(placeholder)})"
        return self.once.given(placeholder).text

    def _stored(self, placeholder: AnyPlaceholder) -> str:
        """The value of a parameter as a field keeps it: missing for NULL."""
        if isinstance(placeholder, StoredParameter):
            return self.once.stored(placeholder).text
        return f"there({self.once.given(placeholder).text})"

    def _body(self) -> Iterator[str]:
        steps = self._steps(self.write.steps, "")
        if self.write.answer is None:
            yield from ("affected = 0", *steps, "return affected")
            return
        yield from ("answered: list[dict[str, Any]] = []", *steps)
        yield from laid_lines(shown_columns(self.write.answer.columns), before="columns = ", level=0)
        yield "return rows_from(as_read(answered), columns)"

    def _steps(self, steps: Sequence[ProgramStep], row: str) -> Iterator[str]:
        for step in steps:
            yield from self._step(step, row)

    def _step(self, step: ProgramStep, row: str) -> Iterator[str]:
        match step:
            case ReadRows(rows):
                yield f"{self.names[rows]} = {self._read(step, row)}"
                yield from self._counted(rows)
            case GivenRows(rows, documents):
                yield f"{self.names[rows]} = {wrapped(list(documents), 'document', row, self.words)}"
                yield from self._counted(rows)
            case RefuseRows(rows, _, said, missing):
                only = f", missing={one_line(missing)}" if missing else ""
                yield f"refuse({self.names[rows]}, {one_line(said)}{only})"
            case ForEach(rows, steps):
                inner = inner_row(row)
                yield f"for {inner} in {self.names[rows]}:"
                yield indent("\n".join(self._steps(steps, inner)) or "pass", "    ")
            case Command():
                yield from self._command(step, row)
            case _:
                assert_never(step)

    def _counted(self, rows: str) -> Iterator[str]:
        answer = self.write.answer
        if answer is None and rows in self.write.counted:
            yield f"affected += len({self.names[rows]})"
        elif answer is not None and rows in answer.rows:
            pairs = zip(answer.columns, answer.cells, strict=True)
            row = ", ".join(f"{one_line(column.field)}: each.get({one_line(cell)})" for column, cell in pairs)
            yield f"answered += [{{{row}}} for each in {self.names[rows]}]"

    def _command(self, command: Command, row: str) -> Iterator[str]:
        counts = not self.write.counted and self.write.answer is None and not row
        if not counts and not command.otherwise:
            yield self._call(command, row, "session=session")
            return
        yield f"found = {self._met(command, row, 'session=session')}"
        if counts:
            yield "affected += found"
        if command.otherwise:
            yield "if not found:"
            yield indent("\n".join(self._steps(command.otherwise, row)), "    ")

    def _met(self, command: Command, row: str, more: str) -> str:
        call = self._call(command, row, more)
        match command.action:
            case Action.INSERT_ONE:
                return f"int({call}.acknowledged)"
            case Action.DELETE_ONE | Action.DELETE_MANY:
                return f"{call}.deleted_count"
            case _ if command.leaves_alone:
                return f"int({call}.upserted_id is not None)"
            case _ if command.upsert:
                return f"max(1, {call}.matched_count)"
            case _:
                return f"{call}.matched_count"

    def _call(self, command: Command, row: str, more: str) -> str:
        arguments = []
        if command.action is not Action.INSERT_ONE:
            arguments.append(wrapped(command.filter or {}, "matching", row, self.words))
        if command.document is not None:
            arguments.append(wrapped(command.document, "document", row, self.words))
        if command.update is not None:
            arguments.append(self._update(command, row))
        if command.array_filters:
            filters = (wrapped(each, "matching", row, self.words) for each in command.array_filters)
            arguments.append(f"array_filters=[{', '.join(filters)}]")
        arguments += ["upsert=True"] if command.upsert else []
        if command.back is not None:
            both = (f"UpdateOne({arguments[0]}, {each})" for each in (arguments[1], one_line(command.back)))
            return f"db[{one_line(command.collection)}].bulk_write([{', '.join(both)}], {more})"
        arguments += [more] if more else []
        return f"db[{one_line(command.collection)}].{_METHODS[command.action]}({', '.join(arguments)})"

    def _update(self, command: Command, row: str) -> str:
        if isinstance(command.update, tuple):
            return self.words.literal(coded(list(command.update), row, self.words.of_expressions(self._converted)))
        text = wrapped(command.update, "changes", row, self.words)
        for place in command.places:
            assert isinstance(place.column, CellRef), "a place is a column's"
            number = f"str(place({row}, {one_line(place.column.column)}, {place.first}))"
            text = text.replace(one_line(place.key), f"{one_line(f'{place.path}.')} + {number}")
        return text

    def _read(self, step: ReadRows, row: str) -> str:
        lists = {each.parameter: self._list(each) for each in step.lists}
        if not step.repeats:
            return self._read_once(step, row, lists)
        (only,) = step.lists
        found = self._read_once(step, row, {only.parameter: "last"})
        return f"new_rows({one_line(only.column)}, {lists[only.parameter]}, lambda last: {found})"

    def _list(self, listed: ListParameter) -> str:
        return f"values_of({one_line(listed.column)}, {', '.join(self.names[rows] for rows in listed.rows)})"

    def _read_once(self, step: ReadRows, row: str, lists: Mapping[str, str]) -> str:
        read = step.read
        words = replace(words_of_read(step, row, self.words, lists, self._converted), equal_to="equal_to")
        target = "db" if read.collection is None else f"db[{one_line(read.collection)}]"
        options = f", collation={one_line(read.collation_option)}" if read.collation_option else ""
        if read.operation is Operation.AGGREGATE:
            stages = words.literal(coded(list(read.pipeline), row, words))
            call = f"{target}.aggregate({stages}, session=session, allowDiskUse=True{options})"
        else:
            parts = [words.literal(coded(each, row, words)) for each in (read.filter or {}, read.projection)]
            numbers = [f"{name}={n}" for name, n in (("skip", read.skip), ("limit", read.limit)) if n]
            sort = [f"sort={list(read.sort)!r}"] if read.sort else []
            call = f"{target}.find({', '.join([*parts, *sort, *numbers, 'session=session'])}{options})"
        json = json_columns(step)
        return f"rows_of({call}{f', json={one_line(json)}' if json else ''})"


def _cell(row: str, column: str) -> str:
    return f"{row}.get({one_line(column)}, MISSING)"


def _said(write: CompiledWrite) -> str:
    """The statement, what is given back, and what stays to be done."""
    sql = comment(write.sql).replace("\\", "\\\\").replace('"""', "'''").rstrip('"')
    left = f" The background sync brings {', '.join(write.left)}." if write.left else ""
    given = "how many rows that were" if write.answer is None else "the rows it answers"
    return f"{sql.rstrip(';') or write.name}: {given}.{left}"
