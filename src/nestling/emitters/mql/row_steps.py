"""The steps only statements need, as aggregation stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

from nestling.emitters.mql import sql
from nestling.emitters.mql.elements import aggregated_elements, kept_elements, where_element
from nestling.emitters.mql.expression import expression_mql
from nestling.emitters.mql.grouping import first_stages, group_stages
from nestling.emitters.mql.identity import by_identity
from nestling.emitters.mql.in_layout import InLayout
from nestling.emitters.mql.kinds import of_kind
from nestling.emitters.mql.sql.renderer import Renderer
from nestling.emitters.mql.sql.sort_keys import sort_parts
from nestling.ir.paths.access_path import FieldPath, PairValue, Step
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
    Keep,
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
from nestling.ir.programs.compiled import Mql
from nestling.ir.programs.row_counts import RowCount
from nestling.ir.statements.expression import Expression, Literal, Parameter
from nestling.ir.statements.operands import nullable
from nestling.ir.statements.operators import Rules

Pipeline = tuple[str | None, tuple[Mql, ...]]
"""A collection and the stages run on it; without a collection the first stage makes the documents."""


def row_step_stages(step: RowStep, pipeline: Callable[[Step], Pipeline]) -> Pipeline:
    """The pipeline of a step; `pipeline` gives that of its source."""
    if isinstance(step, Constants):
        return None, ({"$documents": [_fields(row, step.layout) for row in step.rows]},)
    if isinstance(step, Correlate) and step.beside:
        return _beside(step, pipeline)
    collection, before = pipeline(step.source)
    return collection, (*before, *_stages(step, pipeline))


def _stages(step: RowStep, pipeline: Callable[[Step], Pipeline]) -> tuple[Mql, ...]:  # noqa: C901 - one case for each
    match step:
        case Where(source, predicate, layout, identity):
            match = by_identity(sql.match_mql(predicate, InLayout(layout)), identity)
            return ({"$match": of_kind(match, source)},)
        case KeepElements(array=array):
            return ({"$set": {array: kept_elements(step)}},)
        case AggregateElements():
            return ({"$set": {step.field: aggregated_elements(step)}},)
        case WhereElement():
            return where_element(step)
        case WherePair():
            return (_where_pair(step),)
        case Compute(_, fields, layout):
            return ({"$set": _fields(fields, layout)},)
        case Add(_, fields):
            return ({"$set": {name: expression_mql(value) for name, value in fields}},)
        case Shape():
            return (_shape(step),)
        case Correlate():
            return _correlate(step, pipeline)
        case GroupRows():
            return group_stages(step, InLayout(step.layout))
        case SortRows():
            return tuple(_sort(step))
        case FirstRows():
            return first_stages(step, InLayout(step.layout))
        case Slice(_, count, offset):
            return tuple(_slice(count, offset))
        case Barrier():
            return ({"$skip": 0},)
        case Repeat(_, times, layout, field):
            numbers = {"$range": [0, sql.value_mql(times, InLayout(layout))]}
            return ({"$set": {field: numbers}}, {"$unwind": f"${field}"})
        case Windows(_, functions, layout):
            return tuple(
                stage for name, function in functions for stage in sql.window_mql(function, name, InLayout(layout))
            )
        case GraphLookup():
            return _graph_lookup(step)
        case Constants():
            raise AssertionError("constants are no stage")
        case _:
            assert_never(step)


def _where_pair(step: WherePair) -> Mql:
    """The `$match` for documents with a pair of the given name whose value satisfies the predicate.

    It is an `$elemMatch`, which can use an index over names and values, unless the predicate needs `$expr`: then the value is
    extracted from the array and compared.
    """
    match = sql.match_mql(step.predicate, InLayout(step.layout.inside(step.array)))
    if not sql.needs_expression(match):
        return {"$match": {step.array: {"$elemMatch": {step.key: {"$eq": step.name}, **match}}}}
    taken_out = Layout(tuple((column, f"{VARIABLE}pair") for column, _ in step.layout.entries))
    asked = sql.match_mql(step.predicate, InLayout(taken_out)).get("$expr", False)
    value = expression_mql(PairValue(FieldPath(step.array), step.key, step.name, step.value))
    return {"$match": {"$expr": {"$let": {"vars": {"pair": value}, "in": asked}}}}


def _fields(fields: tuple[tuple[str, Expression], ...], layout: Layout) -> Mql:
    environment = InLayout(layout)
    return {name: sql.kept_mql(value, environment) for name, value in fields}


def _shape(step: Shape) -> Mql:
    environment = InLayout(step.layout)
    values = {
        name: _shown(sql.value_mql(value, environment), value) if step.shown else sql.kept_mql(value, environment)
        for name, value in step.fields
    }
    if step.shown and all(map(_is_plain_name, values)):
        return {"$project": values if "_id" in values else {"_id": 0, **values}}
    return {"$replaceWith": _document(values)}


def _shown(value: object, expression: Expression) -> object:
    """NULL as null: a missing field would not be there at all."""
    return {"$ifNull": [value, None]} if nullable(expression) and not isinstance(expression, Literal) else value


def _is_plain_name(name: str) -> bool:
    return bool(name) and "." not in name and not name.startswith("$")


def _document(values: dict[str, object]) -> object:
    """A document with any field names: those that MongoDB's paths cannot express are set one by one, in order."""
    if all(map(_is_plain_name, values)):
        return values
    document: object = {}
    for name, value in values.items():
        document = {"$setField": {"field": {"$literal": name}, "input": document, "value": value}}
    return document


_TAKING_ALL = frozenset({"$sort", "$group", "$setWindowFields", "$bucketAuto", "$count"})
"""Stages that give nothing before they have read everything."""


def _correlate(step: Correlate, pipeline: Callable[[Step], Pipeline]) -> tuple[Mql, ...]:
    collection, inner = pipeline(step.foreign)
    lookup: Mql = {} if collection is None else {"from": collection}
    computed: tuple[Mql, ...] = ()
    if step.identity:
        computed = ({"$set": {step.field: {name: f"${path}" for name, path in step.identity}}},)
        lookup |= {"localField": step.field, "foreignField": "_id"}
    if step.equal is not None:
        lookup |= {"localField": step.equal[0], "foreignField": step.equal[1]}
    if step.variables:
        lookup["let"] = {name: path if path.startswith(VARIABLE) else f"${path}" for name, path in step.variables}
    if "localField" not in lookup:
        lookup["pipeline"] = _read_whole(inner)
    elif inner:  # without a pipeline of its own the server may choose a faster join
        lookup["pipeline"] = list(inner)
    lookup["as"] = step.field
    if step.keep is Keep.TOGETHER:
        return *computed, {"$lookup": lookup}
    unwind: object = f"${step.field}"
    if step.keep is Keep.ALL:
        unwind = {"path": unwind, "preserveNullAndEmptyArrays": True}
    return *computed, {"$lookup": lookup}, {"$unwind": unwind}


def _read_whole(inner: Sequence[Mql]) -> list[Mql]:
    """The stages of a lookup with only `let`, sorted before the first limit so that it does not end early.

    Servers (seen with 6.0) cache the result of the stages before the first use of a variable. If these end early, the cache
    holds only a part, and the next document gets its rows again in addition to all rows. The first row is right anyway.
    """
    first: int | None = None
    for place, stage in enumerate(inner):
        if stage.keys() & _TAKING_ALL:
            break
        if "$skip" in stage or stage.get("$limit", 1) != 1:
            first = place if first is None else first
        if "$limit" in stage and first is not None:
            return [*inner[:first], {"$sort": {"_id": 1}}, *inner[first:]]
    return list(inner)


def _beside(step: Correlate, pipeline: Callable[[Step], Pipeline]) -> Pipeline:
    """Lookups in a row, and then all of one document taken out of their arrays.

    What finishes the accumulators of a group waits for them: the server's faster engine goes from groups to lookups if nothing
    stands between them.
    """
    run = [step]
    while isinstance(step.source, Correlate) and step.source.beside:
        step = step.source
        run.insert(0, step)
    collection, before = pipeline(step.source)
    finish: Mql = {}
    match before:
        case (*grouped, {"$set": dict() as finished}) if isinstance(step.source, GroupRows) and not _depend(
            run, finished
        ):
            before, finish = tuple(grouped), finished
    lookups = [_correlate(replace(each, keep=Keep.TOGETHER), pipeline) for each in run]
    taken: Mql = {each.field: {"$first": f"${each.field}"} for each in run if each.keep is not Keep.TOGETHER}
    matched: Mql = {each.field: {"$exists": True} for each in run if each.keep is Keep.MATCHED}
    last: list[Mql] = [{"$set": finish | taken}] if finish or taken else []
    last += [{"$match": matched}] if matched else []
    return collection, (*before, *(stage for each in lookups for stage in each), *last)


def _depend(lookups: Sequence[Correlate], finished: Mql) -> bool:
    """Whether lookups ask for a field that is finished, or have its name."""
    asked = {each.equal[0].split(".")[0] for each in lookups if each.equal is not None}
    return not finished.keys().isdisjoint(asked | {each.field for each in lookups})


def _sort(step: SortRows) -> list[Mql]:
    """The `$sort` stage, after a `$set` that stores computed keys in fields, as `$sort` takes only fields."""
    keys: Mql = {}
    computed: Mql = {}
    for part in sort_parts(step.keys, step.prefix, Renderer(InLayout(step.layout))):
        path = _plain_path(part.value)
        if path is None:
            computed[part.field] = part.value
        keys.setdefault(path or part.field, part.direction)
    if step.by_id and not computed:
        return [{"$sort": {"_id": -1 if step.keys[0].descending else 1}}]
    first: list[Mql] = [{"$set": computed}] if computed else []
    return [*first, {"$sort": keys}]


def _plain_path(value: object) -> str | None:
    """The path of the field that a sort key is, or None for a computed key.

    `$ifNull` with null as the replacement is removed, as `$sort` treats null and missing alike.
    """
    match value:
        case {"$ifNull": [str(reference), None]}:
            return _plain_path(reference)
        case str() if value.startswith("$") and not value.startswith(VARIABLE):
            return value[1:]
        case _:
            return None


def _slice(count: Expression | None, offset: Expression | None) -> list[Mql]:
    stages: list[Mql] = []
    left_out = None if offset is None else _number(offset, skips=True)
    if isinstance(left_out, RowCount) or (isinstance(left_out, int) and left_out > 0):
        stages.append({"$skip": left_out})
    number = None if count is None else _number(count, skips=False)
    if isinstance(number, int) and number < 0:
        number = None
    if number == 0:
        stages.append({"$match": {"$expr": False}})
    elif number is not None:
        stages.append({"$limit": number})
    return stages


def _number(expression: Expression, *, skips: bool) -> object:
    if isinstance(expression, Parameter):
        return RowCount(expression.name, skips, expression.rules or Rules.SQLITE)
    assert isinstance(expression, Literal), expression
    return max(expression.value, -1) if isinstance(expression.value, int) else expression.value


def _graph_lookup(step: GraphLookup) -> tuple[Mql, ...]:
    found: Mql = {
        "from": step.collection,
        "startWith": f"${step.start}",
        "connectFromField": step.by,
        "connectToField": step.to,
        "as": step.field,
        "depthField": step.depth,
    }
    return {"$graphLookup": found}, {"$unwind": f"${step.field}"}
