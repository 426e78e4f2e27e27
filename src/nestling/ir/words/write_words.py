"""Write plans in words: what is read, refused and changed, a line for each step in the order they are done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from nestling.common.errors import name_list
from nestling.ir.paths.access_path import describe_step
from nestling.ir.paths.write_path import (
    AddToSet,
    Answer,
    Cell,
    ComputeField,
    Constant,
    DeleteDocuments,
    DocumentChange,
    Each,
    ElementFilter,
    Extend,
    Fetch,
    FieldMatch,
    Give,
    GivenValue,
    IfThere,
    Increment,
    InsertOne,
    Items,
    ListParameter,
    NewNumbers,
    PairList,
    Pull,
    Push,
    Refuse,
    Set,
    SetElements,
    SubDocument,
    Test,
    UpdateDocuments,
    WritePlan,
    WriteStep,
    WrittenValue,
)
from nestling.ir.programs.compiled import ReadPlan
from nestling.ir.quantity_words import counted
from nestling.ir.words.row_words import text


def describe_write(plan: WritePlan) -> str:
    """The plan in words, what is left to the background sync last."""
    lines = [_numbers(each) for each in plan.new_numbers]
    lines += [line for step in plan.steps for line in _lines(step)]
    left = [f"left to the background sync: {', '.join(f'`{name}`' for name in plan.left)}"] if plan.left else []
    answer = [f"answer {_answered(plan.answer)}"] if plan.answer is not None else []
    return "\n".join([*lines, *answer, *left])


def _numbers(new: NewNumbers) -> str:
    above = f"of `{new.counter}`, above the highest so far: {_read(new.highest)}"
    if new.count is None:
        return f"before it, take {counted(len(new.names), 'number')} ({', '.join(new.names)}) {above}"
    first, last = new.names
    return f"to count, {_read(new.count)}; outside of the transaction, take as many numbers ({first} to {last}) {above}"


def _read(plan: ReadPlan) -> str:
    return " ".join(describe_step(plan.step).split("\n")).strip()


def _answered(answer: Answer) -> str:
    return f"{', '.join(column.name for column in answer.columns)} of {', '.join(answer.rows)}"


def same_words(names: Iterable[str]) -> str:
    """Why a row is refused that has what another has: the attributes, or the fields of an index."""
    return f"a row with the same {name_list(names) or 'values'} already exists"


def _lines(step: WriteStep) -> Iterator[str]:
    match step:
        case Fetch(rows, plan, cells, lists, repeats):
            of = f" for {', '.join(f'{name} = {column}' for name, column in cells)}" if cells else ""
            again = ", repeated with the result until nothing new is found" if repeats else ""
            yield f"as {rows}{of}{''.join(map(_list, lists))}{again}:"
            yield from (f"  {line}" for line in describe_step(plan.step).splitlines())
        case Give(rows, values):
            yield f"as {rows}: {counted(len(values), 'row')} of the statement"
        case Refuse(rows, violation, said, missing):
            without = f" without {' or '.join(missing)}" if missing else ""
            yield f"refuse if there are {rows}{without} ({violation}): {said}"
        case Each(rows, steps, by, gathered):
            which = f"each {' and '.join(by)} of" if by else "each of"
            every = f", with every {' and '.join(gathered)}" if gathered else ""
            yield f"for {which} {rows}{every}{', at once' if step.at_once is not None else ''}:"
            yield from (f"  {line}" for inner in steps for line in _lines(inner))
        case InsertOne(collection, document, if_there):
            yield f"insert into `{collection}`{_IF_THERE[if_there]} {value_words(document)}"
        case UpdateDocuments():
            yield from _update_lines(step)
        case DeleteDocuments(collection, where, many):
            yield f"delete {_which(collection, where, many=many)}"
        case _:
            assert_never(step)


_IF_THERE = {
    IfThere.REFUSE: "",
    IfThere.LEAVE: " unless it exists",
    IfThere.REPLACE: " in place of the existing one",
}


def _list(listed: ListParameter) -> str:
    return f", {listed.parameter} = every {listed.column} of {' and '.join(listed.rows)}"


def _update_lines(step: UpdateDocuments) -> Iterator[str]:
    changes = "; ".join(map(_change, step.changes)) or "change nothing"
    if step.back:
        changes += f"; then {'; '.join(map(_change, step.back))}"
    filters = "".join(f", {_element(each)}" for each in step.filters)
    apart = "outside of the transaction, " if step.apart else ""
    yield f"{apart}in {_which(step.collection, step.where, many=step.many)}{filters}: {changes}"
    if step.on_insert is not None:
        fields = ", ".join(f"{path} = {value_words(value)}" for path, value in step.on_insert)
        yield "  or else insert it" + (f" with {fields}" if fields else "")
    if step.otherwise:
        yield "  where none matched:"
        yield from (f"    {line}" for inner in step.otherwise for line in _lines(inner))


def _which(collection: str, where: Sequence[FieldMatch], *, many: bool) -> str:
    which = "every document" if many else "the document"
    return f"{which} of `{collection}`" + (f" where {_all(where)}" if where else "")


def _all(where: Sequence[FieldMatch]) -> str:
    return " and ".join(map(_asked, where))


def _asked(match: FieldMatch) -> str:
    of = f"`{match.path}`" if match.path else "it"
    is_there = f"{of} {match.test}"
    return (
        is_there
        if match.test is Test.THERE
        else f"{of} {_TESTS.get(match.test, match.test)} {value_words(match.value)}"
    )


_TESTS = {Test.EQUAL: "is", Test.NOT_EQUAL: "is not", Test.IN: "is in"}


def _element(filter: ElementFilter) -> str:  # noqa: A002 - the driver's word
    return f"{filter.name} where {_all(filter.matches)}"


def _change(change: DocumentChange) -> str:
    match change:
        case Set(path, value, place, first):
            at = "" if place is None else f"[{place} − {first}]" if first else f"[{place}]"
            return f"set `{path}{at}` to {value_words(value)}"
        case Increment(path, value, negative):
            return f"{'take' if negative else 'add'} {value_words(value)} {'from' if negative else 'to'} `{path}`"
        case Extend(path, value, greater):
            return f"raise `{path}` to {value_words(value)}" if greater else f"lower `{path}` to {value_words(value)}"
        case Push():
            return _push(change)
        case Pull(path, matches):
            return f"remove from `{path}` the elements with {_all(matches)}"
        case AddToSet(path, value):
            return f"add {value_words(value)} to `{path}` unless already there"
        case ComputeField(path, value, _):
            return f"set `{path}` to {text(value)}"
        case SetElements(path, key, keys, fields):
            values = " and ".join(f"`{field}` to {value_words(each)}" for field, each in fields)
            return f"in each of `{path}` whose `{key}` is in {value_words(keys)}, set {values} at the same place"
        case _:
            assert_never(change)


def _push(push: Push) -> str:
    first = f"put `{push.path}` in order" if push.value is None else f"add {value_words(push.value)} to `{push.path}`"
    keys = ", ".join(f"{path or 'value'}{' descending' if way < 0 else ''}" for path, way in push.order)
    order = f", by {keys}" if keys else ""
    return first + order + (f", keep the first {push.keep}" if push.keep is not None else "")


def value_words(value: WrittenValue) -> str:
    """A value in words."""
    match value:
        case Cell(column):
            return f"its {column}"
        case Constant(constant):
            return repr(constant)
        case GivenValue(expression):
            return text(expression)
        case SubDocument(fields, spread):
            inner = [f"{path}: {value_words(each)}" for path, each in fields]
            return "{" + ", ".join([*inner, *([f"and the rest of its {spread}"] if spread is not None else [])]) + "}"
        case PairList(pairs=pairs):
            return "pairs of " + ", ".join(f"{name}: {value_words(each)}" for name, each in pairs)
        case Items(items):
            return "[" + ", ".join(map(value_words, items)) + "]"
        case _:
            assert_never(value)
