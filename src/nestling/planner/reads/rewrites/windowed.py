"""Turns a subquery that aggregates rows the statement joins anyway into a window over these, so that they are read once.

`… WHERE price = (SELECT MIN(s2.price) FROM stock s2 WHERE s2.part = p.id)` over `part p JOIN stock s ON s.part = p.id` is the
least over all rows of the part. That is equivalent if the subquery has the statement's tables and conditions except for other
tables, a row of which meets exactly the rows that the subquery finds for it; and for groups that are formed alike in both. The
subquery may name the part by the row's own reference to it: `s2.part = s.part`, even if there is no other table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import (
    WHOLE_PARTITION,
    AggregateFunction,
    NamedWindow,
    Relation,
    WindowFunction,
)
from nestling.ir.statements.expression import Column, Compare, Expression, ScalarSubquery
from nestling.ir.statements.operands import conjuncts, has_subquery
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.types import TypeName
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.join_order import cross_product, inner_leaves
from nestling.planner.reads.rewrites.links import keys_of, scan_of
from nestling.planner.reads.rewrites.pushdown import pushed
from nestling.planner.reads.traverse import aliases, everywhere, made_by, mentioned, renamed, rewritten, subqueries

_OVER_ROWS = frozenset(
    {
        AggregateFunction.COUNT,
        AggregateFunction.SUM,
        AggregateFunction.AVG,
        AggregateFunction.MIN,
        AggregateFunction.MAX,
    }
)


def with_windows(relation: Relation, model: Model) -> Relation:
    """The relation with such subqueries as windows."""
    return everywhere(relation, lambda each: _windowed(each, model) if isinstance(each, a.Filter) else each)


@dataclass(frozen=True, slots=True)
class _Tables:
    """Tables that are joined, without what restricts them, and all conditions."""

    leaves: tuple[Relation, ...]
    conditions: tuple[Expression, ...]


def _windowed(relation: a.Filter, model: Model) -> Relation:
    for predicate in conjuncts(relation.predicate):
        asked = list(subqueries(predicate))
        subquery = asked[0] if len(asked) == 1 else None
        group = _aggregated(subquery) if isinstance(subquery, ScalarSubquery) else None
        if group is None:
            continue
        rest = [each for each in conjuncts(relation.predicate) if each is not predicate]
        outer, inner = _tables(restricted(relation.input, rest)), _tables(group.input)
        found = (
            _over_partitions(outer, inner, group, model)
            or _over_itself(outer, inner, group)
            or _over_groups(outer, inner, group)
        )
        if found is not None:
            late = [each for each in outer.conditions if has_subquery(each)]
            return pushed(found, [_with_output(predicate, group), *late])
    return relation


def _is_exact_average(aggregate: a.AggregateCall) -> bool:
    """Whether it is a division by a database's own rules: dearer for each row than to be asked once for each partition."""
    return aggregate.function is AggregateFunction.AVG and aggregate.type.name is TypeName.DECIMAL


def _with_output(predicate: Expression, group: a.GroupBy) -> Expression:
    """The predicate with what its subquery gives, said of the aggregates' columns, which are the windows'."""

    def output(each: Expression) -> Expression | None:
        if not isinstance(each, ScalarSubquery):
            return None
        made = each.relation
        return made.outputs[0].expression if isinstance(made, a.Project) else group.columns[0]

    return rewritten(predicate, output)


def _aggregated(subquery: ScalarSubquery) -> a.GroupBy | None:
    """The one group a subquery gives a value of, if windows know its aggregates."""
    relation = subquery.relation
    group = relation.input if isinstance(relation, a.Project) and len(relation.outputs) == 1 else relation
    if not isinstance(group, a.GroupBy) or group.keys or (group is relation and len(group.aggregates) != 1):
        return None
    if isinstance(relation, a.Project) and has_subquery(relation.outputs[0].expression):
        return None
    plain = all(
        item.aggregate.function in _OVER_ROWS
        and not _is_exact_average(item.aggregate)
        and not item.aggregate.distinct
        and item.aggregate.filter is None
        and item.aggregate.collation is Collation.BINARY
        and not item.mixed
        and (item.aggregate.argument is None or not has_subquery(item.aggregate.argument))
        for item in group.aggregates
    )
    return group if plain else None


def _tables(relation: Relation) -> _Tables:
    leaves, conditions = inner_leaves(relation)
    bare: list[Relation] = []
    for leaf in leaves:
        scan, own = scan_of(leaf)
        bare.append(leaf if scan is None else scan)
        conditions += own
    return _Tables(tuple(bare), tuple(conditions))


def _with_functions(rows: Relation, group: a.GroupBy, names: dict[str, str], partition: Sequence[Column]) -> Relation:
    functions = []
    for item in group.aggregates:
        asked = item.aggregate
        arguments = () if asked.argument is None else (renamed(asked.argument, names),)
        found = WindowFunction(asked.function, arguments, asked.type, tuple(partition), (), WHOLE_PARTITION)
        functions.append(NamedWindow(item.name, found))
    return a.Window(rows, group.alias, tuple(functions))


# --- all rows of a partition ----------------------------------------------------------------------------------------------


def _over_partitions(outer: _Tables, inner: _Tables, group: a.GroupBy, model: Model) -> Relation | None:
    """Tables the subquery does not have split the rows: each of theirs meets the rows it finds."""
    if any(map(has_subquery, inner.conditions)) or len(inner.leaves) >= len(outer.leaves):
        return None
    plain = [each for each in outer.conditions if not has_subquery(each)]
    for names in _matches(inner.leaves, outer.leaves):
        mapped = set(names.values())
        have = {_plain(each) for each in plain if about(each) & mapped}
        asked = {_asked(each, names, have) for each in inner.conditions}
        others = [leaf for leaf in outer.leaves if not aliases(leaf) & mapped]
        keys = [_key(leaf, model) for leaf in others]
        if asked == have and all(key is not None for key in keys):
            partition = [column for key in keys for column in key or ()]
            return _with_functions(_joined(outer.leaves, plain), group, names, partition)
    return None


def _over_itself(outer: _Tables, inner: _Tables, group: a.GroupBy) -> Relation | None:
    """A table alone, whose rows are split by columns that are the same in the subquery's: whole parts are left, if any, of
    the rows that both ask for alike.
    """
    if len(outer.leaves) != 1 or not isinstance(outer.leaves[0], a.Scan) or any(map(has_subquery, inner.conditions)):
        return None
    plain = [each for each in outer.conditions if not has_subquery(each)]
    for names in _matches(inner.leaves, outer.leaves):
        told = [_told(each, names) for each in inner.conditions]
        columns = [column for column in told if column is not None]
        asked = {_plain(renamed(each, names)) for each, own in zip(inner.conditions, told, strict=True) if own is None}
        have = {_plain(each) for each in plain if not set(mentioned(each)) <= set(columns)}
        if columns and asked == have:
            return _with_functions(_joined(outer.leaves, plain), group, names, columns)
    return None


def _told(condition: Expression, names: dict[str, str]) -> Column | None:
    """The column a condition says is the same as in the row asked about; None where it may be NULL, which equals nothing."""
    column = _same(condition, names)
    return column if column is not None and not column.nullable and not column.mixed else None


def _same(condition: Expression, names: dict[str, str]) -> Column | None:
    """The column that a condition says to be equal in the subquery's row and in the row asked about."""
    match renamed(condition, names):
        case Compare(Comparison.EQUAL, Column() as one, other, collation=Collation.BINARY) if one == other:
            return one if len(about(condition)) == 2 else None
        case _:
            return None


def _asked(condition: Expression, names: dict[str, str], have: Collection[Expression]) -> Expression:
    """The subquery's condition said of the statement's rows.

    That a column equals that of the row asked about is what that one is equal to in another table.
    """
    mapped = frozenset(names.values())
    found = _plain(renamed(condition, names))
    column = _same(condition, names)
    for each in have if column is not None else ():
        if isinstance(each, Compare) and (each.operator, each.collation) == (Comparison.EQUAL, Collation.BINARY):
            for one, other in ((each.left, each.right), (each.right, each.left)):
                if one == column and not about(other) & mapped:
                    return each
    return found


def _key(leaf: Relation, model: Model) -> list[Column] | None:
    return next(keys_of(leaf, model.entity(leaf.entity)), None) if isinstance(leaf, a.Scan) else None


def _joined(leaves: Sequence[Relation], conditions: Sequence[Expression]) -> Relation:
    """The tables joined again."""
    return pushed(cross_product(leaves), conditions)


# --- groups made in both ----------------------------------------------------------------------------------------------------


def _over_groups(outer: _Tables, inner: _Tables, group: a.GroupBy) -> Relation | None:
    """The subquery aggregates all groups the statement has, too: before they are joined with anything."""
    if len(inner.leaves) != 1 or inner.conditions or isinstance(inner.leaves[0], a.Scan):
        return None
    for names in _matches(inner.leaves, outer.leaves):
        leaf = next(leaf for leaf in outer.leaves if aliases(leaf) & set(names.values()))
        if not _is_grouped(leaf) or any(about(each) <= aliases(leaf) for each in outer.conditions):
            continue
        windowed = _with_functions(leaf, group, names, ())
        leaves = [windowed if each is leaf else each for each in outer.leaves]
        return _joined(leaves, [each for each in outer.conditions if not has_subquery(each)])
    return None


def _is_grouped(relation: Relation) -> bool:
    while isinstance(relation, a.Project | a.Filter):
        relation = relation.input
    return isinstance(relation, a.GroupBy)


# --- the same under other names ---------------------------------------------------------------------------------------------


def _matches(inner: Sequence[Relation], outer: Sequence[Relation]) -> Iterator[dict[str, str]]:
    """Every way to find the inner tables among the outer ones: the alias there for each here."""
    if not inner:
        yield {}
        return
    for leaf in outer:
        names = _names(inner[0], leaf)
        if names is not None:
            for others in _matches(inner[1:], [each for each in outer if each is not leaf]):
                yield names | others


def _names(one: Relation, other: Relation) -> dict[str, str] | None:
    """By alias of one relation, the other's; None if they differ in more than aliases."""
    mine, theirs = (list(dict.fromkeys(made_by(each))) for each in (one, other))
    if type(one) is not type(other) or len(mine) != len(theirs):
        return None
    names = dict(zip(mine, theirs, strict=True))
    return names if renamed(one, names) == other else None


def _plain(condition: Expression) -> Expression:
    """An equality with its sides in one order."""
    if isinstance(condition, Compare) and condition.operator is Comparison.EQUAL:
        left, right = sorted((condition.left, condition.right), key=repr)
        return replace(condition, left=left, right=right)
    return condition
