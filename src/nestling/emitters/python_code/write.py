"""A compiled write as the source of a Python function on pymongo alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import indent

from nestling.emitters.identifiers import Identifiers
from nestling.emitters.mql.program_writer import Parts, ProgramWriter
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.write_code import Words, coded, json_columns, words_of_read
from nestling.emitters.mql.write_constants import StoredParameter
from nestling.emitters.python_code.conversions import Conversions
from nestling.emitters.python_code.parameters import TAKEN, argument, bound_lines
from nestling.emitters.python_code.read import laid_lines, row_count_stages, shown_columns
from nestling.emitters.python_code.source_layout import laid_out, one_line
from nestling.ir.literals import comment
from nestling.ir.paths.write_path import IdForm
from nestling.ir.programs.compiled import Operation, Placeholder
from nestling.ir.programs.program import Action, ArrayPlace, CompiledWrite, ReadRows, TakeNumbers, WriteCommand
from nestling.ir.programs.row_counts import RowCount
from nestling.ir.storage.names import NUMBERS_COLLECTION

_NEW_IDS = {IdForm.UUID: "uuid4()", IdForm.TEXT: "str(uuid4())", IdForm.OBJECT_ID: "ObjectId()"}


def write_function(write: CompiledWrite, name: str = "") -> str:
    """The source of the write's function, called `name`.

    Raises a gap error if only nestling itself can do the conversion.
    """
    return "\n".join(_Function(write, name or argument(write.name or "statement")).lines()) + "\n"


class _Function(ProgramWriter):
    """One function being written."""

    document = "document"

    def __init__(self, write: CompiledWrite, name: str) -> None:
        self.name = name
        self.arguments = [argument(each) for each in write.parameters]
        self.once = Conversions.of((write.steps, write.numbers_for_rows), (*self.arguments, *write.made))
        own = (*write.made, *self.once.names.values())
        names = Identifiers(*self.arguments, *own, *TAKEN, otherwise="rows")
        super().__init__(write, names, Words(laid_out, _cell, self._stored, "or_none", "part"))
        self.only = None if write.transaction else write.command
        self.has_session = False
        self.late = [argument(name) for each in write.numbers_for_rows for name in each.names]

    def lines(self) -> Iterator[str]:
        named = ", ".join(f"{name}: Any" for name in self.arguments)
        given = "int" if self.write.answer is None else "list[dict[str, Any]]"
        yield f"def {self.name}(db: Database[Any]{', *, ' + named if named else ''}) -> {given}:"
        yield f'    """{_docstring(self.write)}"""'
        yield from bound_lines(self.write)
        yield from (f"    {each.name} = {_NEW_IDS[each.form]}" for each in self.write.new_ids)
        yield from (indent(line, "    ") for each in self.write.numbers_before for line in self.taken(each))
        yield from self.once.lines(late=self.late)
        if self.only is not None:
            yield f"    return {_met(self.only, self.call(self.only, ''))}"
            return
        self.has_session = True
        body = "\n".join(self._body())
        if not self.write.transaction:
            yield "    session = None"
            yield indent(body, "    ")
            return
        yield f"\n    def work(session: Any) -> {given}:"
        yield indent(body, "        ")
        yield "\n    with db.client.start_session() as session:"
        yield '        return session.with_transaction(work, ReadConcern("snapshot"), WriteConcern("majority"))'

    def _stored(self, placeholder: Placeholder) -> str:
        """The value of a parameter as a field keeps it: missing for NULL."""
        if isinstance(placeholder, StoredParameter):
            return self.once.stored(placeholder).text
        return f"there({self.once.given(placeholder).text})"

    def taken(self, numbers: TakeNumbers) -> Iterator[str]:
        names = ", ".join(numbers.names) if len(numbers.names) > 1 else f"({numbers.names[0]},)"
        field = one_line(numbers.highest.read.columns[0].field)
        there = self.read(numbers.highest, "", {})
        counters = f"db[{one_line(NUMBERS_COLLECTION)}].with_options(write_concern=WriteConcern(1))"
        counter = one_line(numbers.counter)
        if numbers.count is None:
            yield f"{names} = next_numbers({counters}, {counter}, {len(numbers.names)}, {there}, {field})"
            return
        count = self.read(numbers.count, "", {})
        yield f"{names} = numbers_for_rows({counters}, {counter}, {count}, {there}, {field})"
        yield from self.once.late_lines([argument(name) for name in numbers.names])

    def _body(self) -> Iterator[str]:
        steps = self.body()
        if self.write.answer is None:
            yield from ("affected = 0", *steps, "return affected")
            return
        yield from ("answered: list[dict[str, Any]] = []", *steps)
        yield from laid_lines(shown_columns(self.write.answer.columns), before="columns = ", level=0)
        yield "return rows_from(as_read(answered), columns)"

    def converted(self, placeholder: Placeholder) -> str:
        if isinstance(placeholder, StoredParameter):
            return f"or_none({self._stored(placeholder)})"
        return self.once.given(placeholder).text

    def assigned(self, rows: str, value: str) -> str:
        return f"{self.variable(rows)} = {value}"

    def refused(self, rows: str, text: str, missing: Sequence[str]) -> str:
        only = f", missing={one_line(missing)}" if missing else ""
        return f"refuse({rows}, {one_line(text)}{only})"

    def repeated(self, variable: str, rows: str, body: str) -> Iterator[str]:
        yield f"for {variable} in {rows}:"
        yield indent(body or "pass", "    ")

    def counted(self, rows: str) -> str:
        return f"affected += len({rows})"

    def answered(self, rows: str, cells: Mapping[str, str]) -> str:
        row = ", ".join(f"{one_line(field)}: each.get({one_line(cell)})" for field, cell in cells.items())
        return f"answered += [{{{row}}} for each in {rows}]"

    def alone(self, call: str) -> str:
        return call

    def met(self, command: WriteCommand, call: str, *, counts: bool, otherwise: str) -> Iterator[str]:
        yield f"found = {_met(command, call)}"
        if counts:
            yield "affected += found"
        if otherwise:
            yield "if not found:"
            yield indent(otherwise, "    ")

    def called(self, command: WriteCommand, parts: Parts) -> str:
        session = ["session=session"] if self.has_session and not command.apart else []
        arguments = [*parts.arguments, *_options(command, parts), *session]
        call = f"{_collection(command)}.{command.action.method}({', '.join(arguments)})"
        return f"apart(lambda: {call})" if self.write.transaction and command.apart else call

    def batch(self, command: WriteCommand, parts: Parts, variable: str, rows: str, any_of: str) -> Iterator[str]:
        yield f"if {any_of}:"
        of_rows = f"for {variable} in {rows}"
        if command.action is Action.INSERT_ONE:
            method, each = "insert_many", f"{parts.arguments[0]}\n{of_rows}"
        else:
            method, requests = "bulk_write", [*_requests(command, parts)]
            several = f"each\n{of_rows}\nfor each in (\n{_listed(requests)})"
            each = several if requests[1:] else f"{requests[0]}\n{of_rows}"
        yield indent(f"{_collection(command)}.{method}([\n{indent(each, '    ')}\n], session=session)", "    ")

    def first_of_each(self, columns: Sequence[str], rows: str, gathered: Sequence[str]) -> str:
        lists = f", gathered={one_line(list(gathered))}" if gathered else ""
        return f"first_of_each({one_line(list(columns))}, {rows}{lists})"

    def both(self, command: WriteCommand, parts: Parts) -> str:
        return f"{_collection(command)}.bulk_write([\n{_listed(_requests(command, parts))}], session=session)"

    def place(self, place: ArrayPlace, row: str, column: str) -> str:
        return f"{one_line(f'{place.path}.')} + str(place({row}, {one_line(column)}, {place.first}))"

    def values(self, column: str, rows: Sequence[str]) -> str:
        return f"values_of({one_line(column)}, {', '.join(rows)})"

    def new_rows(self, column: str, first: str, found: str) -> str:
        return f"new_rows({one_line(column)}, {first}, lambda last: {found})"

    def read(self, step: ReadRows, row: str, lists: Mapping[str, str]) -> str:
        read = step.read
        words = words_of_read(step, row, self.words, lists, self.converted)
        words = replace(words, equal_to="equal_to", row_count=row_count_stages)
        target = "db" if read.collection is None else f"db[{one_line(read.collection)}]"
        session = ["session=session"] if self.has_session else []
        options = f", collation={one_line(read.collation_option)}" if read.collation_option else ""
        if read.operation is Operation.AGGREGATE:
            stages = words.literal(coded(list(read.pipeline), row, words))
            call = f"{target}.aggregate({', '.join([stages, *session])}, allowDiskUse=True{options})"
        else:
            parts = [words.literal(coded(each, row, words)) for each in (read.filter or {}, read.projection)]
            counts = (("skip", read.skip), ("limit", read.limit))
            if any(isinstance(count, RowCount) for _, count in counts):
                raise rendering_gap("a number of rows given as a parameter, in Python")
            numbers = [f"{name}={n}" for name, n in counts if n]
            sort = [f"sort={list(read.sort)!r}"] if read.sort else []
            call = f"{target}.find({', '.join([*parts, *sort, *numbers, *session])}{options})"
        json = json_columns(step)
        return f"rows_of({call}{f', json={one_line(json)}' if json else ''})"


def _collection(command: WriteCommand) -> str:
    return f"db[{one_line(command.collection)}]"


def _options(command: WriteCommand, parts: Parts) -> list[str]:
    filters = [f"array_filters=[{', '.join(parts.array_filters)}]"] if parts.array_filters else []
    return [*filters, *(["upsert=True"] if command.upsert else [])]


def _requests(command: WriteCommand, parts: Parts) -> Iterator[str]:
    """The command as a part of a `bulk_write`, and how to handle its result."""
    kind = f"{command.action[0].upper()}{command.action[1:]}"
    yield f"{kind}({', '.join([*parts.arguments, *_options(command, parts)])})"
    if command.back is not None:
        yield f"UpdateOne({parts.arguments[0]}, {one_line(command.back)})"


def _listed(items: Iterable[str]) -> str:
    """Each item on a line of its own."""
    return "".join(f"{indent(each, '    ')},\n" for each in items)


def _met(command: WriteCommand, call: str) -> str:
    """How many documents the call inserted, matched or deleted."""
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


def _cell(row: str, column: str) -> str:
    return f"{row}.get({one_line(column)}, MISSING)"


def _docstring(write: CompiledWrite) -> str:
    """The function's docstring: the statement, what it returns, and what is left to be done."""
    sql = comment(write.sql).replace("\\", "\\\\").replace('"""', "'''").rstrip('"')
    left = f" The background sync brings {', '.join(write.left)}." if write.left else ""
    given = "how many rows that were" if write.answer is None else "the rows it answers"
    return f"{sql.rstrip(';') or write.name}: {given}.{left}"
