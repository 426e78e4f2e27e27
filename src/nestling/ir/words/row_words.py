"""Row steps and SQL expressions in words, for access paths people read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, assert_never

from nestling.ir.paths.row_steps import (
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
from nestling.ir.quantity_words import counted
from nestling.ir.statements import expression as e
from nestling.ir.statements.algebra import AggregateCall, WindowFunction
from nestling.ir.statements.operators import ArithmeticOperator

if TYPE_CHECKING:
    from nestling.ir.paths.access_path import Step

_JOINED, _NOT, _COMPARED, _BITS, _SUM, _PRODUCT, _NEGATED, _ATOM = range(8)
"""How strongly expressions hold together, the weakest first."""

_Lines = Callable[["Step"], Iterator[str]]


def row_step_lines(step: RowStep, lines: _Lines) -> Iterator[str]:
    """A line per step, what it builds on before it; `lines` gives those of other steps."""
    if isinstance(step, Constants):
        yield f"take {counted(len(step.rows), 'written row')}"
        return
    yield from lines(step.source)
    if isinstance(step, Correlate):
        yield _lookup_words(step)
        yield from (f"  {line}" for line in lines(step.foreign))
        return
    yield _words(step)


def _lookup_words(step: Correlate) -> str:
    where = f" where `{step.equal[1]}` is `{step.equal[0]}`" if step.equal is not None else ""
    if step.identity:
        where = " where `_id` is {" + ", ".join(f"{name}: `{path}`" for name, path in step.identity) + "}"
    kept = {Keep.ALL: ", keeping rows without a match", Keep.TOGETHER: " all rows"}.get(step.keep, "")
    one = " the one" if step.beside and step.keep is not Keep.TOGETHER else ""
    return f"as `{step.field}`, look up{one}{where}{kept}:"


def _words(step: RowStep) -> str:  # noqa: C901 - one case for each
    match step:
        case Where(predicate=predicate):
            return f"where {text(predicate)}"
        case WhereElement(predicate=predicate, array=array, negated=negated):
            kept = "skip documents with" if negated else "skip documents without"
            return f"{kept} an element of `{array}` where {text(predicate)}"
        case KeepElements(predicate=predicate, array=array):
            return f"keep the elements of `{array}` where {text(predicate)}"
        case AggregateElements(field=field, array=array, aggregate=aggregate, predicate=predicate):
            where = f" where {text(predicate)}" if predicate is not None else ""
            return f"as `{field}`, take {_aggregate(aggregate)} of the elements of `{array}`{where}"
        case WherePair(predicate=predicate, array=array, name=name):
            return f"where {text(predicate)}, by the pair `{name}` in `{array}`"
        case Compute(fields=fields):
            return "compute " + _list(fields)
        case Add(fields=fields):
            return "compute " + ", ".join(name for name, _ in fields)
        case Shape(fields=fields):
            return "take " + _list(fields)
        case GroupRows(keys=keys, aggregates=aggregates):
            made = ", ".join(f"{name} = {_aggregate(aggregate)}" for name, aggregate in aggregates)
            by = ", ".join(text(key) for _, key in keys) if keys else "nothing"
            return f"group by {by}" + (f": {made}" if made else "")
        case SortRows(keys=keys):
            return "sort by " + ", ".join(
                f"{text(key.expression)}{' descending' if key.descending else ''}" for key in keys
            )
        case FirstRows(keys=keys):
            return "take the first for each " + ", ".join(map(text, keys))
        case Slice(count=count, offset=offset):
            parts = [f"skip the first {text(offset)}"] if offset is not None else []
            return " and ".join([*parts, *([f"take {text(count)}"] if count is not None else [])])
        case Repeat(times=times):
            return f"each {text(times)} times"
        case Windows(functions=functions):
            return "over windows, compute " + ", ".join(f"{name} = {_window(f)}" for name, f in functions)
        case GraphLookup(collection=collection, by=by, to=to, field=field):
            return f"as `{field}`, walk `{collection}` from `{by}` to `{to}`"
        case Barrier():
            return "then"
        case Correlate() | Constants():
            raise AssertionError("said elsewhere")
        case _:
            assert_never(step)


def _list(fields: tuple[tuple[str, e.Expression], ...]) -> str:
    return ", ".join(f"{name} = {text(value)}" for name, value in fields)


def _aggregate(aggregate: AggregateCall) -> str:
    distinct = "distinct " if aggregate.distinct else ""
    return f"{aggregate.function}({distinct}{text(aggregate.argument) if aggregate.argument is not None else '*'})"


def _window(function: WindowFunction) -> str:
    return f"{function.function}({', '.join(map(text, function.arguments))})"


def text(expression: e.Expression) -> str:  # noqa: C901 - one case for each
    """An expression in words near SQL."""
    match expression:
        case e.Literal(value=value):
            return "NULL" if value is None else repr(value)
        case e.Parameter(name=name):
            return f":{name}"
        case e.Column(alias=alias, name=name):
            return f"{alias}.{name}" if alias else name
        case (
            e.Arithmetic(operator=operator, left=left, right=right)
            | e.Compare(operator=operator, left=left, right=right)
        ):
            own = _strength(expression)
            is_left_first = own in (_SUM, _PRODUCT)
            return f"{_within(left, own if is_left_first else own + 1)} {operator} {_within(right, own + 1)}"
        case e.And(operands=operands):
            return " and ".join(_within(each, _NOT) for each in operands)
        case e.Or(operands=operands):
            return " or ".join(_within(each, _NOT) for each in operands)
        case e.Not(operand=operand):
            return f"not {_within(operand, _NOT)}"
        case e.Negate(operand=operand):
            return f"-{_within(operand, _ATOM)}"
        case e.IsNull(operand=operand):
            return f"{_within(operand, _BITS)} is NULL"
        case e.InList(operand=operand, given=e.Parameter(name=name)):
            return f"{_within(operand, _BITS)} in :{name}"
        case e.InList(operand=operand, items=items):
            return f"{_within(operand, _BITS)} in ({', '.join(map(text, items))})"
        case e.Like(operand=operand, pattern=pattern, escape=e.EACH_ITSELF):
            return f"{_within(operand, _BITS)} = {_within(pattern, _BITS)}"
        case e.Like(operand=operand, pattern=pattern):
            return f"{_within(operand, _BITS)} like {_within(pattern, _BITS)}"
        case e.Case():
            return "a case"
        case e.Cast(operand=operand, type=kind):
            return f"{_within(operand, _ATOM)} as {kind}"
        case e.Coerce(operand=operand) | e.Raw(operand=operand) | e.AttributeCast(operand=operand):
            return text(operand)
        case e.Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(text, arguments))})"
        case e.ScalarSubquery() | e.Exists() | e.InSubquery():
            return "a subquery"
        case _:
            assert_never(expression)


def _within(expression: e.Expression, weakest: int) -> str:
    """An operand, in brackets where it binds less than that."""
    return text(expression) if _strength(expression) >= weakest else f"({text(expression)})"


def _strength(expression: e.Expression) -> int:
    """How strongly what an expression is written as holds together."""
    match expression:
        case e.And() | e.Or():
            return _JOINED
        case e.Not():
            return _NOT
        case e.Compare() | e.IsNull() | e.InList() | e.Like() | e.Cast():
            return _COMPARED
        case e.Arithmetic(operator=ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT):
            return _SUM
        case e.Arithmetic(operator=ArithmeticOperator.MULTIPLY | ArithmeticOperator.DIVIDE | ArithmeticOperator.MODULO):
            return _PRODUCT
        case e.Arithmetic():
            return _BITS
        case e.Negate():
            return _NEGATED
        case e.Coerce(operand=operand) | e.Raw(operand=operand) | e.AttributeCast(operand=operand):
            return _strength(operand)
        case _:
            return _ATOM
