"""A unique group of some rows only: those of which a condition is true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.constraints.condition_text import condition_text
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.expression import And, Column, Compare, Expression, IsNull, Literal, Not
from nestling.ir.statements.operands import column_names
from nestling.ir.statements.operators import Comparison

_COMPARED = {
    Comparison.EQUAL: ClauseOperator.EQUAL,
    Comparison.LESS: ClauseOperator.LESS,
    Comparison.LESS_OR_EQUAL: ClauseOperator.LESS_OR_EQUAL,
    Comparison.GREATER: ClauseOperator.GREATER,
    Comparison.GREATER_OR_EQUAL: ClauseOperator.GREATER_OR_EQUAL,
}


@dataclass(frozen=True, slots=True)
class PartialUnique:
    """The attributes that tell rows apart, the condition of these rows, in the form of a `RowCheck`'s, and the index's name.

    `lower`: the attributes whose texts the index compares in lower case, by PostgreSQL's `lower()`, or, where it is `ascii`, by
    SQLite's, which knows A to Z only. One over all rows has the condition that such an attribute is not NULL: others are in no
    such index anyway.
    """

    attributes: tuple[str, ...]
    condition: Expression
    name: str = ""
    lower: tuple[str, ...] = ()
    ascii: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The attributes that the condition is about, each once."""
        return column_names(self.condition)

    @property
    def clauses(self) -> tuple[Clause, ...] | None:
        """The clauses of a partial index on the server for the condition; None if such an index cannot express it."""
        try:
            return tuple(_clauses(self.condition))
        except _NotSaid:
            return None

    def __str__(self) -> str:
        """The constraint as in DDL: `UNIQUE (name) WHERE deleted_at IS NULL`, `UNIQUE (lower(login))`."""
        keys = ", ".join(f"lower({name})" if name in self.lower else name for name in self.attributes)
        return f"UNIQUE ({keys}) WHERE {condition_text(self.condition)}"


class _NotSaid(Exception):
    """Raised where a condition is none that a partial index can have."""


def _clauses(condition: Expression) -> Iterator[Clause]:
    match condition:
        case And(operands=parts):
            for part in parts:
                yield from _clauses(part)
        case IsNull(operand=Column(name=name)):
            yield Clause(name, ClauseOperator.NULL)
        case Not(operand=IsNull(operand=Column(name=name))):
            yield Clause(name, ClauseOperator.PRESENT)
        case Column(name=name):
            yield Clause(name, ClauseOperator.EQUAL, True)
        case Not(operand=Column(name=name)):
            yield Clause(name, ClauseOperator.EQUAL, False)
        case Compare(operator=operator, left=Column(name=name), right=Literal(value=str() | int() as value)) if (
            operator in _COMPARED
        ):
            yield Clause(name, _COMPARED[operator], value)
        case Compare(operator=operator, left=Literal(value=str() | int() as value), right=Column(name=name)) if (
            operator in _COMPARED
        ):
            yield Clause(name, _COMPARED[operator].mirrored, value)
        case _:
            raise _NotSaid
