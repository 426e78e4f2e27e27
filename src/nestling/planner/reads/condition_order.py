"""Makes conditions safe in any order: the server may test a later condition on documents that an earlier one excludes.

In such a document a column that is never NULL may be missing, and a function of it, such as `$strLenCP`, would fail. So these
conditions treat the column as nullable.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.paths.access_path import CollectionScan, FilterDocuments, Step
from nestling.ir.paths.row_steps import Where, WhereElement
from nestling.ir.statements.expression import Call, Cast, Column, Expression
from nestling.ir.statements.operands import conjunction, conjuncts, operands
from nestling.planner.reads.traverse import rewritten


def in_any_order(predicate: Expression, step: Step) -> Expression:
    """Return the predicate in a form that may be tested before conditions that exclude documents."""
    if not _leaves_out(step):
        return predicate
    found = conjunction(*(rewritten(each, _maybe_null) if _calls(each) else each for each in conjuncts(predicate)))
    assert found is not None
    return found


def _leaves_out(step: Step) -> bool:
    """Whether the steps since the scan of the collection say which of its documents are meant."""
    found = False
    while isinstance(step, Where | WhereElement | FilterDocuments):
        found = found or isinstance(step, FilterDocuments)
        step = step.source
    return found and isinstance(step, CollectionScan)


def _calls(expression: Expression) -> bool:
    return isinstance(expression, Call | Cast) or any(map(_calls, operands(expression)))


def _maybe_null(expression: Expression) -> Expression | None:
    return replace(expression, nullable=True) if isinstance(expression, Column) else None
