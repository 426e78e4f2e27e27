"""What a statement does with attributes that may lie in a list of pairs: compare them with values there, or take them out.

A list's index finds values, not what is not there: `IS NULL` looks at every document.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from nestling.ir.model import AttributeName
from nestling.ir.situation import Situation
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Query, Relation
from nestling.ir.statements.operands import conjuncts
from nestling.ir.workload import Statement
from nestling.planner.options.statements.relations import relations_within, rows_asked
from nestling.planner.options.statements.translated import translated
from nestling.planner.reads.rewrites.prefilter import compared_column
from nestling.planner.reads.traverse import expressions, mentioned


@dataclass(frozen=True, slots=True)
class PairUse:
    """Attributes compared with values, and those used otherwise."""

    compared: frozenset[AttributeName]
    taken_out: frozenset[AttributeName]


def pair_use(statement: Statement, situation: Situation) -> PairUse:
    """What the statement does; by its footprint alone where it cannot be translated."""
    query = translated(statement, situation.reading)
    if query is None:
        seen = ((each.entity, name) for each in statement.accesses for name in each.attributes)
        return PairUse(frozenset(), frozenset(seen))
    relations = list(relations_within(rows_asked(query)))
    entities = {each.alias: each.entity for each in relations if isinstance(each, a.Scan)}
    compared = Counter[AttributeName]()
    for relation in relations:
        for predicate in conjuncts(relation.predicate) if isinstance(relation, a.Filter) else ():
            column = compared_column(predicate)
            if column is not None and column.alias in entities:
                compared[entities[column.alias], column.name] += 1
    used = _used(relations, query.relation if isinstance(query, Query) else None, entities)
    return PairUse(frozenset(compared), frozenset(name for name in used if used[name] > compared[name]))


def _used(relations: list[Relation], whole: Relation | None, entities: dict[str, str]) -> Counter[AttributeName]:
    """How often each attribute is mentioned."""
    columns = [column for each in relations for inner in expressions(each) for column in mentioned(inner)]
    columns += whole.columns if whole is not None else ()
    return Counter((entities[each.alias], each.name) for each in columns if each.alias in entities)
