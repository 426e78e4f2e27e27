"""Moves predicates down to the tables they are about, through outputs, sorts, joins and grouping keys, where that is equivalent.

A condition of an inner join and a WHERE above it are treated alike; an outer join whose missing side the WHERE refuses anyway is
an inner one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import INNER_JOINS, JoinKind, Relation
from nestling.ir.statements.expression import (
    Arithmetic,
    Call,
    Cast,
    Coerce,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Like,
    Negate,
    Not,
    Raw,
)
from nestling.ir.statements.operands import conjunction, conjuncts, has_subquery
from nestling.ir.statements.operators import Collation, Comparison, Function
from nestling.planner.reads.rewrites.conjuncts import about, only_about, restricted
from nestling.planner.reads.rewrites.implied_by_or import implied
from nestling.planner.reads.traverse import aliases, everywhere, rewritten


def push_predicates(relation: Relation) -> Relation:
    """The relation with each predicate as low as possible."""
    return everywhere(relation, _pushed_here)


def _pushed_here(relation: Relation) -> Relation:
    if isinstance(relation, a.Filter):
        return pushed(relation.input, conjuncts(relation.predicate))
    if isinstance(relation, a.Join) and relation.condition is not None:
        return pushed(relation, [])
    return relation


def pushed(relation: Relation, predicates: Sequence[Expression]) -> Relation:
    """The relation restricted by the predicates, each put as low as it can be."""
    match relation:
        case a.Filter():
            return pushed(relation.input, [*conjuncts(relation.predicate), *predicates])
        case a.Join():
            return _into_join(relation, predicates)
        case a.Project():
            outputs = {(relation.alias, out.name): out.expression for out in relation.outputs}
            return _below(relation, outputs, predicates)
        case a.GroupBy() if relation.keys and all(rule is Collation.BINARY for rule in relation.collations):
            keys = {(relation.alias, key.name): key.expression for key in relation.keys}
            return _below(relation, keys, predicates)
        case a.Sort():
            return replace(relation, input=pushed(relation.input, predicates))
        case a.Distinct() if all(rule is Collation.BINARY for rule in relation.collations):
            return replace(relation, input=pushed(relation.input, predicates))
        case _:
            return restricted(relation, predicates)


def _below(
    relation: a.Project | a.GroupBy, outputs: dict[ColumnId, Expression], predicates: Sequence[Expression]
) -> Relation:
    """Predicates on outputs, said in terms of what the outputs are."""
    down: list[Expression] = []
    stay: list[Expression] = []
    for predicate in predicates:
        lowered = _substituted(predicate, relation.alias, outputs)
        (stay if lowered is None else down).append(predicate if lowered is None else lowered)
    below = replace(relation, input=pushed(relation.input, down)) if down else relation
    return restricted(below, stay)


def _substituted(predicate: Expression, alias: str, outputs: dict[ColumnId, Expression]) -> Expression | None:
    """The predicate in terms of what the outputs are; None if that would repeat a subquery, or if it uses other columns."""
    if alias not in about(predicate) or has_subquery(predicate):
        return None
    missing: list[Column] = []

    def change(expression: Expression) -> Expression | None:
        if not isinstance(expression, Column) or expression.alias != alias:
            return None
        found = outputs.get((expression.alias, expression.name))
        if found is None or has_subquery(found):
            missing.append(expression)
        return found

    lowered = rewritten(predicate, change)
    return None if missing else lowered


def _into_join(join: a.Join, predicates: Sequence[Expression]) -> Relation:
    """What asks a subquery stays above an inner join: inside, it would be asked again for every row that is joined."""
    join = _strengthened(join, predicates)
    left, right = aliases(join.left), aliases(join.right)
    own, above, late = conjuncts(join.condition), list(predicates), list[Expression]()
    if join.kind in INNER_JOINS:
        own, above = [*own, *above], []
        own += [each for each in implied(own) if each not in own]
        late = [each for each in own if has_subquery(each)]
        own = [each for each in own if not has_subquery(each)]
    lefts = [each for each in own if join.kind in (*INNER_JOINS, JoinKind.RIGHT) and only_about(each, left, right)]
    rights = [each for each in own if join.kind in (*INNER_JOINS, JoinKind.LEFT) and only_about(each, right, left)]
    condition = [each for each in own if each not in lefts and each not in rights]
    if join.kind is JoinKind.LEFT:
        lefts = [each for each in above if only_about(each, left, right)]
    if join.kind is JoinKind.RIGHT:
        rights = [each for each in above if only_about(each, right, left)]
    stay = [each for each in above if each not in lefts and each not in rights]
    kind = join.kind
    if kind in INNER_JOINS:
        kind = JoinKind.INNER if condition else JoinKind.CROSS
    found = replace(
        join,
        kind=kind,
        left=pushed(join.left, lefts),
        right=pushed(join.right, rights),
        condition=conjunction(*condition),
    )
    if kind not in INNER_JOINS and found.condition is None:
        found = replace(found, condition=join.condition)
    return restricted(found, [*stay, *late])


def _strengthened(join: a.Join, predicates: Sequence[Expression]) -> a.Join:
    """An outer join whose lonely rows the predicates refuse is an inner one."""
    if join.kind not in (JoinKind.LEFT, JoinKind.RIGHT):
        return join
    lonely = aliases(join.right if join.kind is JoinKind.LEFT else join.left)
    refused = any(column.alias in lonely for each in predicates for column in never_null(each))
    return replace(join, kind=JoinKind.INNER) if refused else join


def never_null(predicate: Expression) -> list[Column]:
    """Columns that cannot be NULL where the predicate is true."""
    match predicate:
        case Compare(operator=operator, left=left, right=right) if operator not in (
            Comparison.SAME,
            Comparison.DIFFERENT,
        ):
            return _strict(left) + _strict(right)
        case InList(operand=operand) | Like(operand=operand) | Not(operand=IsNull(operand=operand)):
            return _strict(operand)
        case _:
            return []


_STRICT = frozenset({Function.UPPER, Function.LOWER, Function.ABS, Function.LENGTH, Function.SUBSTRING})


def _strict(expression: Expression) -> list[Column]:
    """Columns whose NULL makes the expression NULL."""
    match expression:
        case Column():
            return [expression]
        case Raw(operand=inner) | Cast(operand=inner) | Coerce(operand=inner) | Negate(operand=inner):
            return _strict(inner)
        case Arithmetic(left=left, right=right):
            return _strict(left) + _strict(right)
        case Call(function=function, arguments=arguments) if function in _STRICT:
            return [column for argument in arguments for column in _strict(argument)]
        case _:
            return []
