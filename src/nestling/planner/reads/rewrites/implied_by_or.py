"""What an OR over several tables implies about one of them: each branch must restrict it, and one of these restrictions holds.

`(a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)` implies `a.x = 1 OR a.x = 3`, a condition on the table itself, before a join.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.ir.statements.expression import Expression, Or
from nestling.ir.statements.operands import conjunction, conjuncts, has_subquery
from nestling.planner.reads.rewrites.conjuncts import about


def implied(predicates: Sequence[Expression]) -> Iterator[Expression]:
    """Predicates about one table each that are true wherever these are."""
    for predicate in predicates:
        if isinstance(predicate, Or) and not has_subquery(predicate):
            tables = about(predicate)
            for alias in sorted(tables) if len(tables) > 1 else ():
                branches = [_about_only(branch, alias) for branch in predicate.operands]
                if all(branch is not None for branch in branches):
                    yield Or(tuple(dict.fromkeys(branch for branch in branches if branch is not None)))


def _about_only(branch: Expression, alias: str) -> Expression | None:
    return conjunction(*(each for each in conjuncts(branch) if about(each) == {alias}))
