"""Which columns of a relation follow from others: a row's columns from its key, and equal columns from each other.

An order by some columns fixes the order of all rows if all other columns follow from these: rows that it leaves tied are equal.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from nestling.ir.model import Model
from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Column, Compare, Expression, Literal, Parameter, Raw
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statements.operators import Collation, Comparison
from nestling.planner.reads.rewrites.links import keys_of
from nestling.planner.reads.traverse import mentioned, single

ColumnIds = frozenset[ColumnId]


@dataclass(frozen=True, slots=True)
class Dependency:
    """Rows that have the same values of some columns have the same values of others, too."""

    given: ColumnIds
    gives: ColumnIds


def determines(known: Iterable[ColumnId], wanted: Iterable[ColumnId], relation: a.Relation, model: Model) -> bool:
    """Whether rows of the relation that have the same values of the known columns have the same of the wanted ones."""
    return _closed(known, list(_rules(relation, model))).issuperset(wanted)


def _closed(known: Iterable[ColumnId], rules: Sequence[Dependency]) -> set[ColumnId]:
    """The columns, and all that follow from them."""
    found, grown = set(known), True
    while grown:
        grown = False
        for rule in rules:
            if rule.given <= found and not rule.gives <= found:
                found |= rule.gives
                grown = True
    return found


def telling(
    keys: Sequence[Expression], relation: a.Relation, model: Model, sure: Container[int] | None = None
) -> tuple[int, ...]:
    """Return the positions of the keys that identify the relation's groups; the other keys follow from them.

    Later keys are dropped first. `sure`: keys whose equal values are identical (None: all). Texts that are equal regardless of
    case determine nothing.
    """
    rules, kept = list(_rules(relation, model)), list(range(len(keys)))
    for number in reversed(range(len(keys))):
        rest = [plain_column(keys[each]) for each in kept if each != number and (sure is None or each in sure)]
        if _closed((each for each in rest if each is not None), rules).issuperset(ids(mentioned(keys[number]))):
            kept.remove(number)
    return tuple(kept)


def at_most_one(relation: a.Relation, model: Model, outer: ColumnIds) -> bool:
    """Whether there is at most one row for each row of the outer query."""
    key = row_key(relation, model)
    return single(relation) or (key is not None and determines(outer, key, relation, model))


def plain_column(expression: Expression) -> ColumnId | None:
    """The column an expression is, and nothing else."""
    column = expression.operand if isinstance(expression, Raw) else expression
    return (column.alias, column.name) if isinstance(column, Column) else None


def sorted_columns(keys: Iterable[a.SortKey]) -> ColumnIds:
    """The columns that are the same in rows these keys leave tied; a collation may tie texts that differ."""
    found = (plain_column(key.expression) for key in keys if key.collation is Collation.BINARY)
    return frozenset(each for each in found if each is not None)


def ids(columns: Iterable[Column]) -> ColumnIds:
    """The ids of the columns."""
    return frozenset((column.alias, column.name) for column in columns)


def row_key(relation: a.Relation, model: Model) -> ColumnIds | None:
    """Return columns that identify each row; None if rows may occur twice."""
    match relation:
        case a.Scan():
            return next((ids(key) for key in keys_of(relation, model.entity(relation.entity))), None)
        case a.Join(left=left, right=right):
            one, other = row_key(left, model), row_key(right, model)
            return None if one is None or other is None else one | other
        case a.GroupBy():
            return frozenset((relation.alias, key.name) for key in relation.keys)
        case a.Distinct():
            return ids(relation.columns)
        case a.SetOperation():
            return None if relation.all else ids(relation.columns)
        case a.Values() | a.Unnest() | a.Working() | a.Recursive():
            return None
        case _:
            return row_key(relation.input, model)


def _rules(relation: a.Relation, model: Model) -> Iterator[Dependency]:
    match relation:
        case a.Scan():
            for key in keys_of(relation, model.entity(relation.entity)):
                yield Dependency(ids(key), ids(relation.columns))
        case a.Values() | a.Unnest() | a.Working() | a.Recursive() | a.SetOperation():
            return
        case a.Join():
            yield from _of_join(relation, model)
        case a.Filter():
            yield from _rules(relation.input, model)
            yield from _of_equalities(conjuncts(relation.predicate))
        case a.Project():
            yield from _rules(relation.input, model)
            yield from _of_outputs(relation.alias, relation.outputs)
        case a.GroupBy():
            yield from _of_group(relation, model)
        case a.Window():
            yield from _rules(relation.input, model)
            yield from _of_window(relation, model)
        case a.Distinct() | a.Sort() | a.LimitOffset():
            yield from _rules(relation.input, model)


def _of_equalities(predicates: Iterable[Expression]) -> Iterator[Dependency]:
    for column, other in _equalities(predicates):
        if isinstance(other, Literal | Parameter):
            yield Dependency(frozenset(), frozenset({column}))
        elif (same := plain_column(other)) is not None:
            yield Dependency(frozenset({same}), frozenset({column}))


def _equalities(predicates: Iterable[Expression]) -> Iterator[tuple[ColumnId, Expression]]:
    """Yield columns, each with what it equals."""
    for each in predicates:
        if isinstance(each, Compare) and each.operator is Comparison.EQUAL and each.collation is Collation.BINARY:
            for one, other in ((each.left, each.right), (each.right, each.left)):
                if (column := plain_column(one)) is not None:
                    yield column, other


def _of_join(relation: a.Join, model: Model) -> Iterator[Dependency]:
    condition = () if relation.condition is None else conjuncts(relation.condition)
    left_stays = relation.kind in (a.JoinKind.LEFT, a.JoinKind.FULL)
    right_stays = relation.kind in (a.JoinKind.RIGHT, a.JoinKind.FULL)
    yield from _of_side(relation.left, model, may_lack=right_stays)
    yield from _of_side(relation.right, model, may_lack=left_stays)
    if not left_stays and not right_stays:
        yield from _of_equalities(condition)
    elif not right_stays:
        yield from _of_partner(condition, relation.right)
    elif not left_stays:
        yield from _of_partner(condition, relation.left)


def _of_side(side: a.Relation, model: Model, *, may_lack: bool) -> Iterator[Dependency]:
    """Yield the rules of a side. If NULLs may replace its rows, only rules with a column that is never NULL hold."""
    always = ids(column for column in side.columns if not column.nullable)
    for rule in _rules(side, model):
        if not may_lack or rule.given & always:
            yield rule


def _of_partner(condition: Sequence[Expression], partner: a.Relation) -> Iterator[Dependency]:
    """Yield rules for the side that may lack a partner: its columns are NULL or determined by the other side's columns."""
    own = ids(partner.columns)
    given = frozenset((each.alias, each.name) for one in condition for each in mentioned(one)) - own
    for column, other in _equalities(condition):
        if column in own and not ids(mentioned(other)) & own:
            yield Dependency(given, frozenset({column}))


def _of_outputs(alias: str, outputs: Iterable[a.Named]) -> Iterator[Dependency]:
    for each in outputs:
        made = frozenset({(alias, each.name)})
        yield Dependency(ids(mentioned(each.expression)), made)
        if (column := plain_column(each.expression)) is not None:
            yield Dependency(made, frozenset({column}))


def _of_group(relation: a.GroupBy, model: Model) -> Iterator[Dependency]:
    yield from _rules(relation.input, model)
    collations = relation.collations or (Collation.BINARY,) * len(relation.keys)
    binary = (key for key, each in zip(relation.keys, collations, strict=True) if each is Collation.BINARY)
    yield from _of_outputs(relation.alias, binary)
    yield Dependency(frozenset((relation.alias, key.name) for key in relation.keys), ids(relation.columns))


def _of_window(relation: a.Window, model: Model) -> Iterator[Dependency]:
    made = frozenset((relation.alias, each.name) for each in relation.functions)
    if (key := row_key(relation.input, model)) is not None:
        yield Dependency(key, made)
    for each in relation.functions:
        parts = [plain_column(part) for part in each.window.partition]
        if each.window.function is a.WindowOnly.ROW_NUMBER and None not in parts:
            number = {(relation.alias, each.name), *(part for part in parts if part is not None)}
            yield Dependency(frozenset(number), ids(relation.input.columns) | made)
