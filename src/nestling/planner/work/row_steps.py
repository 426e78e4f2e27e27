"""The work of the steps only statements need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from nestling.ir.paths import work_of
from nestling.ir.paths.row_steps import (
    VARIABLE,
    Add,
    AggregateElements,
    Barrier,
    Compute,
    Constants,
    Correlate,
    FirstRows,
    GraphLookup,
    GroupRows,
    KeepElements,
    Layout,
    Repeat,
    RowStep,
    Shape,
    Slice,
    SortRows,
    Where,
    WhereElement,
    WherePair,
    Windows,
)
from nestling.ir.paths.work import Work
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, SortKey
from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.ir.statements.operands import columns_of, conjuncts, nullable
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.bounds import ELEMENT_BYTES, FRAMING_BYTES, UNKNOWN_BYTES
from nestling.ir.storage.collations import BY_EXPRESSION
from nestling.ir.storage.names import is_within
from nestling.planner.known.ranges import SampleValues, column_in
from nestling.planner.known.selectivity import bytes_by, distinct_values, elements_by, known_by_path, share, together
from nestling.planner.known.values import KnownOf, PathStatistics
from nestling.planner.reads.rewrites.foreign_key_as_parent import fixed_column
from nestling.planner.work.average_documents import AverageDocuments
from nestling.planner.work.conditions import (
    compared_in,
    condition,
    element_condition,
    empty_share,
    has_some,
    merged,
    met_windows,
    said_again,
    sayable,
)
from nestling.planner.work.expressions import elements_weight, patterns, size, weight
from nestling.planner.work.facts import UNKNOWN_LIMIT, WorkFacts
from nestling.planner.work.first_access import IndexOrder, access_taken, asked_in_turn, distinct, first_of_each
from nestling.planner.work.lookups import with_all_reached, with_found_rows
from nestling.planner.work.pairs import added, in_pairs
from nestling.planner.work.stream import Condition, Stream, Use

MOST_LIKE_ONE = 2.0
"""Rows of a group whose least or greatest value is taken to lie where any of their values does (chosen, not measured)."""
_Walk = Callable[..., Stream]
Open = Callable[..., Stream]


def row_step(step: RowStep, facts: WorkFacts, walk: _Walk, opened: Open, wanted: float | None) -> Stream:  # noqa: C901
    """The rows of a step; `walk` and `opened` are those of the steps below."""

    def rows(below: object) -> Stream:
        return opened(walk(below, facts), facts)

    match step:
        case Where():
            return _where(step, walk(step.source, facts), facts)
        case WhereElement():
            return _where_element(step, walk(step.source, facts), facts.values)
        case KeepElements(source):
            return _elements_kept(step, rows(source))
        case AggregateElements(source):
            return _elements_aggregated(step, rows(source))
        case WherePair():
            return in_pairs(step, walk(step.source, facts), facts)
        case Compute(source, fields, layout):
            return _computed(rows(source), dict(fields), layout)
        case Add(source):
            return added(step, rows(source))
        case Shape(source):
            needs = _paths([each for _, each in step.fields], step.layout)
            return _shaped(step, opened(walk(source, facts, wanted=wanted), facts, needs))
        case Correlate(source):
            return with_found_rows(step, rows(source), facts, lambda below, inner: opened(walk(below, inner), inner))
        case GroupRows(source):
            return _grouped(step, walk(source, facts), facts, opened)
        case SortRows(source):
            return _sorted(step, walk(source, facts), facts, opened, wanted)
        case FirstRows():
            return _first(step, walk, facts, opened)
        case Slice():
            return _sliced(step, facts, walk, opened)
        case Barrier(source):
            stream = rows(source)
            return stream.then(work_of.pass_on(stream.rows))
        case Repeat(source):
            stream = rows(source)
            return stream.then(work_of.pass_on(stream.rows) + work_of.unwind(stream.rows))
        case Windows():
            return _windowed(step, rows(step.source))
        case Constants(given):
            names = {name: PathStatistics(1.0) for name, _ in given[0]} if given else {}
            return Stream(len(given), ELEMENT_BYTES + len(names) * (UNKNOWN_BYTES + FRAMING_BYTES), names, {})
        case GraphLookup(source):
            return with_all_reached(step, rows(source), facts)
        case _:
            assert_never(step)


def _find(stream: Stream, layout: Layout) -> KnownOf:
    return known_by_path(stream.known, lambda column: layout.path(column) if column in layout else None)


def _where(step: Where, stream: Stream, facts: WorkFacts) -> Stream:
    found, parts = _asked(step, stream, facts), conjuncts(step.predicate)
    known = _one_value(found.known, parts, step.layout)
    return replace(found, known=known, arrays={**found.arrays, **_not_empty(found, parts, step.layout)})


def _not_empty(stream: Stream, parts: Iterable[Expression], layout: Layout) -> Mapping[str, float]:
    """The lengths of arrays whose elements are asked for by a value in the document around them: these have some."""
    columns = (column for each in parts if (column := fixed_column(each)) is not None and column in layout)
    asked = {column.alias: layout.path(column) for column in columns}
    paths = [(asked[alias], path) for (alias, _), path in layout.entries if alias in asked]
    around = ((array, at, path) for array in stream.arrays for at, path in paths)
    told = {array for array, at, path in around if is_within(path, array) and not is_within(at, array)}
    lengths = {array: 1 - empty_share(array, stream.known, stream.arrays) for array in told}
    return {array: stream.arrays[array] / share for array, share in lengths.items() if share > 0}


def _one_value(
    known: Mapping[str, PathStatistics], parts: Iterable[Expression], layout: Layout
) -> Mapping[str, PathStatistics]:
    """What is known of the rows, of which those that equal a constant have one value."""
    columns = (column for each in parts if (column := fixed_column(each)) is not None)
    paths = [layout.path(column) for column in columns if column in layout]
    return {**known, **{path: replace(known[path], distinct=1.0) for path in paths if path in known}}


def _asked(step: Where, stream: Stream, facts: WorkFacts) -> Stream:
    parts, values = conjuncts(step.predicate), facts.values
    if stream.leading is not None:
        found = tuple(_condition(each, step.layout, stream, stream.leading.documents, values) for each in parts)
        if stream.leading.collation is not Collation.BINARY:
            found = tuple(said_again(parts, found))
        identity = step.identity or stream.leading.identity
        leading = replace(stream.leading, conditions=merged((*stream.leading.conditions, *found)), identity=identity)
        asked = dict(stream.asked)
        asked.update(met_windows(leading.conditions, leading.documents.known))
        return replace(stream.parsing(size(step.predicate)), leading=leading, asked=asked)
    find = _find(stream, step.layout)
    lengths = elements_by(_find(replace(stream, known={**facts.outer, **stream.known}), step.layout))
    told = [
        Condition(
            "",
            Use.NONE,
            share(each, find, values),
            weight=weight(each) + elements_weight(each, lengths),
            patterns=patterns(each, bytes_by(find)),
        )
        for each in parts
    ]
    work = work_of.pass_on(stream.rows) + asked_in_turn(stream.rows, told)
    stream = replace(stream, known=_rows_left(parts, step.layout, stream, values))
    return stream.parsing(size(step.predicate)).then(
        work, rows=stream.rows * _share_left(parts, step.layout, stream, values)
    )


def _rows_left(
    parts: Sequence[Expression], layout: Layout, stream: Stream, values: SampleValues
) -> Mapping[str, PathStatistics]:
    """What is known of the rows, when each table's own conditions leave some of its rows."""
    by_alias = defaultdict[str, list[Expression]](list)
    for each in parts:
        aliases = {column.alias for column in columns_of(each) if column in layout}
        if len(aliases) == 1 and stream.asked.get(_probed_path(each, layout)) is None:
            by_alias[aliases.pop()].append(each)
    find, known = _find(stream, layout), dict(stream.known)
    for alias, own in by_alias.items():
        kept = together(own, find, values)
        paths = {path for (name, _), path in layout.entries if name == alias}
        known |= {path: known[path].of_share(kept) for path in paths & known.keys()}
    return known


def _share_left(parts: Sequence[Expression], layout: Layout, stream: Stream, values: SampleValues) -> float:
    """The share of rows that conjuncts leave, of what those asked before them have left."""
    find, fresh, kept = _find(stream, layout), list[Expression](), 1.0
    for each in parts:
        probed = stream.asked.get(_probed_path(each, layout))
        if probed is None:
            fresh.append(each)
            kept /= stream.asked.get(each, 1.0) or 1.0  # of an element of the document, before that was unwound
        else:
            kept *= min(1.0, share(each, find, values) / probed) if probed > 0 else 1.0
    for window in {known.window for each in fresh if (known := compared_in(each, find)) is not None}:
        kept /= stream.asked.get(window, 1.0) or 1.0  # of all times in the windows that are met
    return min(kept * together(fresh, find, values), 1.0)


def _condition(
    predicate: Expression, layout: Layout, stream: Stream, documents: AverageDocuments, values: SampleValues
) -> Condition:
    """What is asked of the documents; the equality the lookup has asked already keeps all it is asked of again."""
    found = condition(predicate, layout, documents, values)
    again = _probed_path(predicate, layout) in stream.asked
    return replace(found, share=1.0, entries=1.0, use=Use.NONE) if again else found


def _probed_path(predicate: Expression, layout: Layout) -> str:
    """The path an equality with an outer row's value is about."""
    if not isinstance(predicate, Compare):
        return ""
    sides = [column_in(predicate.left), column_in(predicate.right)]
    paths = [layout.path(side) for side in sides if side is not None and side in layout]
    own = [path for path in paths if not path.startswith(VARIABLE)]
    return own[0] if len(paths) == 2 and len(own) == 1 else ""


def _where_element(step: WhereElement, stream: Stream, values: SampleValues) -> Stream:
    if stream.leading is None:
        return stream if step.again else _asked_of_elements(step, stream, values)
    found = element_condition(step, stream.leading.documents, values, stream.asked)
    if found is None:
        return stream
    leading = replace(stream.leading, conditions=(*stream.leading.conditions, found))
    asked = dict(stream.asked)
    for each in filter(sayable, conjuncts(step.predicate)) if step.again else ():  # the first for all of them
        asked[each] = found.share if len(asked) == len(stream.asked) else 1.0
    holding = stream.leading.documents.holding(step.array, found.share)
    leading = replace(leading, documents=holding)
    grown = replace(stream, bytes=holding.bytes, arrays=holding.arrays, asked=asked, leading=leading)
    return grown.parsing(size(step.predicate))


def _elements_aggregated(step: AggregateElements, stream: Stream) -> Stream:
    """Each element of each row is asked, and its value taken; the aggregate is added."""
    parts, argument = conjuncts(step.predicate) if step.predicate is not None else [], step.aggregate.argument
    taken = [each for each in (argument, *(key.expression for key in step.aggregate.order)) if each is not None]
    elements = stream.arrays.get(step.array, 1.0)
    asked = work_of.ask(stream.rows * (1 + elements * sum(map(weight, (*parts, *taken)))))
    is_count = step.aggregate.function is AggregateFunction.COUNT
    made = PathStatistics(max(elements, 1.0), bytes=4.0) if is_count else _known(taken[0], stream, step.layout)
    width = stream.bytes + len(step.field) + FRAMING_BYTES + made.bytes
    known = {**stream.known, step.field: made}
    return replace(stream.then(work_of.pass_on(stream.rows) + asked), known=known, bytes=width)


def _elements_kept(step: KeepElements, stream: Stream) -> Stream:
    """Each element of each row is asked."""
    parts, elements = conjuncts(step.predicate), stream.arrays.get(step.array, 1.0)
    kept = elements * together(parts, _find(stream, step.layout), {})
    asked = work_of.pass_on(stream.rows) + work_of.ask(stream.rows * elements * sum(map(weight, parts)))
    return replace(stream.parsing(size(step.predicate)).then(asked), arrays={**stream.arrays, step.array: kept})


def _asked_of_elements(step: WhereElement, stream: Stream, values: SampleValues) -> Stream:
    """All that is asked of elements, of each row's in turn."""
    find, parts = _find(stream, step.layout), conjuncts(step.predicate)
    elements = stream.arrays.get(step.array, 1.0)
    kept = has_some(together(parts, find, values), elements, empty_share(step.array, stream.known, stream.arrays))
    asked = work_of.pass_on(stream.rows) + work_of.ask(stream.rows * elements * sum(map(weight, parts)))
    rows = stream.rows * (1 - kept if step.negated else kept)
    return stream.parsing(size(step.predicate)).then(asked, rows=rows)


def _computed(stream: Stream, fields: Mapping[str, Expression], layout: Layout) -> Stream:
    known = {name: _known(each, stream, layout) for name, each in fields.items()}
    width = sum(each.bytes + len(name) + FRAMING_BYTES for name, each in known.items())
    work = _each(stream, fields.values(), layout)
    paths = {name: layout.path(each) for name, each in fields.items() if isinstance(each, Column) and each in layout}
    arrays = {name: stream.arrays[path] for name, path in paths.items() if path in stream.arrays}
    grown = replace(stream.then(work), known={**stream.known, **known}, bytes=stream.bytes + width)
    return replace(grown, arrays={**stream.arrays, **arrays})


def _known(expression: Expression, stream: Stream, layout: Layout) -> PathStatistics:
    """What is known of an expression's values."""
    find = _find(stream, layout)
    if isinstance(expression, Column):
        return replace(find(expression) or PathStatistics(), each=1.0)
    column = column_in(expression)
    width = found.bytes if column is not None and (found := find(column)) is not None else UNKNOWN_BYTES
    return PathStatistics(distinct_values((expression,), find, max(stream.rows, 1.0)), 0.0, width)


def _shaped(step: Shape, stream: Stream) -> Stream:
    known = {name: _known(each, stream, step.layout) for name, each in step.fields}
    width = ELEMENT_BYTES + sum((1 - each.missing) * each.bytes + len(n) + FRAMING_BYTES for n, each in known.items())
    shown = float(sum(step.shown and nullable(each) for _, each in step.fields))
    work = _each(stream, [each for _, each in step.fields], step.layout, extra=shown)
    return replace(stream.then(work), known=known, arrays={}, bytes=width)


def _paths(expressions: Iterable[Expression], layout: Layout) -> frozenset[str]:
    """The paths of all columns mentioned."""
    return frozenset(layout.path(column) for each in expressions for column in columns_of(each) if column in layout)


def _grouped(step: GroupRows, stream: Stream, facts: WorkFacts, opened: Open) -> Stream:
    asked = [part for _, each in step.aggregates for part in (each.argument, each.filter) if part is not None]
    needs = _paths([*(each for _, each in step.keys), *asked], step.layout)
    keys = tuple(each for _, each in step.keys)
    telling = tuple(each for name, each in step.keys if name not in step.following)
    seeking = _distinct(step, stream, needs, facts)
    stream = seeking or opened(stream, facts, needs)
    groups = distinct_values(telling, _find(stream, step.layout), stream.rows) if keys else 1.0
    groups = stream.rows if seeking is not None else groups
    told = {f"_id.{name}": _known(each, stream, step.layout) for name, each in step.keys}
    told |= {name: _made(each, step.layout, stream, groups) for name, each in step.aggregates}
    width = ELEMENT_BYTES + sum(each.each * each.bytes + len(name) + FRAMING_BYTES for name, each in told.items())
    work = _each(stream, [*keys, *asked], step.layout, extra=len(step.aggregates)) + work_of.group(
        stream.rows, groups, width
    )
    return replace(stream.blocked(work), rows=groups, known=told, arrays={}, bytes=width)


def _made(aggregate: AggregateCall, layout: Layout, stream: Stream, groups: float) -> PathStatistics:
    """What is known of an aggregate's values: a list of different ones has as many elements as a group's rows have of them, the
    extreme of few rows is like any of theirs.
    """
    known = PathStatistics(groups, bytes=8.0)
    is_extreme = aggregate.function in (AggregateFunction.MIN, AggregateFunction.MAX)
    is_of_one = aggregate.function is AggregateFunction.ANY_VALUE or (
        is_extreme and stream.rows <= MOST_LIKE_ONE * groups
    )
    if is_of_one and isinstance(aggregate.argument, Column):
        one = _known(aggregate.argument, stream, layout)
        return replace(one, distinct=min(one.distinct, groups) if one.distinct is not None else groups)
    if aggregate.function is not AggregateFunction.LIST or not aggregate.distinct or aggregate.argument is None:
        return known
    rows = stream.rows / max(groups, 1.0)
    return replace(known, each=max(distinct_values((aggregate.argument,), _find(stream, layout), rows), 1.0))


def _distinct(step: GroupRows, stream: Stream, needs: frozenset[str], facts: WorkFacts) -> Stream | None:
    """The different values of one path, where an index tells them without reading every document."""
    if stream.leading is None or step.aggregates or not len(step.keys) == len(needs) == 1:
        return None
    (path,) = needs
    known = stream.known.get(path, PathStatistics())
    access = distinct(stream.leading, facts.design, path, known.distinct or stream.rows / 2)
    return replace(stream, leading=None, rows=access.rows, flow=access.work) if access is not None else None


def _each(stream: Stream, expressions: Iterable[Expression], layout: Layout, *, extra: float = 0.0) -> Work:
    """Expressions parsed once, and worked out for each row; `extra` values beside theirs."""
    asked, text_bytes = list(expressions), bytes_by(_find(stream, layout))
    work = work_of.pass_on(stream.rows) + work_of.project(stream.rows, sum(map(weight, asked)) + extra)
    work += work_of.hold_against_pattern(stream.rows * sum(patterns(each, text_bytes) for each in asked))
    return work + work_of.parse(sum(map(size, asked)) + extra)


def _first(step: FirstRows, walk: _Walk, facts: WorkFacts, opened: Open) -> Stream:
    """Of the groups' rows the first. Where an index has them in order, and nothing else is asked, it is sought for each key."""
    found = walk(step.source, facts)
    begin = walk(step.source.source, facts) if isinstance(step.source, SortRows) else found
    stream = opened(found, facts)
    groups = distinct_values(step.keys, _find(stream, step.layout), stream.rows)
    order = _stored_order(step.source) if isinstance(step.source, SortRows) else ()
    if begin.leading is not None and len(step.keys) == 1 and not nullable(step.keys[0]):
        key = step.keys[0]
        path = step.layout.path(key) if isinstance(key, Column) and key in step.layout else ""
        access = first_of_each(begin.leading, facts.design, path, order, groups)
        if access is not None:
            return begin.read(access.rows, access.work + work_of.pass_on(2 * groups))
    work = work_of.pass_on(stream.rows) + work_of.group(stream.rows, groups, stream.bytes)
    return replace(stream.blocked(work), rows=groups).then(work_of.pass_on(groups))


def _stored_order(step: SortRows) -> IndexOrder:
    """The order as paths whose stored values the server has in it; none where a key is something else."""
    columns = [column_in(key.expression) if _is_stored(key) else None for key in step.keys]
    order = tuple(
        (step.layout.path(column), -1 if key.descending else 1)
        for column, key in zip(columns, step.keys, strict=True)
        if column is not None and column in step.layout
    )
    return order if len(order) == len(step.keys) else ()


def _is_stored(key: SortKey) -> bool:
    """Whether the server has the values in this order: by no rule that it lacks, and NULLs first or, from behind, last."""
    odd_nulls = nullable(key.expression) and key.nulls_first == key.descending
    return key.collation not in BY_EXPRESSION and not odd_nulls


def _sorted(step: SortRows, stream: Stream, facts: WorkFacts, opened: Open, wanted: float | None) -> Stream:
    order = _stored_order(step)
    if stream.leading is not None and order:
        order = (("_id", order[0][1]),) if step.by_id else order
        access = access_taken(stream.leading, facts.design, order)
        if access.ordered:
            return stream.read(access.rows, access.work + work_of.pass_on(access.rows))
    stream = opened(stream, facts)
    work = _each(stream, [key.expression for key in step.keys if not isinstance(key.expression, Column)], step.layout)
    sort = work_of.sort(stream.rows, stream.bytes) if wanted is None else work_of.top(stream.rows, wanted)
    return stream.blocked(work + sort)


def _sliced(step: Slice, facts: WorkFacts, walk: _Walk, opened: Open) -> Stream:
    skipped = facts.number(step.offset, 0.0) if step.offset is not None else 0.0
    if step.count is None:
        stream = opened(walk(step.source, facts), facts)
        return replace(stream, rows=max(0.0, stream.rows - skipped))
    count = facts.number(step.count, UNKNOWN_LIMIT)
    if count < 0:
        return opened(walk(step.source, facts), facts)
    stream = opened(walk(step.source, facts, wanted=count + skipped), facts).taken(count + skipped)
    return replace(stream, rows=max(0.0, stream.rows - skipped))


def _windowed(step: Windows, stream: Stream) -> Stream:
    known = {**stream.known, **{name: PathStatistics(stream.rows, bytes=8.0) for name, _ in step.functions}}
    work = work_of.pass_on(stream.rows) + work_of.sort(stream.rows, stream.bytes)
    work += work_of.group(stream.rows, 1.0) + work_of.project(stream.rows, 2.0 * len(step.functions))
    return replace(stream.blocked(work), known=known)
