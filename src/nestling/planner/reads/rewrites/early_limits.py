"""`ORDER BY … LIMIT n` first, then the children: where each row is a group of its own, they are counted for the rows shown alone.

`SELECT p.id, p.title, COUNT(c.id) … LEFT JOIN comment c … GROUP BY p.id ORDER BY p.at LIMIT 20` makes one group of each post. The
LEFT JOIN drops no post, and the order asks nothing of it. So the posts are sorted and limited first, and a subquery counts the
comments of each post that is left. That is the same where the keys of the groups tell each row apart, where only aggregates ask
about the children, and where neither HAVING nor ORDER BY asks for an aggregate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nestling.ir.model import Model
from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, JoinKind, NamedAggregate, Relation
from nestling.ir.statements.expression import Case, Column, Compare, Expression, Literal, ScalarSubquery
from nestling.ir.statements.operands import conjuncts, has_subquery
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import INTEGER
from nestling.planner.reads.determined import determines, ids, plain_column, row_key
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.parents_of_groups import replaced
from nestling.planner.reads.rewrites.without_empty_group import is_null_without
from nestling.planner.reads.traverse import aliases, everywhere, expressions, mapped

_ONCE_OR_MORE = frozenset(
    {AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.EVERY, AggregateFunction.SOME}
)
"""Aggregates that are the same however often a value is there."""
_OF_ONE_VALUE = frozenset({AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.SUM})
"""Aggregates that are, of one value, that value."""
_ROWS = AggregateCall(AggregateFunction.COUNT, None, INTEGER)


@dataclass(frozen=True, slots=True)
class Children:
    """What a LEFT JOIN adds to each row, and the condition it joins by, which is about the row and the children alone."""

    rows: Relation
    condition: Expression | None

    @property
    def aliases(self) -> frozenset[str]:
        """The names of all its tables."""
        return aliases(self.rows)

    def of_one(self) -> Relation:
        """The children of the one row around them."""
        return restricted(self.rows, conjuncts(self.condition))


def with_early_limits(relation: Relation, model: Model) -> Relation:
    """The relation with limits before the aggregates of children, where possible."""
    return everywhere(relation, lambda each: _early(each, model) if isinstance(each, a.Project) else each)


def _early(project: a.Project, model: Model) -> Relation:
    chain: list[a.Filter | a.Sort | a.LimitOffset] = []
    below = project.input
    while isinstance(below, a.Filter | a.Sort | a.LimitOffset):
        chain.append(below)
        below = below.input
    limited = any(isinstance(node, a.LimitOffset) for node in chain)
    if not limited or not isinstance(below, a.GroupBy) or _asks_subquery(project, below, *chain):
        return project
    rows, children = _apart(below.input, _shown(below))
    if not children or not _is_row(below, rows, model):
        return project
    names: dict[ColumnId, Expression] = {(below.alias, key.name): key.expression for key in below.keys}
    for item in below.aggregates:
        value = _value(item, below, children)
        if value is None:
            return project
        names[below.alias, item.name] = value
    above = [mapped(node, lambda each: replaced(each, names)) for node in chain]
    if _asks_subquery(*above):
        return project
    for node in reversed(above):
        rows = replace(node, input=rows)
    return replace(mapped(project, lambda each: replaced(each, names)), input=rows)


def _asks_subquery(*relations: Relation) -> bool:
    return any(has_subquery(each) for relation in relations for each in expressions(relation))


def _is_row(group: a.GroupBy, rows: Relation, model: Model) -> bool:
    """Whether no two of the rows are in one group."""
    rules = group.collations or (Collation.BINARY,) * len(group.keys)
    pairs = zip(group.keys, rules, strict=True)
    known = [plain_column(key.expression) for key, rule in pairs if rule is Collation.BINARY]
    wanted = row_key(rows, model)
    return wanted is not None and determines([each for each in known if each is not None], wanted, rows, model)


def _shown(group: a.GroupBy) -> frozenset[str]:
    """The tables that a group shows values of as they are."""
    shown = [key.expression for key in group.keys]
    shown += [one.argument for each in group.aggregates if _is_any(one := each.aggregate) and one.argument is not None]
    return frozenset[str]().union(*map(about, shown))


def _is_any(aggregate: AggregateCall) -> bool:
    return aggregate.function is AggregateFunction.ANY_VALUE


# --- the rows, and what LEFT JOINs add to them ----------------------------------------------------------------------------


def _apart(relation: Relation, shown: frozenset[str]) -> tuple[Relation, list[Children]]:
    """The rows without the children that nothing but aggregates asks about, and these."""
    match relation:
        case a.Filter():
            rows, children = _apart(relation.input, shown)
            if _is_about(relation.predicate, children):
                return relation, []
            return (restricted(rows, conjuncts(relation.predicate)), children) if children else (relation, [])
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS | JoinKind.LEFT):
            rows, children = _apart(relation.left, shown)
            if relation.kind is JoinKind.LEFT and aliases(relation.right).isdisjoint(shown):
                found = _with(Children(relation.right, relation.condition), children)
                return (rows, found) if found else (relation, [])
            if _is_about(relation.condition, children):
                return relation, []
            return (replace(relation, left=rows), children) if children else (relation, [])
        case _:
            return relation, []


def _is_about(condition: Expression | None, children: Sequence[Children]) -> bool:
    return condition is not None and not all(about(condition).isdisjoint(each.aliases) for each in children)


def _with(added: Children, children: Sequence[Children]) -> list[Children]:
    """The children with those added, which may be children or parents of some of them; empty where they depend on more."""
    condition = added.condition
    if condition is None or has_subquery(condition):
        return []
    asked = [each for each in children if _is_about(condition, [each])]
    if not asked:
        return [*children, added]
    (first, *others) = asked
    if others or not about(condition) <= first.aliases | added.aliases or not _links(condition, first, added):
        return []
    both = replace(first, rows=a.Join(JoinKind.LEFT, first.rows, added.rows, condition))
    return [both if each is first else each for each in children]


def _links(condition: Expression, one: Children, other: Children) -> bool:
    """Whether it is true of no row that lacks the one."""
    for each in conjuncts(condition):
        if isinstance(each, Compare) and each.operator is Comparison.EQUAL:
            sides = [about(side) for side in (each.left, each.right) if isinstance(side, Column)]
            if any(side <= one.aliases for side in sides) and any(side <= other.aliases for side in sides):
                return True
    return False


# --- the aggregates, for one row ------------------------------------------------------------------------------------------


def _value(item: NamedAggregate, group: a.GroupBy, children: Sequence[Children]) -> Expression | None:
    """What the aggregate is of the one row of a group; None where no subquery of the children gives that."""
    aggregate = item.aggregate
    if _is_any(aggregate):
        return aggregate.argument if aggregate.filter is None else None
    asked = frozenset[str]().union(*map(about, expressions(item)))
    for each in children:
        if aggregate.argument is not None and is_null_without(aggregate.argument, ids(each.rows.columns)):
            return _subquery(item, group, _met(aggregate, asked, each, children))
    return _with_lonely(item, group, children[0]) if len(children) == 1 else None


def _met(aggregate: AggregateCall, asked: frozenset[str], own: Children, children: Sequence[Children]) -> Relation:
    """The children an aggregate is made of, as often as other children are there beside them."""
    others = [each for each in children if each is not own]
    alone = all(asked.isdisjoint(each.aliases) for each in others)
    rows = own.of_one()
    if alone and (aggregate.distinct or aggregate.function in _ONCE_OR_MORE):
        return rows
    for each in others:
        rows = a.Join(JoinKind.LEFT, rows, each.rows, each.condition)
    return rows


def _with_lonely(item: NamedAggregate, group: a.GroupBy, children: Children) -> Expression | None:
    """The aggregate of something that a row without children has, too: that row is there once, its children's columns NULL."""
    aggregate = item.aggregate
    if aggregate.filter is not None:
        return None
    if aggregate.argument is None:
        alone: Expression = Literal(1, INTEGER)
    elif aggregate.function in _OF_ONE_VALUE and aggregate.argument.type == aggregate.type:
        missing = {(each.alias, each.name): Literal(None, each.type) for each in children.rows.columns}
        alone = replaced(aggregate.argument, missing)
    else:
        return None
    rows = children.of_one()
    value = _subquery(item, group, rows)
    number = value if aggregate == _ROWS else _subquery(NamedAggregate(f"rows of {item.name}", _ROWS), group, rows)
    none = Compare(Comparison.EQUAL, number, Literal(0, INTEGER))
    return Case(((none, alone),), value, aggregate.type)


def _subquery(item: NamedAggregate, group: a.GroupBy, rows: Relation) -> ScalarSubquery:
    own = {(each.alias, each.name): each for each in rows.columns}
    of_one = mapped(item, lambda each: replaced(each, own))
    return ScalarSubquery(a.GroupBy(rows, f"{group.alias} of one", (), (of_one,)), item.aggregate.type)
