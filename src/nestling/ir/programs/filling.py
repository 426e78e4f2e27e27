"""Putting values into a write: parameters once, cells for each row. What is missing is left out, unset, or matches absence.

| where | a missing value |
|---|---|
| a field of a document, `$inc`, `$min`, `$max`, `$setOnInsert` | is left out |
| `$set` | becomes `$unset` |
| an element of an array (`OrNull`) | is null |
| `$eq`, `$ne` in a filter | the field is missing, is there |
| `$lt`, `$gt`, `$in` in a filter | matches nothing |
| a stage an updated document goes through | is null |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, assert_never, cast
from uuid import uuid4

from bson import Decimal128, ObjectId

from nestling.ir.nested_values import with_leaves
from nestling.ir.paths.write_path import IdForm
from nestling.ir.programs.compiled import CompiledRead, Mql, Placeholder, given_values
from nestling.ir.programs.program import (
    MISSING,
    CellRef,
    CompiledWrite,
    ForEach,
    GivenRows,
    Negated,
    OrNull,
    PartDocument,
    ProgramStep,
    ReadRows,
    RefuseRows,
    TakeNumbers,
    UpdateDocument,
    WholeDocument,
    WriteCommand,
)
from nestling.ir.value_forms.decimal128 import from_decimal128, to_decimal128

Leaf = Callable[[object], object]
"""The value of a `CellRef` or `Placeholder`: `MISSING` when NULL, the leaf itself while it is not known."""
RowFields: TypeAlias = Mapping[str, object]
_OPEN = (CellRef, Placeholder, OrNull, Negated, PartDocument, WholeDocument)
_NEW_IDS: Mapping[IdForm, Callable[[], object]] = {
    IdForm.UUID: uuid4,
    IdForm.TEXT: lambda: str(uuid4()),
    IdForm.OBJECT_ID: ObjectId,
}
_NOTHING: Mql = {"$in": []}


def bind_write(write: CompiledWrite, values: Mapping[str, object] | None = None) -> CompiledWrite:
    """The write with values in place of its parameters.

    Raises `WorkloadError` naming parameters that are missing or unknown, and values a parameter cannot take: a document or
    list is one for a column of JSON or an array alone, where it is data, so that no value can become an operator.
    """
    given = given_values(write, values)
    given |= {each.name: _NEW_IDS[each.form]() for each in write.new_ids}
    steps = tuple(_bound(step, given) for step in write.steps)
    new_numbers = tuple(_bound_numbers(each, given) for each in write.new_numbers)
    return replace(write, parameters=(), new_ids=(), new_numbers=new_numbers, steps=steps)


def _bound_numbers(numbers: TakeNumbers, given: Mapping[str, object]) -> TakeNumbers:
    count = numbers.count
    return numbers if count is None else replace(numbers, count=replace(count, read=bound_read(count.read, given)))


def with_numbers(write: CompiledWrite, numbers: Mapping[str, int]) -> CompiledWrite:
    """The bound write with the numbers that were taken for it."""
    left = tuple(each for each in write.new_numbers if not numbers.keys() >= {*each.names})
    return replace(write, new_numbers=left, steps=tuple(_bound(step, numbers) for step in write.steps))


def parameter_leaf(given: Mapping[str, object]) -> Leaf:
    """Parameters by their names; cells stay open."""

    def known(leaf: object) -> object:
        if not isinstance(leaf, Placeholder) or leaf.name not in given:
            return leaf
        value = leaf.bind(given[leaf.name])
        return MISSING if value is None else value

    return known


def row_leaf(row: RowFields) -> Leaf:
    """Cells by the columns of a row."""
    return lambda leaf: row.get(leaf.column, MISSING) if isinstance(leaf, CellRef) else leaf


def _bound(step: ProgramStep, given: Mapping[str, object]) -> ProgramStep:
    leaf = parameter_leaf(given)
    match step:
        case ReadRows():
            return replace(step, read=bound_read(step.read, {k: v for k, v in given.items() if k not in step.inner}))
        case GivenRows(documents=documents):
            return replace(step, documents=tuple(cast(Mql, fill(document, leaf)) for document in documents))
        case RefuseRows():
            return step
        case ForEach(steps=steps):
            return replace(step, steps=tuple(_bound(inner, given) for inner in steps))
        case WriteCommand():
            filled = filled_command(step, leaf)
            return replace(filled, otherwise=tuple(_bound(inner, given) for inner in step.otherwise))
        case _:
            assert_never(step)


def bound_read(read: CompiledRead, given: Mapping[str, object]) -> CompiledRead:
    """The read with these of its parameters known; others stay open."""
    from nestling.ir.programs.compiled import bind

    known = {name: given[name] for name in read.parameters if name in given}
    open_names = tuple(name for name in read.parameters if name not in known)
    if not open_names:
        return bind(read, known)

    def put(leaf: object) -> object:
        return leaf.bind(known[leaf.name]) if isinstance(leaf, Placeholder) and leaf.name in known else leaf

    return _put_in_read(read, put, open_names)


def read_for_row(step: ReadRows, row: RowFields, lists: Mapping[str, Sequence[object]] | None = None) -> CompiledRead:
    """The read of a step with the row's columns, and these lists, in place of the parameters that stand for them."""
    raw: dict[str, object] = {name: row.get(column) for name, column in step.cells}
    raw |= lists or {}

    def put(leaf: object) -> object:  # as it is stored: it comes from the database, not from people
        return leaf.of_row(raw[leaf.name]) if isinstance(leaf, Placeholder) and leaf.name in raw else leaf

    read = _put_in_read(step.read, put, ())
    return replace(read, pipeline=tuple(map(without_nulls, read.pipeline)))


def without_nulls(stage: Mql) -> Mql:
    """Columns that are NULL for certain are left out: a null in a row would be JSON's."""
    match stage:
        case {"$documents": list(rows)}:
            return {"$documents": [_present(row) for row in rows]}
        case {"$replaceWith": dict(row)}:
            return {"$replaceWith": _present(row)}
        case _:
            return stage


def _present(row: Mql) -> Mql:
    return {name: value for name, value in row.items() if value != {"$literal": None}}


def _put_in_read(read: CompiledRead, put: Leaf, parameters: tuple[str, ...]) -> CompiledRead:
    return replace(
        read,
        parameters=parameters,
        filter=with_leaves(read.filter, put),
        projection=with_leaves(read.projection, put),
        skip=with_leaves(read.skip, put),
        limit=with_leaves(read.limit, put),
        pipeline=tuple(with_leaves(read.pipeline, put)),
    )


# --- values ----------------------------------------------------------------------------------------------------------


def fill(value: object, leaf: Leaf) -> object:
    """The value with its leaves filled: `MISSING` when nothing is left of it."""
    match value:
        case OrNull(inner):
            found = fill(inner, leaf)
            return None if found is MISSING else OrNull(found) if isinstance(found, _OPEN) else found
        case Negated(inner):
            return _negated(fill(inner, leaf))
        case PartDocument():
            return _put_together(value, leaf)
        case WholeDocument(fields):
            whole = {name: fill(inner, leaf) for name, inner in fields.items()}
            return MISSING if MISSING in whole.values() else WholeDocument(whole) if is_open(whole) else whole
        case dict():
            filled = ((name, fill(inner, leaf)) for name, inner in value.items())
            return {name: found for name, found in filled if found is not MISSING}
        case list() | tuple():
            return [found for inner in value if (found := fill(inner, leaf)) is not MISSING]
        case CellRef() | Placeholder():
            return leaf(value)
        case _:
            return value


def _negated(value: object) -> object:
    match value:
        case Decimal128():
            return to_decimal128(-from_decimal128(value))
        case int() | float():
            return -value
        case _ if isinstance(value, _OPEN):
            return Negated(value)
        case _:
            return value if value is MISSING else 0  # a sum takes a text for 0


def _put_together(part: PartDocument, leaf: Leaf) -> object:
    fields = tuple((path, fill(value, leaf)) for path, value in part.fields)
    spread = MISSING if part.spread is None else leaf(part.spread)
    if is_open([value for _, value in fields]) or isinstance(spread, CellRef):
        return PartDocument(fields, part.spread)
    return _merged([(path.split("."), value) for path, value in fields], spread if isinstance(spread, dict) else {})


def _merged(fields: Iterable[tuple[list[str], object]], others: Mapping[str, object]) -> Mql:
    """The fields nested, then the others that none of them names; sub-documents without anything are left out."""
    groups: dict[str, list[tuple[list[str], object]]] = {}
    for (first, *rest), value in fields:
        groups.setdefault(first, []).append((rest, value))
    made: Mql = {}
    for name, group in groups.items():
        direct = [value for rest, value in group if not rest]
        if direct:
            made |= {} if direct[-1] is MISSING else {name: direct[-1]}
            continue
        beside = others.get(name)
        if inner := _merged(group, beside if isinstance(beside, dict) else {}):
            made[name] = inner
    return made | {name: value for name, value in others.items() if name not in groups}


def is_open(value: object) -> bool:
    """Whether a leaf is left in it."""
    if isinstance(value, dict):
        return any(is_open(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return any(is_open(inner) for inner in value)
    return isinstance(value, _OPEN)


# --- commands --------------------------------------------------------------------------------------------------------


def filled_command(command: WriteCommand, leaf: Leaf) -> WriteCommand:
    """The command with its leaves filled; what is `otherwise` stays as it is."""
    filled = replace(
        command,
        filter=None if command.filter is None else filled_filter(command.filter, leaf),
        document=None if command.document is None else fill(command.document, leaf),
        array_filters=tuple(filled_filter(each, leaf) for each in command.array_filters),
        places=tuple(replace(place, column=leaf(place.column)) for place in command.places),
    )
    return filled if command.update is None else replace(filled, update=_filled_update(command.update, leaf))


def filled_filter(filter: Mql, leaf: Leaf) -> Mql:  # noqa: A002 - the driver's word
    """The filter with its leaves filled."""
    made: Mql = {}
    for path, condition in filter.items():
        if path == "$and":
            made[path] = [filled_filter(cast(Mql, each), leaf) for each in cast("list[object]", condition)]
            continue
        made[path] = _filled_condition(cast(Mql, condition), leaf, path)
    return made


def without(path: str, operator: str) -> Mql:
    """What a field is asked beside NULL, which is a field that is missing, or null where others write documents: no `_id` is."""
    if operator not in ("$eq", "$ne"):
        return _NOTHING
    return {"$exists": operator == "$ne"} if path == "_id" else {operator: None}


def _filled_condition(condition: Mql, leaf: Leaf, path: str = "") -> Mql:
    """The operators of one path, filled."""
    made: Mql = {}
    for operator, value in condition.items():
        found = fill(value, leaf)
        made |= without(path, operator) if found is MISSING else {operator: found}
    return made


def _filled_update(update: UpdateDocument, leaf: Leaf) -> UpdateDocument:
    if isinstance(update, tuple):
        return tuple(cast(Mql, fill(stage, _or_null(leaf))) for stage in update)
    made: dict[str, Mql] = {}
    for operator, fields in update.items():
        for path, value in cast(Mql, fields).items():
            found = _filled_pull(cast(Mql, value), leaf) if operator == "$pull" else fill(value, leaf)
            if found is not MISSING:
                made.setdefault(operator, {})[path] = found
            elif operator == "$set":
                made.setdefault("$unset", {})[path] = ""
    nothing = "$setOnInsert" if update.keys() == {"$setOnInsert"} else "$set"
    return cast(Mql, made or {nothing: {}})  # which changes nothing, and is an update all the same


def _or_null(leaf: Leaf) -> Leaf:
    """The value for an expression, in which NULL is null."""
    return lambda value: None if (found := leaf(value)) is MISSING else found


def _filled_pull(condition: Mql, leaf: Leaf) -> Mql:
    is_element = any(name.startswith("$") and name != "$and" for name in condition)
    return _filled_condition(condition, leaf) if is_element else filled_filter(condition, leaf)


# --- parameters ------------------------------------------------------------------------------------------------------


def parameters_of(steps: Iterable[ProgramStep]) -> Iterator[str]:
    """The names of the parameters whose places are in the steps, each as often as it is there; those of cells and
    lists are left out.
    """
    for step in steps:
        match step:
            case ReadRows(read=read):
                yield from (name for name in read.parameters if name not in step.inner)
            case GivenRows(documents=documents):
                yield from _names(documents)
            case RefuseRows():
                pass
            case ForEach(steps=inner):
                yield from parameters_of(inner)
            case WriteCommand():
                yield from _names((step.filter, step.update, step.document, step.array_filters))
                yield from _names([place.column for place in step.places])
                yield from parameters_of(step.otherwise)
            case _:
                assert_never(step)


def _names(value: object) -> Iterator[str]:
    match value:
        case dict():
            yield from (name for inner in value.values() for name in _names(inner))
        case list() | tuple():
            yield from (name for inner in value for name in _names(inner))
        case OrNull(inner) | Negated(inner):
            yield from _names(inner)
        case WholeDocument(fields=whole):
            yield from _names(whole)
        case PartDocument(fields=fields):
            yield from (name for _, inner in fields for name in _names(inner))
        case _ if isinstance(value, Placeholder):
            yield value.name
        case _:
            pass
