"""Walking and rebuilding relations and expressions: what is inside one, which columns it mentions, which are not its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from nestling.ir import algebra as a
from nestling.ir.algebra import Relation
from nestling.ir.expression import Column, Exists, Expression, InSubquery, ScalarSubquery, operands
from nestling.ir.row_steps import ColumnId

Rebuilt = TypeVar("Rebuilt")
SUBQUERIES = (ScalarSubquery, Exists, InSubquery)
_RELATIONS = (
    a.Scan,
    a.Values,
    a.Filter,
    a.Project,
    a.Join,
    a.Group,
    a.Distinct,
    a.Sort,
    a.Limit,
    a.SetOperation,
    a.Window,
    a.Recursive,
    a.Working,
)


def inputs(relation: Relation) -> tuple[Relation, ...]:
    """The relations directly below."""
    match relation:
        case a.Scan() | a.Values() | a.Working():
            return ()
        case a.Join(left=left, right=right) | a.SetOperation(left=left, right=right):
            return (left, right)
        case a.Recursive(base=base, step=step):
            return (base, step)
        case _:
            return (relation.input,)


def with_inputs(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """The relation over changed inputs."""
    match relation:
        case a.Scan() | a.Values() | a.Working():
            return relation
        case a.Join(left=left, right=right) | a.SetOperation(left=left, right=right):
            return replace(relation, left=change(left), right=change(right))
        case a.Recursive(base=base, step=step):
            return replace(relation, base=change(base), step=change(step))
        case _:
            return replace(relation, input=change(relation.input))


def mapped(node: Rebuilt, change: Callable[[Expression], Expression]) -> Rebuilt:
    """A relation, expression or part of one with each expression directly inside changed; relations stay as they are."""
    if not is_dataclass(node):
        return node
    changed = {
        item.name: new
        for item in fields(node)
        if item.init and (new := _part(old := getattr(node, item.name), change)) is not old
    }
    return cast(Rebuilt, replace(cast(Any, node), **changed)) if changed else node


_LEAVES = (str, int, float, bool, bytes, type(None))


def _part(value: Any, change: Callable[[Expression], Expression]) -> Any:
    if isinstance(value, (*_LEAVES, *_RELATIONS)):
        return value
    if isinstance(value, tuple):
        parts = tuple(_part(item, change) for item in value)
        return parts if any(new is not old for new, old in zip(parts, value, strict=True)) else value
    if isinstance(value, _EXPRESSIONS):
        return change(value)
    return mapped(value, change) if isinstance(value, _PARTS) else value


_EXPRESSIONS = Expression.__args__
_PARTS = (
    a.Named,
    a.NamedAggregate,
    a.Aggregate,
    a.SortKey,
    a.NamedWindow,
    a.WindowFunction,
    a.Frame,
    a.Bound,
)


def rewritten(expression: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with `change` made from the top down: where it gives something, that stands there."""
    found = change(expression)
    return found if found is not None else mapped(expression, lambda inner: rewritten(inner, change))


def expressions(relation: Relation) -> Iterator[Expression]:
    """The expressions of the relation itself."""
    found: list[Expression] = []

    def note(expression: Expression) -> Expression:
        found.append(expression)
        return expression

    if not isinstance(relation, a.Scan | a.Working):
        mapped(_without_columns(relation), note)
    return iter(found)


def _without_columns(relation: Relation) -> Relation:
    """Columns a relation declares are not columns it mentions."""
    if isinstance(relation, a.Values | a.SetOperation | a.Recursive):
        return replace(relation, columns=())
    return relation


def mentioned(expression: Expression) -> Iterator[Column]:
    """Every column the expression mentions, those inside subqueries included."""
    if isinstance(expression, Column):
        yield expression
    for inner in operands(expression):
        yield from mentioned(inner)
    if isinstance(expression, SUBQUERIES):
        yield from used(expression.relation)
    if isinstance(expression, ScalarSubquery | InSubquery):
        yield from expression.relation.columns


def used(relation: Relation) -> Iterator[Column]:
    """Every column mentioned anywhere in the relation; of what is combined by position, all columns."""
    for expression in expressions(relation):
        yield from mentioned(expression)
    if isinstance(relation, a.Distinct):
        yield from relation.columns
    for below in inputs(relation):
        if isinstance(relation, a.SetOperation | a.Recursive):
            yield from below.columns
        yield from used(below)


def aliases(relation: Relation) -> frozenset[str]:
    """The aliases of all that makes columns in the relation, subqueries of its expressions not included."""
    own = getattr(relation, "alias", None)
    found = {own} if own is not None else set()
    for below in inputs(relation):
        found |= aliases(below)
    return frozenset(found)


def free_columns(relation: Relation) -> dict[ColumnId, Column]:
    """The columns mentioned that neither the relation nor its subqueries make: those of an outer query."""
    made = _made(relation)
    return {(c.alias, c.name): c for c in used(relation) if c.alias not in made}


def _made(relation: Relation) -> frozenset[str]:
    found = set(aliases(relation))
    for each in everything(relation):
        for expression in expressions(each):
            for inner in subqueries(expression):
                found |= _made(inner.relation)
    return frozenset(found)


def everything(relation: Relation) -> Iterator[Relation]:
    """The relation and all below it, those of subqueries not included."""
    yield relation
    for below in inputs(relation):
        yield from everything(below)


def subqueries(expression: Expression) -> Iterator[ScalarSubquery | Exists | InSubquery]:
    """The subqueries in an expression that are not inside others."""
    if isinstance(expression, SUBQUERIES):
        yield expression
    for inner in operands(expression):
        yield from subqueries(inner)


def has_subquery(expression: Expression) -> bool:
    """Whether there is a subquery in it."""
    return next(subqueries(expression), None) is not None


def everywhere(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """The relation with `change` made on every relation, from the bottom up, those of subqueries included."""

    def inside(expression: Expression) -> Expression:
        rebuilt = mapped(expression, inside)
        if isinstance(rebuilt, SUBQUERIES):
            return replace(rebuilt, relation=everywhere(rebuilt.relation, change))
        return rebuilt

    below = with_inputs(relation, lambda each: everywhere(each, change))
    return change(below if isinstance(below, a.Scan | a.Working) else _kept_columns(below, inside))


def _kept_columns(relation: Relation, inside: Callable[[Expression], Expression]) -> Relation:
    columns = relation.columns if isinstance(relation, a.Values | a.SetOperation | a.Recursive) else None
    found = mapped(_without_columns(relation), inside)
    return found if columns is None else replace(cast(Any, found), columns=columns)
