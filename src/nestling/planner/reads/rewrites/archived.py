"""Old rows apart are known to be old: asked for later ones, their collection is asked for what cannot be, and left out.

The condition that all rows of an archive meet is added to a lower bound on the same attribute. Where the value asked for is
no earlier than the archive's own bound nothing meets both, which is seen as soon as the parameters' values are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.ir.statements.operands import bare, conjunction, conjuncts
from nestling.ir.statements.operators import Comparison
from nestling.ir.storage.layout import Role
from nestling.planner.homes.archive_bound import archive_bound
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rows import LoweringContext, PlacedScan
from nestling.planner.reads.traverse import mentioned

LOWER = frozenset({Comparison.GREATER, Comparison.GREATER_OR_EQUAL, Comparison.EQUAL})


def with_bounds(predicate: Expression, standing: Mapping[str, PlacedScan], context: LoweringContext) -> Expression:
    """The predicate, with the bounds that all rows of the archives it applies to satisfy."""
    if not context.may(Rewrite.ARCHIVED):
        return predicate
    found = conjunction(predicate, *dict.fromkeys(_bounds(predicate, standing, context)))
    assert found is not None
    return found


def _bounds(
    predicate: Expression, standing: Mapping[str, PlacedScan], context: LoweringContext
) -> Iterator[Expression]:
    for column in map(bounded_below, conjuncts(predicate)):
        at = standing.get(column.alias) if column is not None else None
        if column is None or at is None or at.place.store.role is not Role.ARCHIVE or len(at.place.nodes) > 1:
            continue
        rows, entity = at.place.store.split, context.design.model.entity(at.place.node.entity)
        if rows is not None and rows.rows is not None and rows.rows.attribute == column.name and not column.mixed:
            yield Compare(Comparison.LESS, column, archive_bound(entity.attribute(column.name), rows.rows.value))


def bounded_below(predicate: Expression) -> Column | None:
    """The column a comparison with something known asks to be at least that."""
    if not isinstance(predicate, Compare):
        return None
    left, right = bare(predicate.left), bare(predicate.right)
    if isinstance(left, Column) and predicate.operator in LOWER and not any(True for _ in mentioned(right)):
        return left
    if isinstance(right, Column) and predicate.operator.mirrored in LOWER and not any(True for _ in mentioned(left)):
        return right
    return None
