"""What one clause says of another is true of every value, and a clause is read back as it is written."""

from __future__ import annotations

from itertools import product

import pytest

from nestling.common.errors import InputError
from nestling.ir.statements.clause import Clause, ClauseOperator, imply

VALUES = (None, *range(-1, 6))
CLAUSES = [
    *(
        Clause("a", each, value)
        for each, value in product(ClauseOperator, range(5))
        if each not in ("is null", "is not null")
    ),
    Clause("a", ClauseOperator.NULL),
    Clause("a", ClauseOperator.PRESENT),
]


def holds(clause: Clause, value: int | None) -> bool:
    """Whether SQL takes it for true."""
    return clause.holds(value) if value is not None or clause.comparison is ClauseOperator.NULL else False


@pytest.mark.parametrize("one", CLAUSES, ids=str)
def test_what_is_said_is_true_of_every_value(one: Clause) -> None:
    """Implied where each value that fulfils one fulfils the other; excluded only where none does."""
    for other in CLAUSES:
        mine = [value for value in VALUES if holds(one, value)]
        assert not one.implies(other) or all(holds(other, value) for value in mine), other
        assert not one.excludes(other) or not any(holds(other, value) for value in mine), other


def test_what_is_found_out() -> None:
    """Tighter bounds imply wider ones, a value every bound it keeps, and any value that there is one."""
    nine, more, most = (
        Clause("a", each, 9) for each in (ClauseOperator.EQUAL, ClauseOperator.GREATER_OR_EQUAL, ClauseOperator.LESS)
    )
    assert nine.implies(more)
    assert not nine.implies(most)
    assert nine.excludes(most)
    assert Clause("a", ClauseOperator.GREATER, 9).implies(more)
    assert not more.implies(Clause("a", ClauseOperator.GREATER, 9))
    assert Clause("a", ClauseOperator.GREATER, 10).implies(more)
    assert more.implies(Clause("a", ClauseOperator.PRESENT))
    assert more.excludes(Clause("a", ClauseOperator.NULL))
    assert not Clause("b", ClauseOperator.EQUAL, 9).implies(more)
    assert not Clause("a", ClauseOperator.EQUAL, "10").implies(more)
    assert imply([nine, Clause("b", ClauseOperator.NULL)], [Clause("b", ClauseOperator.NULL), more])
    assert not imply([nine], [more, Clause("b", ClauseOperator.NULL)])


@pytest.mark.parametrize(
    "text", ['status = "open"', "amount <= -3", "paid = true", "a b is null", 'x is not null = "= 1"']
)
def test_texts(text: str) -> None:
    """The text form is read as it is written."""
    assert str(Clause.parse(text)) == text


def test_no_clause() -> None:
    """What is none is an error that shows one."""
    with pytest.raises(InputError, match="is not a condition"):
        Clause.parse("status open")
