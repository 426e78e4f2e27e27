"""Expressions in words: brackets where the words would otherwise say something else, and none where they would not."""

from __future__ import annotations

import pytest

from nestling.ir.statements.expression import (
    And,
    Arithmetic,
    Cast,
    Coerce,
    Column,
    Compare,
    Expression,
    IsNull,
    Literal,
    Negate,
    Not,
    Or,
)
from nestling.ir.statements.operators import Affinity, ArithmeticOperator, Comparison, Rules
from nestling.ir.types import INTEGER, Type, TypeName
from nestling.ir.words.row_words import text

DECIMAL = Type(TypeName.DECIMAL)
a, b, c = (Column("t", name, INTEGER) for name in "abc")
one = Literal(1, INTEGER)


def computed(left: Expression, operator: str, right: Expression) -> Arithmetic:
    """Arithmetic by its sign."""
    return Arithmetic(ArithmeticOperator(operator), left, right, INTEGER)


def compared(left: Expression, operator: str, right: Expression) -> Compare:
    """A comparison by its sign."""
    return Compare(Comparison(operator), left, right)


a_plus_b, b_plus_c, b_minus_c = computed(a, "+", b), computed(b, "+", c), computed(b, "-", c)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (computed(a_plus_b, "*", c), "(t.a + t.b) * t.c"),
        (computed(a, "+", computed(b, "*", c)), "t.a + t.b * t.c"),
        (computed(a_plus_b, "-", c), "t.a + t.b - t.c"),
        (computed(a, "-", b_minus_c), "t.a - (t.b - t.c)"),
        (computed(a, "/", computed(b, "*", c)), "t.a / (t.b * t.c)"),
        (computed(computed(a, "&", b), "<<", c), "(t.a & t.b) << t.c"),
        (computed(Coerce(a_plus_b, Affinity.NUMERIC), "*", c), "(t.a + t.b) * t.c"),
        (computed(Cast(a, DECIMAL, Rules.SQLITE), "+", one), "(t.a as decimal) + 1"),
        (Cast(a_plus_b, DECIMAL, Rules.SQLITE), "(t.a + t.b) as decimal"),
        (compared(a_plus_b, ">", c), "t.a + t.b > t.c"),
        (compared(a, "=", Cast(b, DECIMAL, Rules.SQLITE)), "t.a = (t.b as decimal)"),
        (compared(compared(a, "<", b), "=", compared(b, "<", c)), "(t.a < t.b) = (t.b < t.c)"),
        (computed(compared(a, "<", b), "+", c), "(t.a < t.b) + t.c"),
        (Negate(b_plus_c, INTEGER), "-(t.b + t.c)"),
        (computed(Negate(a, INTEGER), "*", b), "-t.a * t.b"),
        (IsNull(a_plus_b), "t.a + t.b is NULL"),
        (IsNull(compared(a, "=", b)), "(t.a = t.b) is NULL"),
        (Not(compared(computed(a, "-", b_minus_c), ">", one)), "not t.a - (t.b - t.c) > 1"),
        (And((Or((a, b)), compared(a, "=", one), Not(c))), "(t.a or t.b) and t.a = 1 and not t.c"),
        (Or((And((a, b)), c)), "(t.a and t.b) or t.c"),
    ],
)
def test_brackets(expression: Expression, expected: str) -> None:
    """What is said is what is meant."""
    assert text(expression) == expected
