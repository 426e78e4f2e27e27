"""Functions of numbers: each sqlglot class, or name it has no class for, and the function it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.common.sql_tokens import FLOAT_MOD
from nestling.ir.statements.expression import Call, Case, Cast, Expression, InList, Literal, Parameter
from nestling.ir.statements.operands import is_float, is_integer, of_numbers
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import FLOAT, INTEGER, TEXT, Type, TypeName
from nestling.planner.sql import conversions
from nestling.planner.sql.called import function_name
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.literals import DECIMAL
from nestling.planner.sql.mysql.digits import Digits, digits_of
from nestling.planner.sql.scope import Bind, Env, Handler


def integer(part: exp.Expr, env: Env, bound: Bind) -> Expression:
    """An argument that is a whole number, or is made one as the dialect does."""
    given = bound(part)
    if env.dialect.is_sqlite:
        return conversions.whole(given, env.translation)
    found = conversions.number(given, env.translation)
    if isinstance(found, Parameter):
        return replace(found, type=INTEGER)
    return found if is_integer(found) else Cast(found, INTEGER, env.dialect.rules)


def _of_number(function: Function, kind: Type | None = None) -> Handler:
    """A function of one number; of the number's own type unless told."""

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        operand = conversions.argument(bound(node.this), env.translation)
        return Call(function, (operand,), kind or operand.type, env.dialect.rules)

    return call


def _number(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """What a function of numbers is given. PostgreSQL takes a constant in quotes for a number, whose type the function says."""
    found = bound(node.this)
    if env.dialect.rules is Rules.POSTGRESQL and isinstance(found, Literal) and isinstance(found.value, str):
        raise statement_gap(
            f"{function_name(node, env.dialect.grammar)} of a text; write the number without quotes", node
        )
    return found


def _pi(node: exp.Expr, env: Env, bound: Bind) -> Expression:  # noqa: ARG001
    if env.dialect.rules is Rules.MYSQL:
        raise statement_gap("PI(), which MySQL shows with six digits but computes with more", node)
    return Literal(math.pi, FLOAT)


def _absolute(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Of a text SQLite's is a float, even where the text says a whole number."""
    given = conversions.plain(_number(node, env, bound), env.translation)
    operand = conversions.number(given, env.translation)
    if isinstance(given, Parameter) and env.dialect.is_sqlite:
        kind = Call(Function.TYPE_OF, (given,), TEXT, Rules.SQLITE)
        is_read = InList(kind, (Literal("text", TEXT), Literal("blob", TEXT)))
        operand = Case(((is_read, Cast(given, FLOAT, Rules.SQLITE)),), operand, DECIMAL)
    elif env.dialect.is_sqlite and not of_numbers(given) and operand != given and given.type.name is not TypeName.ANY:
        operand = Cast(given, FLOAT, Rules.SQLITE)
    return Call(Function.ABS, (operand,), operand.type, env.dialect.rules)


def _sign(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """An integer but in PostgreSQL, where it is a float or numeric as its argument is."""
    kind: Type | None = INTEGER
    if env.dialect.rules is Rules.POSTGRESQL:
        is_exact = bound(node.this).type.name is TypeName.DECIMAL
        kind = Type(TypeName.DECIMAL, (1, 0)) if is_exact else None
    found = _of_number(Function.SIGN, kind)(node, env, bound)
    return _whole(found, env) or found


def _whole(number: Expression, env: Env) -> Expression | None:
    """An integer as PostgreSQL's functions of floats take it, of which it has none of integers; None for other numbers."""
    if env.dialect.rules is not Rules.POSTGRESQL or not is_integer(number):
        return None
    return Cast(number, FLOAT, Rules.POSTGRESQL)


def _floor(function: Function) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if node.args.get("decimals") is not None or node.args.get("to") is not None:
            raise statement_gap(f"{function_name(node, env.dialect.grammar)} with digits", node)
        operand = conversions.argument(bound(node.this), env.translation)
        if (whole := _whole(operand, env)) is not None:
            return whole
        kind = operand.type if is_integer(operand) or env.dialect.rules is Rules.SQLITE else DECIMAL
        return Call(function, (operand,), FLOAT if is_float(operand) else kind, env.dialect.rules)

    return call


def _round(function: Function) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        operand = conversions.number(_number(node, env, bound), env.translation)
        digits = node.args.get("decimals")
        if digits is None and (whole := _whole(operand, env)) is not None:
            return whole
        arguments = (operand,) if digits is None else (operand, integer(digits, env, bound))
        kind = FLOAT if env.dialect.is_sqlite or is_float(operand) else DECIMAL
        if env.dialect.rules is Rules.MYSQL and is_integer(operand):
            if all(isinstance(each, Literal) and str(each.value).isdecimal() for each in arguments[1:]):
                return operand
            kind = INTEGER
        elif env.dialect.rules is Rules.MYSQL and kind == DECIMAL:
            kind = _rounded(operand, arguments[1:])
        return Call(function, arguments, kind, env.dialect.rules)

    return call


def _truncate(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """SQLite's is of the family of its floor()."""
    found = _floor(Function.TRUNCATE) if env.dialect.is_sqlite else _round(Function.TRUNCATE)
    return found(node, env, bound)


def _rounded(operand: Expression, digits: Sequence[Expression]) -> Type:
    """The type of what MySQL rounds to a constant number of digits."""
    match digits:
        case ():
            return Digits(0, 0).type
        case (Literal(value=int() as places),):
            known = digits_of(operand)
            least = max(0, places if known is None else min(places, known.kept))
            return Digits(least, least).type
        case _:
            return DECIMAL


def _power(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    sides = tuple(conversions.argument(bound(side), env.translation) for side in (node.this, node.expression))
    return Call(Function.POWER, sides, FLOAT, env.dialect.rules)


def _float_mod(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """SQLite's mod(), which is of floats where `%` is of integers."""
    if len(node.expressions) != 2:
        raise mistake(f"MOD() takes two arguments, not {len(node.expressions)}", node)
    sides = tuple(conversions.argument(bound(side), env.translation) for side in node.expressions)
    return Call(Function.FLOAT_MOD, sides, FLOAT, env.dialect.rules)


def _logarithm(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    base = node.args.get("expression")
    is_number = isinstance(node.this, exp.Literal) and not node.this.is_string
    function = (
        {"2": Function.LOG2, "10": Function.LOG10}.get(node.this.name) if is_number and base is not None else None
    )
    if base is None:
        function = Function.LN if env.dialect.rules is Rules.MYSQL else Function.LOG10
    if function is None:
        raise statement_gap("LOG to any base", node)
    operand = conversions.argument(bound(base if base is not None else node.this), env.translation)
    return Call(function, (operand,), FLOAT, env.dialect.rules)


NUMBER_NAMES: dict[str, Handler] = {FLOAT_MOD: _float_mod}
NUMBER_FUNCTIONS: dict[type[exp.Expr], Handler] = {
    exp.Abs: _absolute,
    exp.Sign: _sign,
    exp.Pi: _pi,
    exp.Sqrt: _of_number(Function.SQRT, FLOAT),
    exp.Exp: _of_number(Function.EXP, FLOAT),
    exp.Ln: _of_number(Function.LN, FLOAT),
    exp.Log: _logarithm,
    exp.Pow: _power,
    exp.Round: _round(Function.ROUND),
    exp.Trunc: _truncate,
    exp.Floor: _floor(Function.FLOOR),
    exp.Ceil: _floor(Function.CEILING),
}
