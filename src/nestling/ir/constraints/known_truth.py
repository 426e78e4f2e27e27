"""IS NOT DISTINCT FROM in the condition of a CHECK, said by IS NULL: databases have words of their own for it."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.ir.statements.expression import FALSE, TRUE, And, Compare, Expression, IsNull, Literal, Not, Or
from nestling.ir.statements.operands import columns_of, conjunction, is_condition
from nestling.ir.statements.operators import Comparison


def same(left: Expression, right: Expression) -> Expression:
    """Whether two sides are equal or both NULL; never NULL itself."""
    known, equal = (_known(left), _known(right)), _equal(left, right)
    both = conjunction(*known, equal)
    assert both is not None
    if known[0] is None or known[1] is None:
        return both
    return Or((both, And((_negated(known[0]), _negated(known[1])))))


def _equal(left: Expression, right: Expression) -> Expression:
    if is_condition(left) and right in (TRUE, FALSE):
        return left if right == TRUE else Not(left)
    return Compare(Comparison.EQUAL, left, right)


def _known(expression: Expression) -> Expression | None:
    """When a value or a condition's truth is not NULL, which is true or false; None stands for always."""
    match expression:
        case Literal() | IsNull():
            return None
        case Not(operand=operand):
            return _known(operand)
        case And(operands=parts):
            return _known_of_several(parts, [Not(part) for part in parts])
        case Or(operands=parts):
            return _known_of_several(parts, parts)
        case Compare(left=left, right=right) if is_condition(left) or is_condition(right):
            return conjunction(_known(left), _known(right))
        case _:
            return conjunction(*(Not(IsNull(column)) for column in dict.fromkeys(columns_of(expression))))


def _known_of_several(parts: tuple[Expression, ...], deciding: Sequence[Expression]) -> Expression | None:
    """All are known, or one that decides alone is."""
    known = [_known(part) for part in parts]
    every = conjunction(*known)
    if every is None:
        return None
    alone = (conjunction(each, decides) for each, decides in zip(known, deciding, strict=True))
    return Or((every, *(each for each in alone if each is not None)))


def _negated(condition: Expression) -> Expression:
    return condition.operand if isinstance(condition, Not) else Not(condition)
