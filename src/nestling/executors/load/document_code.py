"""Compiles a document's shape to one Python function from a row to the document, so that nothing is looked up per row.

The function unpacks the row into `c0, c1, …`, asks the parts for data from other streams (`t0, …`) and puts everything at its
dotted path; empty sub-documents are removed. It is generated source rather than closures because that halves the time per
document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from nestling.executors.load.level import RowLayout
from nestling.executors.load.stored_value import NAMES, UnstorableError, ValueEncoders, expression
from nestling.ir.model import Attribute
from nestling.ir.rows import RowColumn
from nestling.ir.storage.stored_forms import STORED_FORMS, stored_values

AnyRow = tuple[Any, ...]
RowKey = tuple[Any, ...]
NewDocument = dict[str, Any]
Build = Callable[[AnyRow], Any]
BuildGroups = Callable[[Iterator[AnyRow]], Iterator[tuple[Any, list[Any]]]]
BuildStream = Callable[[Iterator[AnyRow]], Iterator[tuple[AnyRow, Any]]]

Locate = Callable[[UnstorableError, AnyRow], Exception]
"""From the error of a value to that of its row."""


class PartKind(StrEnum):
    """What a part's function gives."""

    VALUE = "value"  # what to put at the path; None: nothing
    ALWAYS = "always"  # what to put at the path, None included
    SPREAD = "spread"  # fields to put beside the document's own; None: nothing
    BOUNDED = "bounded"  # (array, flag)


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Something a document holds that is not simply a column: computed from its row, or from its row's key in another stream."""

    kind: PartKind
    path: str
    take: Callable[[AnyRow], Any]
    from_key: bool = True
    flag: str = ""
    presence: str | None = None  # the discriminator's value when the part is there


class DocumentCode:
    """Collects a document's parts and compiles them. The first `key_width` columns are a row's key for other streams."""

    def __init__(self, values: ValueEncoders, width: int, key_width: int) -> None:
        self._values = values
        self._width, self._key_width = width, key_width
        self._scope: dict[str, Any] = {**NAMES, "merge": merge, "told": stored_values}
        self._guards: list[tuple[str, str]] = []
        self._head: list[str] = []
        self._lines: list[str] = []
        self._boxes: dict[tuple[str, ...], str] = {}
        self._present: list[tuple[str, str]] = []
        self._parts = 0
        self._told: dict[int, str] = {}
        self.result = "d"
        """Source of what the compiled function gives: the document `d`, or a bare value."""

    def bind(self, thing: Any) -> str:
        """A name for a value inside the generated code."""
        name = f"x{len(self._scope)}"
        self._scope[name] = thing
        return name

    def value(self, layout: RowLayout, column: RowColumn, entity: str, attribute: Attribute) -> str:
        """Source of the BSON form of a non-NULL column: as the row says, or else by the value."""
        source = expression(attribute, f"c{layout[column]}", self.bind(self._values.encoder(entity, attribute)))
        told = self._told_values(layout, column)
        return f"{told}[{column.attribute!r}] if {column.attribute!r} in {told} else {source}" if told else source

    def value_or_null(self, layout: RowLayout, column: RowColumn, entity: str, attribute: Attribute) -> str:
        """Source of the BSON form of a column, None for NULL."""
        return f"({self.value(layout, column, entity, attribute)}) if {self._is_there(layout, column)} else None"

    def column(
        self, path: str, layout: RowLayout, column: RowColumn, entity: str, attribute: Attribute, *, required: bool
    ) -> None:
        """Add a field for a column, missing if it is NULL, or null if the row says so."""
        source = self.value(layout, column, entity, attribute)
        self.put(path, source, None if required else self._is_there(layout, column))

    def _is_there(self, layout: RowLayout, column: RowColumn) -> str:
        """Condition that a column has a value, or that its field is null."""
        there, told = f"c{layout[column]} is not None", self._told_values(layout, column)
        return f"({there} or {column.attribute!r} in {told})" if told else there

    def _told_values(self, layout: RowLayout, column: RowColumn) -> str:
        """The row's information on stored forms by attribute; "" if rows have none."""
        told = RowColumn(STORED_FORMS.name, column.path)
        return self._told.setdefault(layout[told], f"s{layout[told]}") if told in layout else ""

    def put(self, path: str, source: str, condition: str | None = None) -> None:
        """Add a field with the value of `source`, if `condition` holds."""
        *outer, last = path.split(".")
        if condition is None and not outer and not self._lines:
            self._head.append(f"{last!r}: {source}")
            return
        line = f"{self._box(tuple(outer))}[{last!r}] = {source}"
        self._lines.append(f"if {condition}: {line}" if condition else line)

    def _box(self, outer: tuple[str, ...]) -> str:
        if not outer:
            return "d"
        if outer not in self._boxes:
            holder = self._box(outer[:-1])
            self._boxes[outer] = f"b{len(self._boxes)}"
            # A part that was spread may have it.
            self._lines.append(f"{self._boxes[outer]} = {holder}.setdefault({outer[-1]!r}, {{}})")
        return self._boxes[outer]

    def guard(self, condition: str, otherwise: Callable[[AnyRow], Any]) -> None:
        """Unless `condition` holds, return `otherwise` of the row instead."""
        self._guards.append((condition, self.bind(otherwise)))

    def exact(self, places: list[tuple[int, int]]) -> str:
        """The condition that pairs of columns are exactly equal, and not just as the database compares."""
        return " and ".join(f"c{a} == c{b} and c{a}.__class__ is c{b}.__class__" for a, b in places)

    def part(self, part: DocumentPart) -> None:
        """Something that comes from elsewhere."""
        name = f"t{self._parts}"
        self._parts += 1
        self._lines.append(f"{name} = {self.bind(part.take)}({'key' if part.from_key else 'row'})")
        if part.presence is not None:
            self._present.append((name, part.presence))
        match part.kind:
            case PartKind.ALWAYS:
                self.put(part.path, name)
            case PartKind.VALUE:
                self.put(part.path, name, f"{name} is not None")
            case PartKind.SPREAD:
                self._lines.append(f"if {name} is not None: merge(d, {name})")
            case PartKind.BOUNDED:
                self.put(part.path, f"{name}[0]")
                self.put(part.flag, f"{name}[1]")

    def discriminator(self, field: str, value: str | None) -> None:
        """The field for the kinds of rows that the document holds: none, one value or several."""
        if not self._present:
            if value is not None:
                self.put(field, repr(value))
            return
        self._lines.append(f"kinds = [{value!r}]" if value is not None else "kinds = []")
        self._lines += [f"if {name} is not None: kinds.append({kind!r})" for name, kind in self._present]
        self.put(field, "kinds[0] if len(kinds) == 1 else kinds", "kinds")

    @property
    def uses_other_streams(self) -> bool:
        """Whether a document asks other streams for rows, which then must be asked in turn."""
        return any("(key)" in line for line in self._lines)

    def compile(self) -> Build:
        """The function from a row to its result."""
        build: Build = self._compiled(["def build(row):", *indented(self._body()), "  return e"])
        return build

    def compile_stream(self, locate: Locate) -> BuildStream:
        """The generator of rows with their results, computed on demand."""
        build: BuildStream = self._compiled(self._loop(["yield row, e"], locate))
        return build

    def compile_groups(self, width: int, locate: Locate) -> BuildGroups:
        """The generator of (leading columns, results of rows that share them); a single column stands for itself."""
        leading = "c0" if width == 1 else f"row[:{width}]"
        group = [
            f"if found is not None and {leading} == last: append(e)",
            "else:",
            "  if found is not None: yield last, found",
            f"  last = {leading}",
            "  found = [e]",
            "  append = found.append",
        ]
        end = ["  if found is not None: yield last, found"]
        build: BuildGroups = self._compiled([*self._loop(group, locate, ["  found = None"]), *end])
        return build

    def _loop(self, each: list[str], locate: Locate, before: list[str] | None = None) -> list[str]:
        """Lines of a generator over rows; a value that cannot be stored is located in its row."""
        handler = f"  except {self.bind(UnstorableError)} as error: raise {self.bind(locate)}(error, row) from None"
        loop = ["for row in rows:", *indented([*self._body(), *each])]
        return ["def build(rows):", *(before or []), "  try:", *indented(loop, 2), handler]

    def _body(self) -> list[str]:
        """Lines that make the result `e` of `row`."""
        columns = "".join(f"c{place}, " for place in range(self._width))
        lines = [f"{columns}= row"] if columns else []
        lines += [f"{name} = told(c{place})" for place, name in self._told.items()]
        lines += [f"key = row[:{self._key_width}]"] if self.uses_other_streams else []
        for number, (condition, otherwise) in enumerate(self._guards):
            lines.append(f"{'elif' if number else 'if'} not ({condition}): e = {otherwise}(row)")
        document = [*self._document(), f"e = {self.result}"]
        return [*lines, "else:", *indented(document)] if self._guards else [*lines, *document]

    def _document(self) -> list[str]:
        empty = [
            f"if not {box}: del {self._box(path[:-1])}[{path[-1]!r}]" for path, box in reversed(self._boxes.items())
        ]
        return [f"d = {{{', '.join(self._head)}}}", *self._lines, *empty]

    def _compiled(self, lines: list[str]) -> Any:
        exec(compile("\n".join(lines), "<document>", "exec"), self._scope)  # noqa: S102 - names in it go through repr
        return self._scope["build"]


def indented(lines: list[str], levels: int = 1) -> list[str]:
    """The lines, further in."""
    return ["  " * levels + line for line in lines]


def merge(document: NewDocument, fields: NewDocument) -> None:
    """Put fields into a document; sub-documents both have become one."""
    for name, value in fields.items():
        inner = document.get(name)
        if isinstance(inner, dict) and isinstance(value, dict):
            merge(inner, value)
        else:
            document[name] = value


def nested(path: str, value: Any) -> NewDocument:
    """A document that holds one value at a dotted path."""
    *outer, last = path.split(".")
    document = {last: value}
    for name in reversed(outer):
        document = {name: document}
    return document
