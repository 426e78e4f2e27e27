"""The rows that a write changes because a subquery names them: `WHERE id = (SELECT …)`, `id IN (SELECT …)`, `UPDATE … FROM`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation, filtered
from nestling.ir.statements.expression import ONE, Compare, Exists, Expression, InSubquery, ScalarSubquery
from nestling.ir.statements.operands import bare, conjunction, conjuncts
from nestling.ir.statements.operators import Comparison
from nestling.ir.statements.write import Delete, Insert, Update, Write
from nestling.ir.statistics import Statistics
from nestling.ir.workload import Access, AttributeFilter, Operator
from nestling.planner.known.ranges import column_in
from nestling.planner.reads.rewrites.rows_left import rows_left
from nestling.planner.reads.traverse import free_columns


@dataclass(frozen=True, slots=True)
class NamedRows:
    """`count` rows of a subquery have the values that `attributes` of the changed rows are equal to."""

    entity: str
    attributes: frozenset[str]
    count: float

    def one(self, access: Access) -> Access:
        """The access to the rows that one of them names."""
        asked = (AttributeFilter(name, Operator.EQUALITY) for name in sorted(self.attributes))
        return replace(access, filters=tuple(dict.fromkeys((*access.filters, *asked))))


def named_rows(write: Write, model: Model, statistics: Statistics) -> NamedRows | None:
    """By the subquery of the fewest rows; None where no subquery names them, or its rows are not known."""
    match write:
        case Update(target=target, predicate=predicate) | Delete(target=target, predicate=predicate):
            found = (
                NamedRows(target.entity, names, max(left.rows, 1.0))
                for each in conjuncts(predicate)
                for names, relation in _named(each, target.alias)
                if names and not free_columns(relation)
                if (left := rows_left(relation, model, statistics)) is not None
            )
            return min(found, key=lambda each: each.count, default=None)
        case Insert():
            return None


def _named(condition: Expression, alias: str) -> Iterator[tuple[frozenset[str], Relation]]:
    """The attributes of a table that equal what rows have, and the relation of these."""
    match condition:
        case Compare(Comparison.EQUAL, left, right):
            for one, other in ((left, bare(right)), (right, bare(left))):
                if isinstance(other, ScalarSubquery):
                    yield _names([one], alias), a.LimitOffset(other.relation, ONE)
        case InSubquery(operands, relation, operator=Comparison.EQUAL):
            yield _names(operands, alias), relation
        case Exists(relation=relation):
            yield from _existing(relation, alias)
        case _:
            pass


def _existing(relation: Relation, alias: str) -> Iterator[tuple[frozenset[str], Relation]]:
    while isinstance(relation, a.Project):
        relation = relation.input
    if isinstance(relation, a.Filter):
        asked = conjuncts(relation.predicate)
        equal = {each: name for each in asked for name in _equal(each, alias)}
        rest = conjunction(*(each for each in asked if each not in equal))
        yield frozenset(equal.values()), filtered(relation.input, rest)


def _equal(condition: Expression, alias: str) -> frozenset[str]:
    """The name of a table's column that equals one of another; none for any other condition."""
    if not isinstance(condition, Compare) or condition.operator is not Comparison.EQUAL:
        return frozenset()
    columns = (column_in(condition.left), column_in(condition.right))
    found = [each for each in columns if each is not None]
    own = [each.name for each in found if each.alias == alias]
    return frozenset(own) if len(found) > len(own) == 1 else frozenset()


def _names(values: Iterable[Expression], alias: str) -> frozenset[str]:
    """The names of a table's columns among values."""
    columns = (column_in(each) for each in values)
    return frozenset(each.name for each in columns if each is not None and each.alias == alias)
