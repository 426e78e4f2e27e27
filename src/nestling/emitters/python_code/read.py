"""A read, or an application-level join, as a Python function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.emitters.mql.write_code import equal_to
from nestling.emitters.python_code.conversions import Conversions
from nestling.emitters.python_code.parameters import argument, arguments_of, bound_lines
from nestling.emitters.python_code.source_layout import CallCode, PlainCode, called, laid_out, one_line, text
from nestling.ir.literals import comment
from nestling.ir.printable import blanked
from nestling.ir.programs.client_join import MOST_IDS, ClientJoin, Ids
from nestling.ir.programs.compiled import CompiledRead, Operation, OutputColumn, Placeholder
from nestling.ir.programs.row_counts import RowCount
from nestling.ir.types import JSONB, MADE, Type, TypeName

_SHOWN = {
    TypeName.DATE: "as_date",
    TypeName.TIMESTAMP: "as_timestamp",
    TypeName.TIMESTAMPTZ: "as_instant",
    TypeName.DECIMAL: "as_decimal",
    TypeName.INTEGER: "as_integer",
    TypeName.JSON: "as_json",
}

_NUMBERS: dict[TypeName | None, str] = {TypeName.DECIMAL: "as_numeric", TypeName.FLOAT: "as_double"}
"""The function for a column whose numbers are all shown as one type."""

_VARIABLES = ("stages", "query", "fields")
_INNER_VARIABLES = ("steps", "asked", "shown")


def read_function(read: CompiledRead, name: str) -> str:
    """The source of a function `name(db, *, parameters)` that gives the rows as dicts."""
    once = Conversions.of(read, tuple(map(argument, read.parameters)))
    body = [*_head(name, read), *once.lines(), *_asked(read, "found", once)]
    body += _answered(read.columns)
    return "\n".join(body) + "\n"


def join_function(join: ClientJoin, name: str) -> str:
    """The source of a function `name(db, *, parameters)` that joins in the application and returns the rows as dicts."""
    once = Conversions.of((join.first, join.second), tuple(map(argument, join.parameters)))
    return "\n".join([*_head(name, join), *once.lines(), *_joined(join, once)]) + "\n"


def _head(name: str, statement: CompiledRead | ClientJoin) -> Iterator[str]:
    named = [f"{argument(each)}: Any" for each in statement.parameters]
    arguments = ["db: Database[Any]", *(["*", *named] if named else [])]
    yield called(f"def {name}(", arguments, ") -> list[dict[str, Any]]:", level=0)
    yield from docstring(statement.sql)
    yield from bound_lines(statement)


def docstring(sql: str) -> Iterator[str]:
    """The statement as the function's docstring."""
    lines = [line.rstrip() for line in sql.strip().rstrip(";").replace("\\", "\\\\").replace('"""', "'''").splitlines()]
    printable = [blanked(line) for line in lines if line.strip()]
    if len(printable) == 1:
        only = comment(printable[0])
        yield f'    """{only}{" " if only.endswith(chr(34)) else ""}"""'
        return
    first, *others = printable or [""]
    yield f'    """{first.strip()}'
    yield from (f"    {line}" for line in others)
    yield '    """'


def _asked(read: CompiledRead, found: str, once: Conversions, *, level: int = 1) -> Iterator[str]:
    """Lines that put the documents of a read into a variable."""
    before = "    " * level
    stages, query, fields = _VARIABLES if level == 1 else _INNER_VARIABLES
    target = "db" if read.collection is None else f"collection(db, {text(read.collection)})"
    options = [f"collation={one_line(read.collation_option)}"] if read.collation_option else []
    if read.operation is Operation.AGGREGATE:
        yield from laid_lines(_stages(read.pipeline, once), before=f"{before}{stages}: list[Any] = ", level=level)
        arguments = [stages, "allowDiskUse=True", *options]
        yield before + called(f"{found} = {target}.aggregate(", arguments, ")", level=level)
        return
    yield from laid_lines(_coded(read.filter or {}, once), before=f"{before}{query}: dict[str, Any] = ", level=level)
    yield from laid_lines(_coded(read.projection or {}, once), before=f"{before}{fields} = ", level=level)
    arguments = [query, fields]
    arguments += [f"sort={_sort(read.sort)}"] if read.sort else []
    if isinstance(read.skip, RowCount):
        arguments.append(f"skip=offset_of({_count(read.skip)})")
    elif read.skip:
        arguments.append(f"skip={read.skip}")
    if isinstance(read.limit, RowCount):
        yield f"{before}limit = limit_of({_count(read.limit)})"
        yield f"{before}if limit == 0:"
        yield f"{before}    return []"
        arguments.append("limit=limit or 0")
    elif read.limit is not None:
        arguments.append(f"limit={read.limit}")
    arguments += ["allow_disk_use=True", *options]
    yield before + called(f"{found} = {target}.find(", arguments, ")", level=level)


def _count(count: RowCount) -> str:
    """The arguments of a function that says how many rows."""
    return ", ".join(arguments_of(count))


def row_count_stages(count: RowCount) -> str:
    """The elements of a pipeline that skip or take so many rows."""
    return f"*{'skipped' if count.skips else 'limited'}({_count(count)})"


def _sort(keys: Sequence[tuple[str, int]]) -> str:
    return "[" + ", ".join(f"({text(path)}, {direction})" for path, direction in keys) + "]"


def laid_lines(value: object, *, before: str, level: int) -> Iterator[str]:
    """The lines of a value after `before`, whose indentation counts."""
    indentation = "    " * level
    yield indentation + laid_out(value, before=before.removeprefix(indentation), level=level)


def _stages(stages: Sequence[object], once: Conversions) -> list[object]:
    """Stages of a pipeline; a limit or offset that is a parameter may be no stage at all."""
    found: list[object] = []
    for stage in stages:
        match stage:
            case {"$limit": RowCount() as count} | {"$skip": RowCount() as count}:
                found.append(PlainCode(row_count_stages(count)))
            case _:
                found.append(_coded(stage, once))
    return found


def _coded(value: object, once: Conversions) -> object:
    if isinstance(value, dict):
        if (asked := equal_to(value)) is not None:
            value = once.given(asked)
            return CallCode("equal_to", (value if isinstance(value, CallCode) else value.text,))
        return {
            name: _stages(inner, once) if name == "pipeline" and isinstance(inner, list) else _coded(inner, once)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_coded(inner, once) for inner in value]
    if isinstance(value, Ids):
        return PlainCode("keys")
    return once.given(value) if not isinstance(value, str) and isinstance(value, Placeholder) else value


def _answered(columns: Sequence[OutputColumn]) -> Iterator[str]:
    yield from laid_lines(shown_columns(columns), before="    columns = ", level=1)
    yield "    return rows_from(found, columns)"


def shown_columns(columns: Sequence[OutputColumn]) -> dict[str, PlainCode]:
    """The function that converts each column's value for display, by its field."""
    return {column.field: PlainCode(conversion_of(column.type, _NUMBERS.get(column.number))) for column in columns}


def conversion_of(kind: Type, number: str | None = None) -> str:
    """The function, as text, that converts a stored value of this type for display; `number`: that for a plain number."""
    if kind.name is TypeName.ARRAY and kind.element is not None:
        return f"as_array({conversion_of(kind.element, number)})"
    if number is not None:
        return number
    if kind.is_char:
        return f"as_char({kind.numbers[0]})"
    if kind.carried in (JSONB, MADE):
        return "as_jsonb"
    return _SHOWN.get(kind.name, "as_found")


# --- joins ---------------------------------------------------------------------------------------------------------------


def _joined(join: ClientJoin, once: Conversions) -> Iterator[str]:
    joining = join.joining
    yield from _asked(join.first, "first", once)
    yield "    found: list[dict[str, Any]] = []"
    ours, theirs = ("row", "other") if joining.ordered_by == 0 else ("other", "row")
    values = {
        column.field: PlainCode(f"{(ours, theirs)[side]}.get({text(field)})")
        for column, (side, field) in zip(join.columns, joining.outputs, strict=True)
    }
    if joining.ordered_by == 0:
        none = "[{}]" if joining.lonely else "[]"
        yield f"    for rows in parts_of(first, {MOST_IDS}):"
        yield f"        keys = ids_in(rows, {text(joining.given)})"
        yield from _asked(join.second, "second", once, level=2)
        yield f"        others = by_field(second, {text(joining.found)})"
        yield "        for row in rows:"
        yield f"            for other in others.get(row.get({text(joining.given)}), {none}):"
        yield from laid_lines(values, before="                made = ", level=4)
        yield "                found.append(made)"
    else:
        yield f"    others = by_field(first, {text(joining.given)})"
        yield "    every = [key for key in others if key is not None]"
        part = "[every]" if joining.whole else f"parts_of(every, {MOST_IDS})"
        yield f"    for keys in {part}:"
        yield from _asked(join.second, "second", once, level=2)
        yield "        for row in second:"
        partners = f"others.get(row.get({text(joining.found)}), [])" if joining.found else "[{}]"
        yield f"            for other in {partners}:"
        yield from laid_lines(values, before="                made = ", level=4)
        yield "                found.append(made)"
    yield from _answered(join.columns)
