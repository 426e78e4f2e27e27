"""Conditions that compare no whole value of a column, by their kind: a pattern, lower(…) or upper(…), elements of an array."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from nestling.ir.indexes.indexable import is_array
from nestling.ir.workload import Operator
from nestling.sources.statements.walk import StatementWalk

_PATTERNS = (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike, exp.StartsWith)
_COMPARISONS = (exp.EQ, exp.NullSafeEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def condition_kind(part: exp.Expr, walk: StatementWalk) -> Operator:
    """How a condition outside of negations compares its columns: `OTHER` if it is of no known kind."""
    one = part.this if isinstance(part, exp.Escape) else part
    if isinstance(one, _PATTERNS):
        return Operator.PATTERN
    if folded := [each for each in _compared_with_constants(one) if _is_folded(each)]:
        is_whole = isinstance(one, exp.EQ) and all(isinstance(_uncast(each.this), exp.Column) for each in folded)
        return Operator.CASED if is_whole else Operator.FOLDED
    return Operator.CONTAINS if _is_element(one, walk) else Operator.OTHER


def _compared_with_constants(part: exp.Expr) -> Iterator[exp.Expr]:
    """What a comparison compares with values that are known."""
    if isinstance(part, _COMPARISONS):
        sides = ((part.left, part.right), (part.right, part.left))
        yield from (one.unnest() for one, other in sides if _has_no_column(other))
    elif isinstance(part, exp.Between | exp.In):
        yield part.this.unnest()


def _is_folded(node: exp.Expr) -> bool:
    return isinstance(node, exp.Lower | exp.Upper) and not _has_no_column(node)


def _uncast(node: exp.Expr) -> exp.Expr:
    inner = node.unnest()
    return inner.this.unnest() if isinstance(inner, exp.Cast) else inner


def _is_element(part: exp.Expr, walk: StatementWalk) -> bool:
    """Whether an array column is asked for elements that are listed."""
    if isinstance(part, exp.EQ) and isinstance(part.right, exp.Any):
        return _is_array(part.right.this.unnest(), walk) and _has_no_column(part.left)
    if isinstance(part, exp.ArrayContainsAll | exp.ArrayOverlaps):
        return _is_array(part.left.unnest(), walk) and _is_list(part.right)
    return isinstance(part, exp.ArrayContainedBy) and _is_list(part.left) and _is_array(part.right.unnest(), walk)


def _is_list(node: exp.Expr) -> bool:
    one = node.unnest()
    listed = one.this if isinstance(one, exp.Cast) else one
    return isinstance(listed, exp.Array) and bool(listed.expressions) and _has_no_column(listed)


def _is_array(node: exp.Expr, walk: StatementWalk) -> bool:
    origins = walk.origins(node) if isinstance(node, exp.Column) else ()
    return bool(origins) and all(is_array(occurrence.entity, name) for occurrence, name in origins)


def _has_no_column(node: exp.Expr) -> bool:
    return node.find(exp.Column) is None
