"""PostgreSQL's casts of constants to a type of a length, of so many digits or of a range: cut off, rounded, or a mistake."""

from __future__ import annotations

from datetime import datetime
from decimal import ROUND_HALF_UP, Context, Decimal

from sqlglot import exp

from nestling.ir.statements.expression import Expression, Literal
from nestling.ir.types import TEXT, Type, TypeName
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.literals import DECIMAL

_BITS = {"SMALLINT": 16, "INT": 32, "BIGINT": 64}
_EXACTLY = Context(prec=2000, rounding=ROUND_HALF_UP)
"""More digits than a `numeric(1000, 1000)` has."""


def fitted(constant: Expression, kind: Type, node: exp.Cast) -> Expression:
    """The constant as its cast converts it; anything but a constant unchanged."""
    value = constant.value if isinstance(constant, Literal) else None
    match kind.name:
        case TypeName.TEXT if isinstance(value, str) and kind.numbers:
            return Literal(value[: kind.numbers[0]], TEXT)
        case TypeName.INTEGER if isinstance(value, int):
            bits = _BITS.get(node.to.this.value)
            if bits is not None and not -(1 << bits - 1) <= value < 1 << bits - 1:
                raise mistake(f"{value} is out of range for {node.to.sql().lower()}", node)
        case TypeName.DECIMAL if isinstance(value, int | Decimal) and kind.numbers:
            return Literal(_of_digits(Decimal(value), kind, node), DECIMAL)
        case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ if isinstance(value, datetime) and node.to.expressions:
            digits = int(node.to.expressions[0].name)
            if value.microsecond % 10 ** max(6 - digits, 0):
                raise statement_gap(f"CAST to {node.to.sql()} of a time with more digits", node)
    return constant


def _of_digits(value: Decimal, kind: Type, node: exp.Cast) -> Decimal:
    """Rounded, half away from zero."""
    precision, scale = (*kind.numbers, 0)[:2]
    if value.is_nan():
        return value
    if value.is_infinite() or abs(found := value.quantize(Decimal((0, (1,), -scale)), context=_EXACTLY)) >= 10 ** (
        precision - scale
    ):
        raise mistake(f"{value} has too many digits before the point for {kind}", node)
    return found
