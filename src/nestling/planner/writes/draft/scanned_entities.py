"""The entities that the subqueries of a condition read."""

from __future__ import annotations

from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import Expression
from nestling.planner.reads.traverse import everything, expressions, subqueries


def scanned(expression: Expression | None) -> frozenset[str]:
    """The entities its subqueries read."""
    found: set[str] = set()
    for inner in subqueries(expression) if expression is not None else ():
        for relation in everything(inner.relation):
            found |= {relation.entity} if isinstance(relation, Scan) else set()
            for each in expressions(relation):
                found |= scanned(each)
    return frozenset(found)
