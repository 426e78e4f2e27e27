"""Arrays made of others: `array_append(tags, x)`, `array_remove`, `tags || ARRAY[…]`; and those that are written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from nestling.ir.statements.expression import (
    ANY,
    NULL,
    AttributeCast,
    Call,
    Cast,
    Column,
    Expression,
    Literal,
    Parameter,
)
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import MAY_BE_ARRAYS, TEXT, Type, TypeName
from nestling.ir.value_forms.array_text import array_text, read_array
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.postgresql.arrays import array_column, of_elements
from nestling.planner.sql.scope import Bind, Env

_Found = tuple[Expression, Column]
"""An array, and the column whose elements it has."""
_COMPARED = {TypeName.TEXT, TypeName.INTEGER, TypeName.BOOLEAN, TypeName.UUID, TypeName.DATE}
"""Types of elements that no column keeps otherwise than they are written."""


def written_array(node: exp.Array, env: Env, bound: Bind) -> Expression:
    """`ARRAY[…]`; what it is an array of is known where it is stored, or by its items."""
    if any(isinstance(each, exp.Query) for each in node.expressions):
        raise statement_gap(
            "ARRAY of a SELECT with DISTINCT, GROUP BY or LIMIT; `array_agg` over it is converted", node
        )
    items = [bound(each) for each in node.expressions]
    found, kind = one_value.common(items, env.translation)
    if kind.name in MAY_BE_ARRAYS:
        raise statement_gap(f"an array of {kind}", node)
    return Call(Function.ARRAY_OF, found, Type(TypeName.ARRAY, element=kind), env.dialect.rules)


def is_written(value: Expression) -> bool:
    """Whether it is an array that is written down."""
    return isinstance(value, Call) and value.function is Function.ARRAY_OF


def as_given(value: Expression) -> Expression:
    """A constant beside such arrays without what made it one of their type."""
    is_constant = isinstance(value, AttributeCast) and isinstance(value.operand, Literal)
    return value.operand if is_constant and isinstance(value, AttributeCast) else value


def as_text(array: Call) -> Literal | None:
    """The array as a constant is written, if all its items are constants."""
    constants = [each.value for each in array.arguments if isinstance(each, Literal)]
    if len(constants) < len(array.arguments) or any(isinstance(each, bytes) for each in constants):
        return None
    return Literal(array_text(map(_item, constants)), TEXT)


def beside_column(value: Expression, column: Expression, node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """A constant array, as the column it is compared with keeps it; any other value as it is."""
    if env.dialect.rules is not Rules.POSTGRESQL or not isinstance(column, Column) or column.type.element is None:
        return value
    text, name = _as_one(value, column.type.element), column.type.element.name
    if text is None or name not in _COMPARED:
        return value
    array_column(node, env, bound)
    return AttributeCast(text, Type(TypeName.ARRAY, element=Type(name)), Rules.POSTGRESQL)


def _as_one(value: Expression, element: Type) -> Literal | None:
    """The text of a constant array of such elements."""
    match value:
        case Call(function=Function.ARRAY_OF, type=Type(element=Type(name=name))):
            is_like = not value.arguments or name is element.name
            return as_text(value) if is_like else None
        case Literal(value=str()) | Cast(operand=Literal(value=str()), type=Type(name=TypeName.ARRAY)):
            text = value.operand if isinstance(value, Cast) else value
            assert isinstance(text, Literal)
            return text
        case _:
            return None


def _item(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def _append(node: exp.ArrayAppend, env: Env, bound: Bind) -> _Found:
    array, column = _array(node.this, env, bound)
    return _joined(array, _one(node.expression, column, env, bound), column, env), column


def _prepend(node: exp.ArrayPrepend, env: Env, bound: Bind) -> _Found:
    array, column = _array(node.this, env, bound)
    return _joined(_one(node.expression, column, env, bound), array, column, env), column


def _remove(node: exp.ArrayRemove, env: Env, bound: Bind) -> _Found:
    array, column = _array(node.this, env, bound)
    value = of_elements(bound(node.expression), column, node)
    return Call(Function.ARRAY_REMOVE, (array, value), column.type, env.dialect.rules), column


def _concat(node: exp.ArrayConcat, env: Env, bound: Bind) -> _Found:
    return _all([node.this, *node.expressions], node, env, bound)


def _pipe(node: exp.DPipe, env: Env, bound: Bind) -> _Found:
    return _all(list(node.flatten()), node, env, bound)


def _all(parts: list[exp.Expr], node: exp.Expr, env: Env, bound: Bind) -> _Found:
    """Arrays, and values that are elements, one after the other."""
    column = next((found[1] for part in parts if (found := _known(part, env, bound)) is not None), None)
    if column is None:
        raise statement_gap("|| of arrays that are not columns", node)
    made = [_beside(part, column, env, bound) for part in parts]
    array = made[0]
    for other in made[1:]:
        array = _joined(array, other, column, env)
    return array, column


def _known(node: exp.Expr, env: Env, bound: Bind) -> _Found | None:
    """The array a part is, as far as a column says that it is one."""
    inner = node.unnest()
    if isinstance(inner, exp.Column):
        if bound(inner).type.element is None:
            return None
        column = array_column(inner, env, bound)
        return column, column
    return _array(inner, env, bound) if type(inner) in _CHANGES or isinstance(inner, exp.Coalesce) else None


def _beside(node: exp.Expr, column: Column, env: Env, bound: Bind) -> Expression:
    """A part of `||`: an array, or an element, as far as its text says which."""
    found = _known(node, env, bound)
    if found is not None:
        return found[0]
    value = bound(node.unnest())
    if isinstance(value, Call) and is_written(value):
        return _array_of(value.arguments, column, node, env)
    if isinstance(value, Parameter) and value.type == ANY:
        raise statement_gap("|| of an array and a parameter; cast it, as `:tag::text` or `:tags::text[]`", node)
    if isinstance(value, Parameter) and value.type.element is not None:
        return _cast(value, column.type, env)
    if value.type.element is not None or (isinstance(value, Literal) and isinstance(value.value, str)):
        return _constant(value, column, node, env)
    return _array_of((value,), column, node, env)


def _array(node: exp.Expr, env: Env, bound: Bind) -> _Found:
    inner = node.unnest()
    if isinstance(inner, exp.Coalesce):
        array, column = _array(inner.this, env, bound)
        rest = (_constant(bound(each), column, node, env) for each in inner.expressions)
        return Call(Function.COALESCE, (array, *rest), column.type, env.dialect.rules), column
    change = _CHANGES.get(type(inner))
    if change is not None:
        return change(inner, env, bound)
    column = array_column(inner, env, bound)
    return column, column


def _constant(value: Expression, column: Column, node: exp.Expr, env: Env) -> Expression:
    if isinstance(value, Call) and is_written(value):
        return _array_of(value.arguments, column, node, env)
    inner = getattr(value, "operand", value)
    if not isinstance(inner, Literal) or not isinstance(inner.value, str):
        raise statement_gap(f"an array together with `{column.name}` that is neither a column nor a constant", node)
    try:
        read_array(inner.value)
    except ValueError as problem:
        raise mistake(f"`{inner.value}` is not an array: {problem}", node, "write `ARRAY['…']`") from None
    return _cast(inner, column.type, env)


def _one(node: exp.Expr, column: Column, env: Env, bound: Bind) -> Expression:
    return _array_of((bound(node),), column, node, env)


def _array_of(items: tuple[Expression, ...], column: Column, node: exp.Expr, env: Env) -> Expression:
    found = tuple(_element(each, column, node, env) for each in items)
    return Call(Function.ARRAY_OF, found, column.type, env.dialect.rules)


def _element(value: Expression, column: Column, node: exp.Expr, env: Env) -> Expression:
    """A value as an element of the column is kept."""
    assert column.type.element is not None
    found = of_elements(value, column, node)
    return found if found == NULL else _cast(found, column.type.element, env)


def _cast(value: Expression, kind: Type, env: Env) -> Expression:
    if isinstance(value, Parameter):
        value = replace(value, type=kind)
    is_kept = value.type == kind and isinstance(value, Column)
    return value if is_kept else AttributeCast(value, kind, env.dialect.rules)


def _joined(one: Expression, other: Expression, column: Column, env: Env) -> Expression:
    return Call(Function.ARRAY_CONCAT, (one, other), column.type, env.dialect.rules)


_CHANGES: dict[type[exp.Expr], Callable[..., _Found]] = {
    exp.ArrayAppend: _append,
    exp.ArrayPrepend: _prepend,
    exp.ArrayRemove: _remove,
    exp.ArrayConcat: _concat,
    exp.DPipe: _pipe,
}


def _of(change: Callable[..., _Found]) -> Callable[..., Expression]:
    return lambda node, env, bound: change(node, env, bound)[0]


concatenated = _of(_pipe)
"""`||` of arrays."""
ARRAY_CHANGES: dict[type[exp.Expr], Callable[..., Expression]] = {
    exp.Array: written_array,
    **{kind: _of(change) for kind, change in _CHANGES.items() if kind is not exp.DPipe},
}
