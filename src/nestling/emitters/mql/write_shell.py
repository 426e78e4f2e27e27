"""A compiled write for mongosh: one command is one line, a program a script that runs in a transaction where it needs one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import indent
from typing import assert_never

from nestling.emitters.identifiers import Identifiers, identifier
from nestling.emitters.mql.program_writer import Parts, ProgramWriter
from nestling.emitters.mql.shell_names import BLOCK, support, taken, variable
from nestling.emitters.mql.write_code import Words, coded, json_columns, words_of_read
from nestling.ir.literals import comment, of_collection, quoted, shell, shell_ordered
from nestling.ir.paths.write_path import IdForm, Violation
from nestling.ir.programs.compiled import Operation, Placeholder
from nestling.ir.programs.program import (
    Action,
    ArrayPlace,
    CompiledWrite,
    ForEach,
    GivenRows,
    ProgramStep,
    ReadRows,
    RefuseRows,
    TakeNumbers,
    WriteCommand,
)

_NEW_IDS = {IdForm.UUID: "UUID()", IdForm.TEXT: "UUID().toString()", IdForm.OBJECT_ID: "ObjectId()"}


def _called(script: str, defined: set[str]) -> str:
    """The support functions that the script calls and that are not `defined` yet; marks them as defined."""
    text = support()
    starts = [(match[1], match.start()) for match in BLOCK.finditer(text)]
    ends = [start for _, start in starts[1:]] + [len(text)]
    blocks = {name: text[start:end] for (name, start), end in zip(starts, ends, strict=True)}
    found: set[str] = set()
    waiting = [script]
    while waiting:
        names = blocks.keys() & set(re.findall(r"\w+", waiting.pop())) - found - defined
        found |= names
        waiting += [blocks[name] for name in names]
    defined |= found
    return "".join(block for name, block in blocks.items() if name in found)


def is_script(write: CompiledWrite) -> bool:
    """Whether the write needs a script, which calls functions of `support`."""
    return _only_command(write) is None or write.transaction or bool(write.new_numbers)


def _only_command(write: CompiledWrite) -> WriteCommand | None:
    """The one command of the write: that parameters are not NULL, asked before it, the collection's validator asks too."""
    *before, last = write.steps or (None,)
    if write.answer is not None:
        return None
    are_given = all(
        isinstance(step, GivenRows) or (isinstance(step, RefuseRows) and step.violation is Violation.NOT_NULL)
        for step in before
    )
    return replace(write, steps=write.steps[-1:]).command if are_given and isinstance(last, WriteCommand) else None


def write_shell(write: CompiledWrite, defined: set[str] | None = None) -> str:
    """The write for mongosh; a free parameter is a variable with its name (`variable`), set before to the stored value.

    The script's last line returns the rows for RETURNING, or else the number of affected rows or matched documents. Functions
    that it calls are printed before it, except those that earlier scripts have `defined`; new ones are added to that set.
    """
    return "\n".join(_Script(write).lines(set() if defined is None else defined))


class _Script(ProgramWriter):
    """One script being written."""

    document = "document_"

    def __init__(self, write: CompiledWrite) -> None:
        names = Identifiers(*_variables(write.parameters), *write.made, *taken(), otherwise="rows")
        super().__init__(write, names, Words(shell, _cell, _parameter, "orNull", "part"))
        self.declared: set[str] = set()
        self.begun: set[str] = set()  # none yet, with others to come
        self.database = "my"

    def lines(self, defined: set[str]) -> Iterator[str]:
        yield from (f"// left to the background sync: {comment(name)}" for name in self.write.left)
        yield from (f"var {each.name} = {_NEW_IDS[each.form]};" for each in self.write.new_ids)
        command = _only_command(self.write)
        if command is not None and not is_script(self.write):
            yield from self._plain(command)
            return
        body = "\n".join(self.body())
        self.database = "db"
        numbers = "".join(f"{line}\n" for each in self.write.numbers_before for line in self.taken(each))
        if called := _called(numbers + body, defined):
            yield called
        yield from numbers.splitlines()
        result, first = ("affected", "0") if self.write.answer is None else ("answered", "[]")
        yield f"var {result};"  # var: scripts follow each other
        if not self.write.transaction:
            yield f"(my => {{\n  {result} = {first};\n{indent(body, '  ')}\n}})(db);\n{result};"
            return
        yield "var session = db.getMongo().startSession(), my = session.getDatabase(db.getName());"
        yield f"session.withTransaction(() => {{\n  {result} = {first};\n{indent(body, '  ')}"
        yield '}, {readConcern: {level: "snapshot"}, writeConcern: {w: "majority"}});'
        yield f"session.endSession();\n{result};"

    def taken(self, numbers: TakeNumbers) -> Iterator[str]:
        field = quoted(numbers.highest.read.columns[0].field)
        there = self.read(numbers.highest, "", {})
        names, counter = ", ".join(numbers.names), quoted(numbers.counter)
        if numbers.count is None:
            yield f"var [{names}] = nextNumbers({counter}, {len(numbers.names)}, {there}, {field});"
            return
        count = self.read(numbers.count, "", {})
        yield f"const [{names}] = numbersForRows({counter}, {count}, {there}, {field});"

    def _plain(self, command: WriteCommand) -> Iterator[str]:
        """Plain MQL, as people write it."""
        words = Words(shell, _cell, variable, "", "")
        parts = (command.filter, command.document, command.update)
        arguments = [shell(coded(each, "", words)) for each in parts if each is not None]
        filters = [coded(each, "", words) for each in command.array_filters]
        options = {**({"arrayFilters": filters} if filters else {}), **({"upsert": True} if command.upsert else {})}
        arguments += [shell(options)] if options else []
        yield from (f"// {comment(step.text)}" for step in self.write.steps if isinstance(step, RefuseRows))
        if self.write.parameters:
            yield "// a parameter that is NULL: leave its field out ($unset it where it is $set); in a filter it equals nothing"
        yield f"{of_collection('db', command.collection)}.{command.action}({', '.join(arguments)})"

    def steps(self, steps: Sequence[ProgramStep], row: str) -> Iterator[str]:
        for place, step in enumerate(steps):
            if isinstance(step, GivenRows) and not step.documents:
                self.begun.add(step.rows)
            if isinstance(step, ForEach):  # what is read in its block and used after it is declared before it
                for rows in sorted((set(_read_in(step.steps)) & set(_used_in(steps[place + 1 :]))) - self.begun):
                    yield f"let {self.variable(rows)} = [];"
                    self.declared.add(rows)
            yield from super().steps([step], row)

    def converted(self, placeholder: Placeholder) -> str:
        return f"orNull({variable(placeholder)})"

    def assigned(self, rows: str, value: str) -> str:
        declaration = "" if rows in self.declared else "let " if rows in self.begun else "const "
        self.declared |= {rows} & self.begun
        return f"{declaration}{self.variable(rows)} = {value};"

    def refused(self, rows: str, text: str, missing: Sequence[str]) -> str:
        only = f", {shell(list(missing))}" if missing else ""
        return f"refuse({rows}, {quoted(text)}{only});"

    def repeated(self, variable: str, rows: str, body: str) -> Iterator[str]:
        yield f"for (const {variable} of {rows}) {{"
        yield indent(body, "  ")
        yield "}"

    def counted(self, rows: str) -> str:
        return f"affected += {rows}.length;"

    def answered(self, rows: str, cells: Mapping[str, str]) -> str:
        row = ", ".join(f"{quoted(field)}: row[{quoted(cell)}] ?? null" for field, cell in cells.items())
        return f"answered.push(...{rows}.map(row => ({{{row}}})));"

    def alone(self, call: str) -> str:
        return f"{call};"

    def met(self, command: WriteCommand, call: str, *, counts: bool, otherwise: str) -> Iterator[str]:
        met = _met(command, call)
        if not otherwise:
            yield f"affected += {met};"
            return
        yield "{"
        yield f"  const met = {met};"
        yield from ("  affected += met;",) if counts else ()
        yield "  if (!met) {"
        yield indent(otherwise, "    ")
        yield "  }\n}"

    def called(self, command: WriteCommand, parts: Parts) -> str:
        options = _options(command, parts)
        arguments = [*parts.arguments, *([f"{{{', '.join(options)}}}"] if options else [])]
        database = "db" if command.apart else "my"
        return f"{of_collection(database, command.collection)}.{command.action}({', '.join(arguments)})"

    def batch(self, command: WriteCommand, parts: Parts, variable: str, rows: str, any_of: str) -> Iterator[str]:
        there, target = f"if ({any_of}.length)", of_collection("my", command.collection)
        if command.action is Action.INSERT_ONE:
            yield f"{there} {target}.insertMany({rows}.map({variable} => {parts.arguments[0]}));"
            return
        requests = [*_requests(command, parts)]
        each = (
            f"flatMap({variable} => [{', '.join(requests)}])" if requests[1:] else f"map({variable} => ({requests[0]}))"
        )
        yield f"{there} {target}.bulkWrite({rows}.{each});"

    def first_of_each(self, columns: Sequence[str], rows: str, gathered: Sequence[str]) -> str:
        lists = f", {shell(list(gathered))}" if gathered else ""
        return f"firstOfEach({shell(list(columns))}, {rows}{lists})"

    def both(self, command: WriteCommand, parts: Parts) -> str:
        return f"{of_collection('my', command.collection)}.bulkWrite([{', '.join(_requests(command, parts))}])"

    def place(self, place: ArrayPlace, row: str, column: str) -> str:
        return f"[{quoted(place.path + '.')} + place({row}, {quoted(column)}, {place.first})]"

    def values(self, column: str, rows: Sequence[str]) -> str:
        return f"valuesOf({quoted(column)}, {', '.join(rows)})"

    def new_rows(self, column: str, first: str, found: str) -> str:
        return f"newRows({quoted(column)}, {first}, last => {found})"

    def read(self, step: ReadRows, row: str, lists: Mapping[str, str]) -> str:
        read, words = step.read, words_of_read(step, row, self.words, lists, variable)
        target = self.database if read.collection is None else of_collection(self.database, read.collection)
        if read.operation is Operation.AGGREGATE:
            options = {"allowDiskUse": True} | ({"collation": read.collation_option} if read.collation_option else {})
            stages = shell(coded(list(read.pipeline), row, words))
            found = f"{target}.aggregate({stages}, {shell(options)})"
        else:
            parts = (shell(coded(each, row, words)) for each in (read.filter or {}, read.projection or {}))
            found = f"{target}.find({', '.join(parts)})"
            found += f".sort({shell_ordered(read.sort)})" if read.sort else ""
            found += f".collation({shell(read.collation_option)})" if read.collation_option else ""
            found += "".join(f".{name}({n})" for name, n in (("skip", read.skip), ("limit", read.limit)) if n)
        json = json_columns(step)
        return f"rowsOf({found}.toArray(){f', {shell(list(json))}' if json else ''})"


def _options(command: WriteCommand, parts: Parts) -> list[str]:
    filters = [f"arrayFilters: [{', '.join(parts.array_filters)}]"] if parts.array_filters else []
    return [*filters, *(["upsert: true"] if command.upsert else [])]


def _requests(command: WriteCommand, parts: Parts) -> Iterator[str]:
    """The command as a part of a `bulkWrite`, and how to handle its result."""
    matching, *changed = parts.arguments
    new = "replacement" if command.action is Action.REPLACE_ONE else "update"
    fields = [f"filter: {matching}", *(f"{new}: {each}" for each in changed), *_options(command, parts)]
    yield f"{{{command.action}: {{{', '.join(fields)}}}}}"
    if command.back is not None:
        yield f"{{updateOne: {{filter: {matching}, update: {shell(command.back)}}}}}"


def _variables(parameters: Sequence[str]) -> Iterator[str]:
    """The possible variable names of the parameters."""
    for name in parameters:
        plain = identifier(name, taken(), otherwise="value")
        yield from (plain, f"{plain}_regex")


def _met(command: WriteCommand, call: str) -> str:
    """How many documents the call inserted, matched or deleted."""
    match command.action:
        case Action.INSERT_ONE:
            return f"({call}, 1)"
        case Action.DELETE_ONE | Action.DELETE_MANY:
            return f"{call}.deletedCount"
        case _ if command.leaves_alone:
            return f"{call}.upsertedCount"
        case _:
            return f"Math.max(1, {call}.matchedCount)" if command.upsert else f"{call}.matchedCount"


def _read_in(steps: Sequence[ProgramStep]) -> Iterator[str]:
    """The names of the row sets that these steps read or are given."""
    for step in steps:
        match step:
            case ReadRows(rows) | GivenRows(rows):
                yield rows
            case ForEach(steps=inner) | WriteCommand(otherwise=inner):
                yield from _read_in(inner)
            case RefuseRows():
                pass
            case _:
                assert_never(step)


def _used_in(steps: Sequence[ProgramStep]) -> Iterator[str]:
    """The rows these steps are about."""
    for step in steps:
        match step:
            case RefuseRows(rows):
                yield rows
            case ForEach(rows, inner):
                yield from (rows, *_used_in(inner))
            case WriteCommand(otherwise=inner):
                yield from _used_in(inner)
            case ReadRows(lists=lists):
                yield from (rows for each in lists for rows in each.rows)
            case GivenRows():
                pass
            case _:
                assert_never(step)


def _cell(row: str, column: str) -> str:
    return f"{row}[{quoted(column)}]"


def _parameter(placeholder: Placeholder) -> str:
    return f"parameter({variable(placeholder)})"
