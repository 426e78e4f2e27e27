"""A predicate as what must all be true, and back."""

from __future__ import annotations

from nestling.ir.statements.algebra import Values
from nestling.ir.statements.expression import And, Column, Exists, IsNull, Not, Or
from nestling.ir.statements.operands import conjunction, conjuncts, disjunction, has_subquery
from nestling.ir.types import INTEGER

A, B, C = (IsNull(Column("t", name, INTEGER)) for name in "abc")


def test_every_and_is_taken_apart() -> None:
    """Those inside of others too, and nothing else."""
    assert conjuncts(And((A, And((B, And((C, A))))))) == [A, B, C, A]
    assert conjuncts(Or((And((A, B)), C))) == [Or((And((A, B)), C))]
    assert conjuncts(None) == []
    assert conjunction(*conjuncts(And((A, And((B, C)))))) == And((A, B, C))


def test_any_of_several() -> None:
    """One alone stays as it is, those of another OR are taken out of it, and none is None."""
    assert disjunction(A, None, Or((B, C))) == Or((A, B, C))
    assert disjunction(A) == disjunction(None, A) == A
    assert disjunction(None) is None


def test_a_subquery_is_found_wherever_it_is() -> None:
    """And nowhere else."""
    assert has_subquery(Or((A, Not(Exists(Values("v", (), ()))))))
    assert not has_subquery(And((A, Not(B))))
