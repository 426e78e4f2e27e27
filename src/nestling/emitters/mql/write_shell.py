"""A compiled write for mongosh: one command is one line, a program a script that runs in a transaction where it needs one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from textwrap import indent
from typing import assert_never

from nestling.emitters.mql.write_code import Identifiers, Words, coded, inner_row, json_columns, words_of_read, wrapped
from nestling.ir.compiled import Operation
from nestling.ir.compiled import Placeholder as AnyPlaceholder
from nestling.ir.literals import comment, of_collection, quoted, shell
from nestling.ir.program import (
    Action,
    ArrayPlace,
    CellRef,
    Command,
    CompiledWrite,
    ForEach,
    GivenRows,
    ProgramStep,
    ReadRows,
    RefuseRows,
)
from nestling.ir.write_path import IdForm, ListParameter, Violation

_NEW_IDS = {IdForm.UUID: "UUID()", IdForm.TEXT: "UUID().toString()", IdForm.OBJECT_ID: "ObjectId()"}
_BLOCK = re.compile(r"^(?:// [^\n]*\n)*(?:const|function) (\w+)", re.MULTILINE)


def support() -> str:
    """What scripts call; written out before them."""
    return files("nestling.emitters.mql").joinpath("write_support.js").read_text(encoding="utf-8")


def _called(script: str) -> str:
    """The part of it that one script calls."""
    text = support()
    starts = [(match[1], match.start()) for match in _BLOCK.finditer(text)]
    ends = [start for _, start in starts[1:]] + [len(text)]
    blocks = {name: text[start:end] for (name, start), end in zip(starts, ends, strict=True)}
    found: set[str] = set()
    waiting = [script]
    while waiting:
        names = blocks.keys() & set(re.findall(r"\w+", waiting.pop())) - found
        found |= names
        waiting += [blocks[name] for name in names]
    return "".join(block for name, block in blocks.items() if name in found)


def is_script(write: CompiledWrite) -> bool:
    """Whether it takes a script, which calls what `support` defines."""
    return _only_command(write) is None or write.transaction


def _only_command(write: CompiledWrite) -> Command | None:
    """The one command of the write: that parameters are not NULL, asked before it, the collection's validator asks too."""
    *before, last = write.steps or (None,)
    if write.answer is not None:
        return None
    are_given = all(
        isinstance(step, GivenRows) or (isinstance(step, RefuseRows) and step.violation is Violation.NOT_NULL)
        for step in before
    )
    return replace(write, steps=write.steps[-1:]).command if are_given and isinstance(last, Command) else None


def write_shell(write: CompiledWrite, *, with_support: bool = True) -> str:
    """The write for mongosh; a free parameter is a variable of its name, set before to the value as it is stored.

    A script's last line gives the rows RETURNING asks for, else the affected rows, or the documents met. Without support what it
    calls was defined before.
    """
    return "\n".join(_Script(write).lines(with_support))


class _Script:
    """One script being written."""

    def __init__(self, write: CompiledWrite) -> None:
        self.write = write
        self.names = Identifiers(*write.parameters, *(each.name for each in write.new_ids), *_TAKEN)
        self.words = Words(shell, _cell, _parameter, "orNull", "part")
        self.declared: set[str] = set()

    def lines(self, with_support: bool) -> Iterator[str]:
        yield from (f"// left to the background sync: {comment(name)}" for name in self.write.left)
        yield from (f"var {each.name} = {_NEW_IDS[each.form]};" for each in self.write.new_ids)
        command = _only_command(self.write)
        if command is not None and not is_script(self.write):
            yield from self._alone(command)
            return
        body = "\n".join(self._steps(self.write.steps, ""))
        if with_support and (called := _called(body)):
            yield called
        result, first = ("affected", "0") if self.write.answer is None else ("answered", "[]")
        yield f"var {result};"  # var: scripts follow each other
        if not self.write.transaction:
            yield f"(my => {{\n  {result} = {first};\n{indent(body, '  ')}\n}})(db);\n{result};"
            return
        yield "var session = db.getMongo().startSession(), my = session.getDatabase(db.getName());"
        yield f"session.withTransaction(() => {{\n  {result} = {first};\n{indent(body, '  ')}"
        yield '}, {readConcern: {level: "snapshot"}, writeConcern: {w: "majority"}});'
        yield f"session.endSession();\n{result};"

    def _alone(self, command: Command) -> Iterator[str]:
        """Plain MQL, as it is written by hand."""
        words = Words(shell, _cell, lambda placeholder: placeholder.variable, "", "")
        parts = (command.filter, command.document, command.update)
        arguments = [shell(coded(each, "", words)) for each in parts if each is not None]
        filters = [coded(each, "", words) for each in command.array_filters]
        options = {**({"arrayFilters": filters} if filters else {}), **({"upsert": True} if command.upsert else {})}
        arguments += [shell(options)] if options else []
        yield from (f"// {comment(step.text)}" for step in self.write.steps if isinstance(step, RefuseRows))
        if self.write.parameters:
            yield "// a parameter that is NULL: leave its field out ($unset it where it is $set); in a filter it equals nothing"
        yield f"{of_collection('db', command.collection)}.{command.action}({', '.join(arguments)})"

    def _steps(self, steps: Sequence[ProgramStep], row: str) -> Iterator[str]:
        for place, step in enumerate(steps):
            if isinstance(step, ForEach):  # what is read in its block and used after it is declared before it
                for rows in sorted(set(_read_in(step.steps)) & set(_used_in(steps[place + 1 :]))):
                    yield f"let {self.names[rows]} = [];"
                    self.declared.add(rows)
            yield from self._step(step, row)

    def _step(self, step: ProgramStep, row: str) -> Iterator[str]:
        match step:
            case ReadRows(rows):
                yield f"{self._declared(rows)} = {self._read(step, row)};"
                yield from self._counted(rows)
            case GivenRows(rows, documents):
                yield f"{self._declared(rows)} = {wrapped(list(documents), 'document_', row, self.words)};"
                yield from self._counted(rows)
            case RefuseRows(rows, _, text, missing):
                only = f", {shell(list(missing))}" if missing else ""
                yield f"refuse({self.names[rows]}, {quoted(text)}{only});"
            case ForEach(rows, steps):
                inner = inner_row(row)
                yield f"for (const {inner} of {self.names[rows]}) {{"
                yield indent("\n".join(self._steps(steps, inner)), "  ")
                yield "}"
            case Command():
                yield from self._command(step, row)
            case _:
                assert_never(step)

    def _declared(self, rows: str) -> str:
        return self.names[rows] if rows in self.declared else f"const {self.names[rows]}"

    def _counted(self, rows: str) -> Iterator[str]:
        answer = self.write.answer
        if answer is None and rows in self.write.counted:
            yield f"affected += {self.names[rows]}.length;"
        elif answer is not None and rows in answer.rows:
            pairs = zip(answer.columns, answer.cells, strict=True)
            row = ", ".join(f"{quoted(column.field)}: row[{quoted(cell)}] ?? null" for column, cell in pairs)
            yield f"answered.push(...{self.names[rows]}.map(row => ({{{row}}})));"

    def _command(self, command: Command, row: str) -> Iterator[str]:
        counts = not self.write.counted and self.write.answer is None and not row
        call = self._call(command, row)
        if not counts and not command.otherwise:
            yield f"{call};"
            return
        met = _met(command, call)
        if not command.otherwise:
            yield f"affected += {met};"
            return
        yield "{"
        yield f"  const met = {met};"
        yield from ("  affected += met;",) if counts else ()
        yield "  if (!met) {"
        yield indent("\n".join(self._steps(command.otherwise, row)), "    ")
        yield "  }\n}"

    def _call(self, command: Command, row: str) -> str:
        arguments = []
        if command.action is not Action.INSERT_ONE:
            arguments.append(wrapped(command.filter or {}, "matching", row, self.words))
        if command.document is not None:
            arguments.append(wrapped(command.document, "document_", row, self.words))
        if command.update is not None:
            arguments.append(self._update(command, row))
        if command.back is not None:
            updates = (arguments[1], shell(command.back))
            both = (f"{{updateOne: {{filter: {arguments[0]}, update: {each}}}}}" for each in updates)
            return f"{of_collection('my', command.collection)}.bulkWrite([{', '.join(both)}])"
        options = []
        if command.array_filters:
            filters = (wrapped(each, "matching", row, self.words) for each in command.array_filters)
            options.append(f"arrayFilters: [{', '.join(filters)}]")
        options += ["upsert: true"] if command.upsert else []
        arguments += [f"{{{', '.join(options)}}}"] if options else []
        return f"{of_collection('my', command.collection)}.{command.action}({', '.join(arguments)})"

    def _update(self, command: Command, row: str) -> str:
        if isinstance(command.update, tuple):
            return shell(
                coded(list(command.update), row, self.words.of_expressions(lambda one: f"orNull({one.variable})"))
            )
        text = wrapped(command.update, "changes", row, self.words)
        for each in command.places:
            text = text.replace(quoted(each.key), f"[{_place(each, row)}]")
        return text

    def _read(self, step: ReadRows, row: str) -> str:
        lists = {each.parameter: self._list(each) for each in step.lists}
        if not step.repeats:
            return self._read_once(step, row, lists)
        (only,) = step.lists
        found = self._read_once(step, row, {only.parameter: "last"})
        return f"newRows({quoted(only.column)}, {lists[only.parameter]}, last => {found})"

    def _list(self, listed: ListParameter) -> str:
        return f"valuesOf({quoted(listed.column)}, {', '.join(self.names[rows] for rows in listed.rows)})"

    def _read_once(self, step: ReadRows, row: str, lists: Mapping[str, str]) -> str:
        read, words = step.read, words_of_read(step, row, self.words, lists, lambda placeholder: placeholder.variable)
        target = "my" if read.collection is None else of_collection("my", read.collection)
        if read.operation is Operation.AGGREGATE:
            options = {"allowDiskUse": True} | ({"collation": read.collation_option} if read.collation_option else {})
            stages = shell(coded(list(read.pipeline), row, words))
            found = f"{target}.aggregate({stages}, {shell(options)})"
        else:
            parts = (shell(coded(each, row, words)) for each in (read.filter or {}, read.projection or {}))
            found = f"{target}.find({', '.join(parts)})"
            found += f".sort({shell(dict(read.sort))})" if read.sort else ""
            found += f".collation({shell(read.collation_option)})" if read.collation_option else ""
            found += "".join(f".{name}({n})" for name, n in (("skip", read.skip), ("limit", read.limit)) if n)
        json = json_columns(step)
        return f"rowsOf({found}.toArray(){f', {shell(list(json))}' if json else ''})"


def _met(command: Command, call: str) -> str:
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
    """The rows that are come by in these steps."""
    for step in steps:
        match step:
            case ReadRows(rows) | GivenRows(rows):
                yield rows
            case ForEach(steps=inner) | Command(otherwise=inner):
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
            case Command(otherwise=inner):
                yield from _used_in(inner)
            case ReadRows(lists=lists):
                yield from (rows for each in lists for rows in each.rows)
            case GivenRows():
                pass
            case _:
                assert_never(step)


_TAKEN = (
    *("isPlain", "parameter", "orNull", "whole", "negated", "document_", "part", "compared", "matching", "pulled"),
    *("changes", "rowsOf", "present", "place", "refuse", "affected", "answered", "session", "my", "met", "db", "row"),
    *("options", "valuesOf", "newRows", "last"),
    *("new", "delete", "class", "const", "let", "var", "function", "for", "of", "in", "if", "else", "return", "this"),
)


def _cell(row: str, column: str) -> str:
    return f"{row}[{quoted(column)}]"


def _parameter(placeholder: AnyPlaceholder) -> str:
    return f"parameter({placeholder.variable})"


def _place(place: ArrayPlace, row: str) -> str:
    assert isinstance(place.column, CellRef), "a place is a column's"
    return f"{quoted(place.path + '.')} + place({row}, {quoted(place.column.column)}, {place.first})"
