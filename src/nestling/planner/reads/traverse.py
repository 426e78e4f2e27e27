"""Walks and rebuilds relations and expressions: their parts, the columns they mention, the columns of outer queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from operator import is_not
from typing import Any, TypeVar, cast

from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import Column, Exists, Expression, InSubquery, Literal, Parameter, ScalarSubquery
from nestling.ir.statements.operands import SUBQUERIES, operands

Rebuilt = TypeVar("Rebuilt")


def inputs(relation: Relation) -> tuple[Relation, ...]:
    """The relations directly below."""
    match relation:
        case a.Scan() | a.Values() | a.Unnest() | a.Working():
            return ()
        case a.Join(left=left, right=right) | a.SetOperation(left=left, right=right):
            return (left, right)
        case a.Recursive(base=base, step=step):
            return (base, step)
        case _:
            return (relation.input,)


def with_inputs(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """Return the relation over changed inputs, or itself if none changes."""
    match relation:
        case a.Scan() | a.Values() | a.Unnest() | a.Working():
            return relation
        case a.Join(left=left, right=right) | a.SetOperation(left=left, right=right):
            one, other = change(left), change(right)
            return relation if one is left and other is right else replace(relation, left=one, right=other)
        case a.Recursive(base=base, step=step):
            one, other = change(base), change(step)
            return relation if one is base and other is step else replace(relation, base=one, step=other)
        case _:
            below = change(relation.input)
            return relation if below is relation.input else replace(relation, input=below)


def mapped(node: Rebuilt, change: Callable[[Expression], Expression]) -> Rebuilt:
    """Apply `change` to each direct expression of a relation, expression or part; relations stay as they are."""
    changed: dict[str, Any] | None = None
    for name in _NAMES.get(type(node), ()):
        old = getattr(node, name)
        new = _part(old, change)
        if new is not old:
            changed = changed or {}
            changed[name] = new
    return cast(Rebuilt, replace(cast(Any, node), **changed)) if changed else node


def _part(value: Any, change: Callable[[Expression], Expression]) -> Any:
    kind = type(value)
    if kind in _EXPRESSIONS:
        return change(value)
    if kind is tuple:
        parts = tuple([_part(item, change) for item in value])
        return parts if any(map(is_not, parts, value)) else value
    return mapped(value, change) if kind in _PARTS else value


_EXPRESSIONS = frozenset(Expression.__args__)
_PARTS = frozenset(
    {a.Named, a.NamedAggregate, a.AggregateCall, a.SortKey, a.NamedWindow, a.WindowFunction, a.Frame, a.Bound}
)
_LEAVES = frozenset({Column, Literal, Parameter})
"""Expressions that hold values only."""
_HOLDS = re.compile(rf"\b({'|'.join(('Expression', 'Column', *(kind.__name__ for kind in _PARTS)))})\b")
_NAMES = {
    kind: tuple(item.name for item in fields(kind) if item.init and _HOLDS.search(str(item.type)))
    for kind in {*Expression.__args__, *Relation.__args__, *_PARTS} - _LEAVES
}
"""The fields of each class that may hold expressions, according to their types."""


def rewritten(expression: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """Rewrite the expression top-down: where `change` returns something, that replaces the expression."""
    found = change(expression)
    return found if found is not None else mapped(expression, lambda inner: rewritten(inner, change))


def expressions(relation: Relation | a.NamedAggregate | a.AggregateCall) -> Iterator[Expression]:
    """Yield the relation's own expressions; columns that it declares are not mentioned by it."""
    for name in () if isinstance(relation, a.Scan | a.Working) else _NAMES[type(relation)]:
        if name != "columns":
            yield from _expressions_in(getattr(relation, name))


def _expressions_in(value: Any) -> Iterator[Expression]:
    kind = type(value)
    if kind is tuple:
        for item in value:
            yield from _expressions_in(item)
    elif kind in _EXPRESSIONS:
        yield value
    elif kind in _PARTS:
        for name in _NAMES[kind]:
            yield from _expressions_in(getattr(value, name))


def mentioned(expression: Expression) -> Iterator[Column]:
    """Yield every column that the expression mentions, including those inside subqueries."""
    found: list[Column] = []
    _mention(expression, found)
    return iter(found)


def _mention(expression: Expression, found: list[Column]) -> None:
    if isinstance(expression, Column):
        found.append(expression)
        return
    for inner in operands(expression):
        _mention(inner, found)
    if isinstance(expression, SUBQUERIES):
        found.extend(used(expression.relation))
        if not isinstance(expression, Exists):
            found.extend(expression.relation.columns)


def used(relation: Relation) -> Iterator[Column]:
    """Yield every column mentioned anywhere in the relation, and all columns of operations by position."""
    for expression in expressions(relation):
        yield from mentioned(expression)
    if isinstance(relation, a.Distinct):
        yield from relation.columns
    for below in inputs(relation):
        if isinstance(relation, a.SetOperation | a.Recursive):
            yield from below.columns
        yield from used(below)


def single(relation: Relation) -> bool:
    """Whether it yields one row at most."""
    match relation:
        case a.GroupBy(keys=()):
            return True
        case a.LimitOffset(count=Literal(value=1)):
            return True
        case a.Values(rows=rows):
            return len(rows) <= 1
        case a.Project() | a.Filter() | a.LimitOffset():
            return single(relation.input)
        case _:
            return False


def aliases(relation: Relation) -> frozenset[str]:
    """The aliases of all that makes columns in the relation, subqueries of its expressions not included."""
    own = getattr(relation, "alias", None)
    found = {own} if own is not None else set()
    for below in inputs(relation):
        found |= aliases(below)
    return frozenset(found)


def free_columns(relation: Relation) -> dict[ColumnId, Column]:
    """The mentioned columns that neither the relation nor its subqueries make: those of an outer query."""
    made = frozenset(made_by(relation))
    return {(c.alias, c.name): c for c in used(relation) if c.alias not in made}


def made_by(whole: Relation) -> Iterator[str]:
    """The aliases of all that makes columns in the relation and its subqueries, in the order they are met."""
    for relation in everything(whole):
        if (alias := getattr(relation, "alias", None)) is not None:
            yield alias
        for each in expressions(relation):
            yield from made_inside(each)


def made_inside(expression: Expression) -> Iterator[str]:
    """The aliases of all that makes columns in an expression's subqueries."""
    for inner in subqueries(expression):
        yield from made_by(inner.relation)


def renamed(node: Rebuilt, names: Mapping[str, str]) -> Rebuilt:
    """A relation, expression or part of one with other aliases."""
    if isinstance(node, tuple):
        return cast(Rebuilt, tuple(renamed(item, names) for item in node))
    if not is_dataclass(node):
        return node
    changed: dict[str, Any] = {}
    for item in fields(node):
        if item.init:
            value = getattr(node, item.name)
            is_name = item.name in _ALIASES and isinstance(value, str)
            changed[item.name] = names.get(value, value) if is_name else renamed(value, names)
    return cast(Rebuilt, replace(cast(Any, node), **changed))


_ALIASES = ("alias", "recursion")


def everything(relation: Relation) -> Iterator[Relation]:
    """Yield the relation and everything below it, without subqueries."""
    yield relation
    for below in inputs(relation):
        yield from everything(below)


def subqueries(expression: Expression) -> Iterator[ScalarSubquery | Exists | InSubquery]:
    """The subqueries in an expression that are not inside others."""
    if isinstance(expression, SUBQUERIES):
        yield expression
    for inner in operands(expression):
        yield from subqueries(inner)


def everywhere(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """Apply `change` to every relation from the bottom up, including those in subqueries."""

    def inside(expression: Expression) -> Expression:
        if type(expression) in _LEAVES:
            return expression
        rebuilt = mapped(expression, inside)
        if isinstance(rebuilt, SUBQUERIES):
            relation = everywhere(rebuilt.relation, change)
            return rebuilt if relation is rebuilt.relation else replace(rebuilt, relation=relation)
        return rebuilt

    below = with_inputs(relation, lambda each: everywhere(each, change))
    return change(below if isinstance(below, a.Scan | a.Working) else _kept_columns(below, inside))


def _kept_columns(relation: Relation, inside: Callable[[Expression], Expression]) -> Relation:
    """Change the expressions of the relation but not the columns that it declares."""
    columns = relation.columns if isinstance(relation, a.Values | a.Unnest | a.SetOperation | a.Recursive) else None
    found = mapped(relation, inside)
    return found if columns is None or found is relation else replace(cast(Any, found), columns=columns)
