"""Conditions on and aggregates over the elements of an array, within its document."""

from __future__ import annotations

from nestling.emitters.mql import sql
from nestling.emitters.mql.accumulators import with_fields_renamed
from nestling.emitters.mql.in_layout import InLayout
from nestling.emitters.mql.kinds import of_kind
from nestling.emitters.mql.sql.renderer import Renderer
from nestling.emitters.mql.sql.sort_keys import sort_parts
from nestling.ir.paths.row_steps import VARIABLE, AggregateElements, KeepElements, Layout, WhereElement
from nestling.ir.programs.compiled import Mql
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction
from nestling.ir.statements.expression import And, Expression
from nestling.ir.statements.operands import columns_of, conjuncts, is_integer
from nestling.ir.storage.names import is_within

_ELEMENT = "element"
"""The variable for an element of an array."""
_MADE = "made"


def where_element(step: WhereElement) -> tuple[Mql, ...]:
    """Conditions on one element in the query language, which can use an index.

    If nothing tests them again after the array is unwound, an expression is added for what the query language cannot say.
    """
    parts = conjuncts(step.predicate)
    said: tuple[Expression, ...] = ()
    for each in parts:
        said = (*said, each) if _of_element((*said, each), step) is not None else said
    found = _of_element(said, step) if said else None
    if step.again or len(said) == len(parts):
        return () if found is None else ({"$match": _has_element(step, found)},)
    exact: Mql = {"$match": of_kind({"$expr": _some_element(step)}, step.source)}
    return (exact,) if found is None or step.negated else ({"$match": _has_element(step, found)}, exact)


def _of_element(asked: tuple[Expression, ...], step: WhereElement) -> Mql | None:
    """The condition of `$elemMatch` on an element, which may be a bare value; None if it cannot be expressed."""
    inside = step.layout.inside(step.array)
    if any(column not in inside for each in asked for column in columns_of(each)):
        return None
    match = sql.match_mql(And(asked) if len(asked) > 1 else asked[0], InLayout(inside))
    if set(match) == {""}:
        tests = match[""]
        return tests if isinstance(tests, dict) else {"$eq": tests}
    is_bare = any(path == "" for _, path in inside.entries)
    return None if sql.needs_expression(match) or (match and is_bare) else match


def _has_element(step: WhereElement, asked: Mql) -> Mql:
    if not asked:
        return {f"{step.array}.0": {"$exists": not step.negated}}
    test = {"$elemMatch": asked}
    return {step.array: {"$not": test} if step.negated else test}


def _some_element(step: WhereElement) -> Mql:
    """Whether an element meets all of it, as an expression; of each in turn."""
    elements = {**_each_element(step.array), "in": _asked_of_each(step.predicate, step)}
    found: Mql = {"$anyElementTrue": [{"$map": elements}]}
    return {"$not": [found]} if step.negated else found


def kept_elements(step: KeepElements) -> Mql:
    """The elements that satisfy the predicate; an empty array if there is none."""
    return {"$filter": {**_each_element(step.array), "cond": _asked_of_each(step.predicate, step)}}


def aggregated_elements(step: AggregateElements) -> Mql:
    """The aggregate of the elements that meet the predicate, as the server's operators on arrays make it."""
    node, each = step.aggregate, _each_element(step.array)
    kept: object = each["input"]
    if step.predicate is not None:
        kept = {"$filter": {**each, "cond": _asked_of_each(step.predicate, step)}}
    if node.function is AggregateFunction.COUNT and not node.distinct:
        return {"$size": kept}
    if node.function is AggregateFunction.ANY_VALUE:
        return _first(node, kept, step)
    if node.function is AggregateFunction.SUM and not node.distinct:
        return _sum(node, kept, step)
    if node.function is AggregateFunction.LIST:
        return _list(node, kept, step)
    return _made(node, kept, step)


def _list(node: AggregateCall, kept: object, step: AggregateElements) -> Mql:
    """An array of nothing is NULL."""
    array = f"$${_MADE}"
    shown = {"$cond": [{"$eq": [array, []]}, None, array]}
    return {"$let": {"vars": {_MADE: _made(node, kept, step)}, "in": shown}}


def _made(node: AggregateCall, kept: object, step: AggregateElements) -> Mql:
    """The result of the accumulators of `$group`, including the finishing step."""
    made = sql.accumulator_mql(node, _MADE, InLayout(_as_variable(step)))
    values = {name: _over(accumulator, kept, step) for name, accumulator in made.accumulators.items()}
    if _MADE not in made.finish:
        return values[_MADE]
    names = {f"${name}": f"$${name}" for name in values}
    return {"$let": {"vars": values, "in": with_fields_renamed(made.finish[_MADE], names)}}


def _sum(node: AggregateCall, kept: object, step: AggregateElements) -> Mql:
    """The server's sum of nothing is 0, and SQL's is NULL."""
    assert node.argument is not None
    of_integers = is_integer(node.argument)
    values = _values(sql.value_mql(node.argument, InLayout(_as_variable(step))), kept, step)

    def total(found: object) -> Mql:
        number: Mql = {"$sum": found}
        return {"$cond": [{"$gt": [{"$max": found}, None]}, {"$toLong": number} if of_integers else number, None]}

    return total(values) if isinstance(values, str) else {"$let": {"vars": {_MADE: values}, "in": total(f"$${_MADE}")}}


def _first(node: AggregateCall, kept: object, step: AggregateElements) -> Mql:
    """The value of the first element, by the order."""
    assert node.argument is not None
    environment = InLayout(_as_variable(step))
    value = sql.value_mql(node.argument, environment)
    parts = sort_parts(node.order, "key", Renderer(environment))
    if not parts:
        return {"$first": _mapped(value, kept)}
    keyed = {"value": value, **{part.field: part.value for part in parts}}
    ordered = {"$sortArray": {"input": _mapped(keyed, kept), "sortBy": {part.field: part.direction for part in parts}}}
    return {"$getField": {"field": "value", "input": {"$first": ordered}}}


def _over(accumulator: object, kept: object, step: AggregateElements) -> Mql:
    """An accumulator of `$group` as an expression over an array."""
    assert isinstance(accumulator, dict)
    ((operator, value),) = accumulator.items()
    match operator:
        case "$push":
            return _mapped(value, kept)
        case "$addToSet":
            return {"$setUnion": [_mapped(value, kept)]}
        case _:
            return {operator: _values(value, kept, step)}


def _values(value: object, kept: object, step: AggregateElements) -> object:
    """The elements' values, for an operator that passes over NULLs: where these are a field of all elements, its path."""
    name = f"{VARIABLE}{_ELEMENT}"
    if step.predicate is None and isinstance(value, str) and is_within(value, name):
        return f"${step.array}{value.removeprefix(name)}"
    return _mapped(value, kept)


def _mapped(value: object, kept: object) -> Mql:
    return {"$map": {"input": kept, "as": _ELEMENT, "in": value}}


def _each_element(array: str) -> Mql:
    return {"input": {"$ifNull": [f"${array}", []]}, "as": _ELEMENT}


def _asked_of_each(predicate: Expression, step: WhereElement | KeepElements | AggregateElements) -> object:
    return Renderer(InLayout(_as_variable(step))).truth(predicate)


def _as_variable(step: WhereElement | KeepElements | AggregateElements) -> Layout:
    """The layout where the element is a variable."""
    name, start = f"{VARIABLE}{_ELEMENT}", f"{step.array}."
    paths = dict(step.layout.entries)
    paths |= {key: f"{name}.{path.removeprefix(start)}" for key, path in paths.items() if path.startswith(start)}
    paths |= {key: name for key, path in paths.items() if path == step.array}
    return Layout.of(paths)
