"""Predicates of a statement as conditions on a collection's documents, which an index may serve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TypeGuard

from nestling.ir.paths.row_steps import VARIABLE, Layout, WhereElement
from nestling.ir.statements.expression import (
    SPELLED,
    Call,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Or,
)
from nestling.ir.statements.operands import columns_of, conjuncts, operands
from nestling.ir.statements.operators import ABOVE, BELOW, Collation, Comparison, Function
from nestling.ir.statistics import CLOSED_RANGE
from nestling.ir.storage.names import is_within, join
from nestling.planner.known.ranges import SampleValues, both, column_in, items_in, span_of, width
from nestling.planner.known.selectivity import OF_ELEMENTS, bytes_by, elements_by, has_element, known_by_path, share
from nestling.planner.known.values import KnownOf, PathStatistics
from nestling.planner.reads.correlate import ordered_columns
from nestling.planner.work.average_documents import FIRST_ELEMENT, AverageDocuments
from nestling.planner.work.clauses import clause
from nestling.planner.work.expressions import elements_weight, patterns, weight
from nestling.planner.work.stream import Condition, Use

NO_WINDOWS: Mapping[Expression | str, float] = {}
_RANGES = BELOW | ABOVE


def condition(predicate: Expression, layout: Layout, documents: AverageDocuments, values: SampleValues) -> Condition:
    """One conjunct tested on the documents themselves; `values`: sample values of parameters, by name."""
    either = _either(predicate, layout, documents, values)
    if either:
        kept = min(sum(prod(each.share for each in side) for side in either), 1.0)
        return Condition("", Use.NONE, kept, weight=weight(predicate), either=either)
    known = known_by_path(documents.known, lambda column: _path(column, layout))
    kept = share(predicate, known, values)
    path = _indexed_path(predicate, layout)
    if isinstance(predicate, IsNull) and any(is_within(path, array) for array in documents.arrays):
        path = ""  # of elements an entry tells only that some have none
    use = _use(predicate) if path else Use.NONE
    seeks, entries, among = 1.0, kept, False
    if isinstance(predicate, InList):
        seeks = float(len(items_in(predicate, values)))
    elif _is_of_elements(predicate):
        if predicate.function is Function.OVERLAPS:  # of all values one is sought
            seeks = max(len(predicate.arguments) - 1.0, 1.0)
        entries, among = has_element(predicate, known) * seeks, True
    span = span_of(predicate, known, values) if path else None
    said = clause(predicate, layout)
    asked = weight(predicate) + elements_weight(predicate, elements_by(known))
    text_bytes = patterns(predicate, bytes_by(known))
    varies = any(layout.path(column).startswith(VARIABLE) for column in columns_of(predicate) if column in layout)
    if varies and use is Use.RANGE and not _is_sought(predicate, path, documents):
        use = Use.NONE
    return Condition(path, use, kept, seeks, entries, asked, text_bytes, span, clause=said, among=among, varies=varies)


def _is_sought(predicate: Expression, path: str, documents: AverageDocuments) -> bool:
    """Whether an index finds a range whose end is a value of an outer row: of values as they are stored, and in no array."""
    aliases = {column.alias for column in columns_of(predicate)}
    is_plain = any(ordered_columns(predicate, alias) is not None for alias in aliases)
    return is_plain and not any(is_within(path, array) for array in documents.arrays)


def _either(
    predicate: Expression, layout: Layout, documents: AverageDocuments, values: SampleValues
) -> tuple[tuple[Condition, ...], ...]:
    """What the sides of an OR ask; nothing where an index can serve none of what one of them asks."""
    if not isinstance(predicate, Or):
        return ()
    sides = tuple(
        merged(tuple(condition(each, layout, documents, values) for each in conjuncts(side)))
        for side in predicate.operands
    )
    return sides if all(any(each.use is not Use.NONE for each in side) for side in sides) else ()


def met_windows(conditions: Iterable[Condition], known: Mapping[str, PathStatistics]) -> Mapping[str, float]:
    """By the path of where windows begin, which share of the windows a range of times meets."""
    return {each.path: each.share for each in conditions if each.path in known and known[each.path].step}


def compared_in(predicate: Expression, known: KnownOf) -> PathStatistics | None:
    """What is known of the times that a predicate compares, or the beginnings of their days, where they lie in windows."""
    columns = [*columns_of(predicate)] if isinstance(predicate, Compare) else []
    found = known(columns[0]) if len(columns) == 1 else None
    return found if found is not None and found.window else None


def element_condition(
    step: WhereElement,
    documents: AverageDocuments,
    values: SampleValues,
    met: Mapping[Expression | str, float] = NO_WINDOWS,
) -> Condition | None:
    """What must hold of an element: the documents that have one. None where the query language can ask nothing of it, and need
    not. `met`: of windows, by the path of where they begin, the share that is left.
    """
    asked = [each for each in conjuncts(step.predicate) if sayable(each)]
    parts = merged(tuple(condition(each, step.layout, documents, values) for each in asked))
    parts = tuple(_in_windows(each, documents, met) for each in parts)
    if not step.again:
        rest = [each for each in conjuncts(step.predicate) if each not in asked]
        computed = (condition(each, step.layout, documents, values) for each in rest)
        parts += tuple(replace(each, path="", use=Use.NONE) for each in computed)
    known = next((found for each in parts if (found := documents.known.get(each.path)) is not None), None)
    elements = known.each if known is not None else documents.arrays.get(step.array, 1.0)
    if not parts:
        return None
    empty = 0.0 if step.again else empty_share(step.array, documents.known, documents.arrays)
    some = of_any(parts, elements, empty)
    return replace(some, share=1 - some.share, same=()) if step.negated else some


def _in_windows(asked: Condition, documents: AverageDocuments, met: Mapping[Expression | str, float]) -> Condition:
    """A range of times asked of those alone that lie in the windows that are left."""
    known = documents.known.get(asked.path)
    left = met.get(known.window, 1.0) if known is not None else 1.0
    return replace(asked, share=min(asked.share / left, 1.0), entries=min(asked.entries / left, 1.0)) if left else asked


def of_any(parts: tuple[Condition, ...], elements: float, empty: float = 0.0) -> Condition:
    """A condition on elements as a condition on the document: whether any of so many `elements` meets it.

    `empty`: the share of documents without elements.
    """
    share, weight, patterns = 1.0, 0.0, 0.0
    for each in in_turn(parts):
        weight, patterns = weight + share * each.weight, patterns + share * each.patterns
        share *= each.share
    kept = has_some(share, elements, empty)
    return Condition(
        "", Use.NONE, kept, weight=weight * elements, patterns=patterns * elements, same=parts, elements=elements
    )


def has_some(share: float, elements: float, empty: float = 0.0) -> float:
    """The share of documents, with so many elements on average, that have one in the given share; `empty` have no elements."""
    filled = 1 - empty
    return float(filled * (1 - (1 - min(share, 1.0)) ** (elements / filled))) if filled > 0 else 0.0


def empty_share(array: str, known: Mapping[str, PathStatistics], arrays: Mapping[str, float]) -> float:
    """The share of documents whose array has no element; an array inside another's elements is asked about in none of these."""
    is_inner = any(is_within(array, other) for other in arrays if other != array)
    first = known.get(join(array, FIRST_ELEMENT))
    return 0.0 if first is None or is_inner else first.missing


def in_turn(conditions: Sequence[Condition]) -> Sequence[Condition]:
    """The order conditions are asked in: cheap ones first."""
    return sorted(conditions, key=lambda each: (each.patterns, each.weight)) if len(conditions) > 1 else conditions


def sayable(predicate: Expression) -> bool:
    """Whether the query language can ask it of an element; what needs an expression is asked after unwinding alone: a range that
    is not one of values of one type, for one.
    """
    if isinstance(predicate, Like):
        return isinstance(predicate.pattern, Literal)
    if isinstance(predicate, Compare) and predicate.operator in _RANGES and not predicate.strict:
        columns = list(columns_of(predicate))
        return len(columns) == 1 and (columns[0].numbers or not columns[0].mixed)
    if isinstance(predicate, Compare | InList):
        return len(list(columns_of(predicate))) == 1
    return all(sayable(inner) for inner in operands(predicate))


def said_again(parts: Sequence[Expression], conditions: Sequence[Condition]) -> Iterator[Condition]:
    """The conditions of a read with a collation: what is asked besides of a text that is equal to a value by it, to tell which of
    those found are meant, keeps all of these.
    """
    named = [{*columns_of(part)} for part in parts if _use(part) is Use.EQUAL]
    equal = {column for each in named if len(each) == 1 for column in each}
    for part, each in zip(parts, conditions, strict=True):
        is_again = each.use is Use.NONE and {*columns_of(part)} and equal.issuperset(columns_of(part))
        yield replace(each, share=1.0, entries=1.0) if is_again else each


def merged(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The conditions: both ends of a range as one, and what equals a field twice once, as a field has one value."""
    found: list[Condition] = []
    for each in conditions:
        other = next((one for one in found if _is_same(one, each)), None)
        if other is None:
            found.append(each)
        elif each.use is Use.RANGE:
            found[found.index(other)] = _range(other, each)
        else:
            found[found.index(other)] = min(other, each, key=lambda one: one.share)
    return tuple(found)


def _is_same(one: Condition, other: Condition) -> bool:
    """Whether both are about the one value of a field, in the same way."""
    is_alike = one.path == other.path and one.use is other.use and one.use is not Use.NONE and not one.among
    return is_alike and bool(one.path) and all(each.entries == each.share for each in (one, other))


def _range(one: Condition, other: Condition) -> Condition:
    """Both ends of a range as one condition."""
    span = both(one.span, other.span) if one.span is not None and other.span is not None else None
    kept = CLOSED_RANGE if span is None else width(span)
    kept = min(kept, *(width(each.span) for each in (one, other) if each.span is not None), 1.0)
    return replace(other, share=kept, entries=kept, weight=one.weight + other.weight, span=span)


def equal_to(path: str, documents: AverageDocuments, *, outer_distinct: float | None, unique: bool) -> Condition:
    """What a lookup asks: the value at `path`, or one of those there, equals that of an outer row."""
    known = documents.known.get(path)
    distinct = known.distinct if known is not None else None
    each = known.each if known is not None else 1.0
    if unique or (distinct is None and path == "_id"):
        distinct = documents.count * max(each, 1.0)
    distinct = max(distinct or documents.count / 10, outer_distinct or 1.0, 1.0)
    there = 1 - known.missing if known is not None else 1.0
    entries = there * each / distinct
    return Condition(path, Use.EQUAL, min(1.0, entries), entries=entries, varies=True)


def _use(predicate: Expression) -> Use:
    """What an index does for it: nothing where a comparison computes its texts first, for a collation of the source's own."""
    match predicate:
        case InList(collation=rule) | Compare(collation=rule) if rule is not Collation.BINARY:
            return Use.NONE
        case InList() | Compare(operator=Comparison.EQUAL | Comparison.SAME) | IsNull(operand=Column()):
            return Use.EQUAL
        case Call() if _is_of_elements(predicate):
            return Use.EQUAL
        case Compare(operator=operator) if operator in _RANGES:
            return Use.RANGE
        case Like(case=case) if case in SPELLED:
            return Use.EQUAL
        case Like(pattern=Literal(value=str(pattern))) if pattern and pattern[0] not in "%_":
            return Use.RANGE
        case _:
            return Use.NONE


def _is_of_elements(predicate: Expression) -> TypeGuard[Call]:
    """Whether elements of an array are asked for, of which an index has an entry each."""
    return isinstance(predicate, Call) and predicate.function in OF_ELEMENTS


def _indexed_path(predicate: Expression, layout: Layout) -> str:
    """The one path of the documents a predicate compares with something; empty when it is not one."""
    match predicate:
        case Compare(left=left, right=right):
            sides = [left, right]
        case InList(operand=operand) | Like(operand=operand) | IsNull(operand=operand):
            sides = [operand]
        case Call(arguments=arguments) if _is_of_elements(predicate):
            sides = list(arguments)
        case _:
            return ""
    paths = {layout.path(column) for side in sides for column in columns_of(side) if column in layout}
    own = [path for path in paths if not path.startswith(VARIABLE)]
    plain = all(column_in(side) is not None or not list(columns_of(side)) for side in sides)
    return own[0] if len(own) == 1 and plain else ""


def _path(column: Column, layout: Layout) -> str | None:
    return layout.path(column) if column in layout else None
