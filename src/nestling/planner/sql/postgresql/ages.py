"""PostgreSQL's `age(later, earlier)`, of which EXTRACT takes a part: whole years, months beyond these, days beyond those."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from nestling.ir.statements.expression import Arithmetic, Call, Cast, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator, Division, Function, Rules
from nestling.ir.types import INTEGER, TEXT
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.literals import DECIMAL

_UNITS = {"year": "year", "month": "month", "day": "day of age"}
_MONTHS = 12


def part_of_age(unit: str, node: exp.Expr, moment: Callable[[exp.Expr], Expression]) -> Expression | None:
    """The part of an age, below 0 where that is; None for anything else. `moment` binds what is a moment."""
    if not isinstance(node, exp.Anonymous) or node.name.casefold() != "age":
        return None
    sides = node.expressions if len(node.expressions) > 1 else [exp.CurrentDate(), *node.expressions]
    if len(sides) != 2:
        raise mistake(f"AGE() takes one or two arguments, not {len(node.expressions)}", node)
    if unit not in _UNITS:
        raise statement_gap(f"EXTRACT of {unit} of AGE()", node)
    arguments = (Literal(_UNITS[unit], TEXT), *map(moment, sides))
    passed: Expression = Call(Function.UNITS_BETWEEN, arguments, INTEGER, Rules.POSTGRESQL)
    if unit == "month":
        months = Literal(_MONTHS, INTEGER)
        passed = Arithmetic(ArithmeticOperator.MODULO, passed, months, INTEGER, Division.INTEGER)
    return Cast(passed, DECIMAL, Rules.POSTGRESQL)
