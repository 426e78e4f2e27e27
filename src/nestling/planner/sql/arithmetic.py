"""Arithmetic: the dialect's conversions of operands, type of result and rule of division."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from sqlglot import exp

from nestling.ir.statements.expression import (
    Arithmetic,
    Call,
    Case,
    Cast,
    Expression,
    InList,
    Literal,
    Negate,
    Parameter,
)
from nestling.ir.statements.operands import disjunction, is_float, is_integer, is_number
from nestling.ir.statements.operators import ArithmeticOperator, Division, Function, Rules
from nestling.ir.types import EXACT_NUMBERS, FLOAT, INTEGER, TEXT, TIMES, Type, TypeName
from nestling.ir.value_forms.numeral import INT64
from nestling.planner.sql import conversions
from nestling.planner.sql.exact_decimals import exact_beside
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.json_changes import is_jsonb, without
from nestling.planner.sql.literals import DECIMAL
from nestling.planner.sql.mysql import digits as mysql_digits
from nestling.planner.sql.postgresql import sum_types as sums
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.postgresql.type_errors import refuse_arithmetic, refuse_composite
from nestling.planner.sql.scope import Bind, Env
from nestling.planner.sql.supported_types import refuse_stored_otherwise
from nestling.planner.sql.times import add_interval, is_interval

_ARITHMETIC: dict[type[exp.Expr], ArithmeticOperator] = {
    exp.Add: ArithmeticOperator.ADD,
    exp.Sub: ArithmeticOperator.SUBTRACT,
    exp.Mul: ArithmeticOperator.MULTIPLY,
    exp.Div: ArithmeticOperator.DIVIDE,
    exp.IntDiv: ArithmeticOperator.DIVIDE,
    exp.Mod: ArithmeticOperator.MODULO,
    exp.BitwiseAnd: ArithmeticOperator.BIT_AND,
    exp.BitwiseOr: ArithmeticOperator.BIT_OR,
    exp.BitwiseLeftShift: ArithmeticOperator.SHIFT_LEFT,
    exp.BitwiseRightShift: ArithmeticOperator.SHIFT_RIGHT,
}


def _arithmetic(node: exp.Binary, env: Env, bound: Bind) -> Expression:
    if is_interval(node.this) or is_interval(node.expression):
        return add_interval(node, env, bound)
    left, right = bound(node.this), bound(node.expression)
    operator = _ARITHMETIC[type(node)]
    if not env.dialect.is_sqlite and {left.type.name, right.type.name} & TIMES:
        return _time_arithmetic(node, operator, left, right, env)
    if not env.dialect.is_sqlite:
        refuse_stored_otherwise("arithmetic", node, left, right)
    if env.dialect.rules is Rules.POSTGRESQL:
        if isinstance(node, exp.Sub) and is_jsonb(left):
            return without(node, left, right, env)
        refuse_composite(node, env.dialect.grammar, left, right)
        refuse_arithmetic(node, left, right)
    return arithmetic(operator, left, right, env, whole=isinstance(node, exp.IntDiv), node=node)


def arithmetic(
    operator: ArithmeticOperator,
    left: Expression,
    right: Expression,
    env: Env,
    *,
    whole: bool = False,
    node: exp.Expr | None = None,
) -> Expression:
    """Arithmetic with the dialect's conversions, result type and division."""
    if env.translation.model.strict_types:
        left, right = (
            exact_beside(left, right, env.translation),
            exact_beside(right, left, env.translation),
        )
    given = (left, right)
    left, right = conversions.number(left, env.translation), conversions.number(right, env.translation)
    if not env.dialect.is_sqlite:
        beside = _beside_float if env.dialect.lenient else _beside
        left, right = beside(left, right), beside(right, left)
    bits = operator in (
        ArithmeticOperator.BIT_AND,
        ArithmeticOperator.BIT_OR,
        ArithmeticOperator.SHIFT_LEFT,
        ArithmeticOperator.SHIFT_RIGHT,
    )
    remainder = env.dialect.is_sqlite and operator is ArithmeticOperator.MODULO and isinstance(node, exp.Mod)
    operands = (left, right)
    if whole and env.dialect.rules is Rules.MYSQL and _are_exact(operands):
        return Arithmetic(operator, left, right, INTEGER, Division.INTEGER, env.dialect.zero_fails)
    if whole and not all(map(is_integer, operands)):
        raise statement_gap("DIV of numbers that may not be whole", node)
    if env.dialect.is_sqlite and (bits or remainder):
        left, right = (conversions.whole(side, env.translation) for side in given)
    elif bits:
        left, right = (side if is_integer(side) else Cast(side, INTEGER, env.dialect.rules) for side in operands)
    kind = _number_type(left, right)
    if (
        kind == INTEGER
        and operator is ArithmeticOperator.DIVIDE
        and any(sums.is_unsure(side, env.translation) for side in operands)
    ):
        raise statement_gap(
            "a quotient of sums of integers, truncated unless the column is `bigint`; write `::bigint` or `::numeric`",
            node,
        )
    division = None
    if operator in (ArithmeticOperator.DIVIDE, ArithmeticOperator.MODULO):
        kind, division = _division(kind, env, whole or operator is ArithmeticOperator.MODULO)
    if env.dialect.rules is Rules.MYSQL and kind == DECIMAL:
        kind = _declared(operator, left, right, node)
    fails = env.dialect.zero_fails and division is not None
    found = Arithmetic(operator, left, right, kind, division, fails, in_order=env.dialect.is_sqlite)
    return _remainder_of(operands, found) if remainder else found


def _are_exact(sides: Sequence[Expression]) -> bool:
    """Whether they are decimals, or one of them and the other an integer; what a parameter may be is not known."""
    is_sure = not any(isinstance(side, Parameter) for side in sides)
    return is_sure and all(is_number(side) and side.type.name in EXACT_NUMBERS for side in sides)


def _remainder_of(operands: tuple[Expression, Expression], found: Arithmetic) -> Expression:
    """SQLite: the remainder of whole numbers, but a float where one of the operands is."""
    unknown = [side for side in operands if not is_integer(side)]
    if not unknown:
        return found
    as_float = Arithmetic(
        ArithmeticOperator.MULTIPLY, found, Literal(1.0, FLOAT), FLOAT
    )  # which has no affinity, as a CAST has
    if any(map(is_float, unknown)):
        return as_float
    real = tuple(
        InList(Call(Function.TYPE_OF, (side,), TEXT, Rules.SQLITE), (Literal("real", TEXT),)) for side in unknown
    )
    return Case(((disjunction(*real), as_float),), found, DECIMAL)


def _beside(side: Expression, other: Expression) -> Expression:
    """PostgreSQL: an untyped operand takes the other's type; a float given beside a decimal is the decimal it is shown as."""
    if not isinstance(side, Parameter):
        return conversions.adapt(side, other.type)
    is_decimal = other.type.name is TypeName.DECIMAL and not isinstance(other, Parameter)
    return Parameter(side.name, other.type, exact=side.exact or is_decimal)


def _beside_float(side: Expression, other: Expression) -> Expression:
    """MySQL: any number beside a float is taken as one."""
    return Parameter(side.name, FLOAT) if isinstance(side, Parameter) and is_float(other) else side


def _number_type(left: Expression, right: Expression) -> Type:
    if is_integer(left) and is_integer(right):
        return INTEGER
    return FLOAT if is_float(left) or is_float(right) else DECIMAL


def _division(kind: Type, env: Env, whole: bool) -> tuple[Type, Division]:
    if kind == FLOAT:
        return FLOAT, Division.REAL
    if env.dialect.rules is Rules.SQLITE:
        return kind, Division.INTEGER if kind == INTEGER else Division.BY_VALUE
    if kind == INTEGER and (whole or env.dialect.rules is Rules.POSTGRESQL):
        return INTEGER, Division.INTEGER
    return DECIMAL, Division.DECIMAL


def _declared(operator: ArithmeticOperator, left: Expression, right: Expression, node: exp.Expr | None) -> Type:
    """The type of MySQL's exact number; the digits of a quotient follow from the declared ones."""
    digits = mysql_digits.computed(operator, left, right)
    if digits is None and operator is ArithmeticOperator.DIVIDE:
        what = "a division of decimals with an undeclared number of digits"
        raise statement_gap(what + _digits_for(left, right), node)
    if digits is None and any(map(mysql_digits.is_rounded_later, (left, right))):
        what = "a quotient computed with an undeclared number of digits"
        raise statement_gap(what + _digits_for(left, right), node)
    return digits.type if digits is not None else DECIMAL


def _digits_for(*sides: Expression) -> str:
    """What to write where a parameter is one of them."""
    name = next((each.name for each in sides if isinstance(each, Parameter)), None)
    return f"; write `CAST(:{name} AS DECIMAL(10, 2))`" if name else ""


def _time_arithmetic(
    node: exp.Binary, operator: ArithmeticOperator, left: Expression, right: Expression, env: Env
) -> Expression:
    rules = env.dialect.rules
    if rules is not Rules.POSTGRESQL or operator not in (ArithmeticOperator.ADD, ArithmeticOperator.SUBTRACT):
        raise statement_gap("arithmetic with dates", node)
    refuse_infinite("arithmetic", node, env.translation, left, right)
    left, right = (
        replace(side, exact=True) if isinstance(side, Parameter) and side.type.name is TypeName.DATE else side
        for side in (conversions.adapt(left, right.type), conversions.adapt(right, left.type))
    )
    if left.type.name in TIMES and right.type.name in TIMES and operator is ArithmeticOperator.SUBTRACT:
        if left.type.name is TypeName.DATE:
            return Call(Function.DAYS_BETWEEN, (left, right), INTEGER, rules)
        return Call(Function.TIME_BETWEEN, (left, right), Type(TypeName.INTERVAL), rules)
    if left.type.name is TypeName.DATE and is_integer(right):
        amount = Negate(right, INTEGER) if operator is ArithmeticOperator.SUBTRACT else right
        return Call(Function.ADD_TIME, (left, Literal("day", TEXT), amount), left.type, rules)
    days = right.name if left.type.name is TypeName.DATE and isinstance(right, Parameter) else ""
    raise statement_gap(f"arithmetic with dates{f'; write `CAST(:{days} AS integer)`' if days else ''}", node)


def _negate(node: exp.Neg, env: Env, bound: Bind) -> Expression:
    if env.dialect.is_sqlite and node.this.unnest() == exp.Literal.number(INT64):
        return Literal(-INT64, INTEGER)  # which has no positive counterpart
    operand = conversions.number(bound(node.this), env.translation)
    if not env.dialect.is_sqlite:
        refuse_stored_otherwise("arithmetic", node, operand)
    if isinstance(operand, Literal) and isinstance(operand.value, int | float | Decimal):
        return Literal(-operand.value, operand.type)
    return Negate(operand, operand.type)


ARITHMETIC: dict[type[exp.Expr], Callable[..., Expression]] = {
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    exp.Neg: _negate,
}
