"""What a statement's conditions let through by the values it compares with: its literals, and the samples of its parameters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import assert_never

from nestling.common.errors import NestlingError
from nestling.ir import algebra as a
from nestling.ir.algebra import Query, Relation, Write
from nestling.ir.expression import Column, Compare, Comparison, Expression, InList, Like
from nestling.ir.situation import Situation
from nestling.ir.statistics import Statistics
from nestling.ir.workload import Statement
from nestling.planner.reads.rewrites.conjuncts import conjuncts
from nestling.planner.reads.traverse import expressions, inputs, mentioned, subqueries
from nestling.planner.sql import translate
from nestling.planner.work.documents import Known, attribute_known
from nestling.planner.work.selectivity import together
from nestling.planner.work.spans import KnownOf, Values, column_in, value_of

Attribute = tuple[str, str]
"""An entity and one of its attributes."""
_TELLING = frozenset(Comparison) - {Comparison.NOT_EQUAL, Comparison.DIFFERENT}


def shares_compared(statement: Statement, situation: Situation) -> Mapping[Attribute, float]:
    """The share of rows that a statement's conditions on an attribute let through, where its values tell.

    On average where an entity is there several times. Nothing of attributes it is not known of how their values lie.
    """
    statistics = situation.statistics
    if not any(
        _lies(access.entity, each.attribute, statistics) for access in statement.accesses for each in access.filters
    ):
        return {}
    try:
        query = translate(statement.sql, situation.model, statement.dialect or situation.reading.dialect or "sqlite")
    except NestlingError:
        return {}
    relations = list(relations_within(rows_asked(query)))
    entities = {each.alias: each.entity for each in relations if isinstance(each, a.Scan)}
    values, told = dict(statement.samples), defaultdict[Attribute, list[float]](list)
    for column, asked in _by_column(relations).items():
        entity = entities.get(column.alias)
        if (
            entity is not None
            and _lies(entity, column.name, statistics)
            and all(_is_told(each, values) for each in asked)
        ):
            known = attribute_known(entity, column.name, situation.model, statistics)
            told[entity, column.name].append(together(asked, _same(known), values))
    return {attribute: sum(shares) / len(shares) for attribute, shares in told.items()}


def rows_asked(query: Query | Write) -> Relation:
    """The rows a statement reads, or changes."""
    match query:
        case Query(relation=relation) | a.Insert(source=relation):
            return relation
        case a.Update(target=target, predicate=predicate) | a.Delete(target=target, predicate=predicate):
            return target if predicate is None else a.Filter(target, predicate)
        case _:
            assert_never(query)


def _lies(entity: str, attribute: str, statistics: Statistics) -> bool:
    """Whether it is known how an attribute's values lie."""
    return statistics.entity(entity).attribute(attribute).values is not None


def relations_within(relation: Relation) -> Iterator[Relation]:
    """A relation and all inside it, those of subqueries too."""
    yield relation
    for below in inputs(relation):
        yield from relations_within(below)
    for expression in expressions(relation):
        for inner in subqueries(expression):
            yield from relations_within(inner.relation)


def _by_column(relations: list[Relation]) -> Mapping[Column, list[Expression]]:
    """The conditions that mention one column only, by that column."""
    found = defaultdict[Column, list[Expression]](list)
    for relation in relations:
        match relation:
            case a.Filter(predicate=predicate):
                asked = conjuncts(predicate)
            case a.Join(condition=condition):
                asked = conjuncts(condition)
            case _:
                asked = []
        for each in asked:
            columns = set(mentioned(each))
            if len(columns) == 1:
                found[columns.pop()].append(each)
    return found


def _is_told(predicate: Expression, values: Values) -> bool:
    """Whether a column is compared with values that are known."""
    match predicate:
        case Compare(operator=operator, left=left, right=right) if operator in _TELLING:
            column, other = (left, right) if column_in(left) is not None else (right, left)
            return column_in(column) is not None and value_of(other, values) is not None
        case InList(operand=operand, items=items):
            return column_in(operand) is not None and all(value_of(item, values) is not None for item in items)
        case Like(operand=operand, pattern=pattern) if column_in(operand) is not None:
            text = value_of(pattern, values)
            return isinstance(text, str) and text[:1] not in {"%", "_", ""}
        case _:
            return False


def _same(known: Known) -> KnownOf:
    return lambda _: known
